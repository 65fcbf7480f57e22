"""What is known of the loudness of an engine's voices."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from edged.engine.loudness import shipped_lufs
from edged.engine.tone import ToneEngine
from edged.io.loudness_file import LoudnessFile
from edged.workers.engines import LoadedEngine
from edged.workers.loudness import known_lufs

MODEL = "c" * 64


def test_what_was_measured_here_wins(tmp_path: Path) -> None:
    """The shipped figure is for the voices as published; this build may be another precision."""
    LoudnessFile(tmp_path).record(MODEL, {"tone": -3.5, "anna": -20.0})
    known = known_lufs(LoadedEngine(ToneEngine(), "tone", MODEL), tmp_path)
    assert known == {"tone": -3.5, "anna": -20.0}


def test_else_what_is_shipped_holds(tmp_path: Path) -> None:
    """For another model, and for an engine without one."""
    LoudnessFile(tmp_path).record(MODEL, {"tone": -3.5})
    for sha256 in ("d" * 64, None):
        assert known_lufs(LoadedEngine(ToneEngine(), "tone", sha256), tmp_path) == shipped_lufs("tone")


def test_a_damaged_file_silences_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The log says what is wrong with it, and the shipped figures hold."""
    (tmp_path / "loudness.json").write_text("{")
    with caplog.at_level(logging.WARNING):
        known = known_lufs(LoadedEngine(ToneEngine(), "tone", MODEL), tmp_path)
    assert known == shipped_lufs("tone")
    assert "loudness.json" in caplog.text
