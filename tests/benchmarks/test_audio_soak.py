"""The soak runs from a clone, without a model; what it finds on a busy machine is not asserted here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "audio_soak.py"

pytestmark = [pytest.mark.broker, pytest.mark.alsa]


def test_some_seconds_are_heard_and_judged(tmp_path: Path) -> None:
    """The figures are in order, and what they were made from is kept."""
    command = [sys.executable, str(SCRIPT), "--minutes", "0.1", "--json", "--keep", str(tmp_path / "kept")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    faults = {"frames_lost", "frames_repeated", "clicks", "xruns", "stalls"}
    assert set(printed) == faults | {"announcements", "stopped", "stalled"}
    assert printed["announcements"] >= 1
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert {"recording.wav", "expected-0.wav", "announcements.jsonl"} <= kept
    lines = (tmp_path / "kept" / "announcements.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["frames_lost"] for line in lines) == printed["frames_lost"]


def test_what_cannot_be_measured_is_an_error(tmp_path: Path) -> None:
    """Exit status 1 and the reason, never a made-up figure."""
    config = tmp_path / "edged.yaml"
    config.write_text("paths: {models_dir: none}\n")
    command = [sys.executable, str(SCRIPT), "--minutes", "0.1", "--engine", "kokoro", "--config", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "could not measure" in done.stderr
