"""benchmarks/loudness.py: figures of voices as the device gets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.loudness import Recording, Row, summary, to_device
from edged.audio import wav
from edged.audio.limiter import CEILING_DBFS
from edged.audio.true_peak import true_peak_dbfs

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "loudness.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARK), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def figures(*arguments: str) -> dict[str, Any]:
    done = run("--quick", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_a_voice_comes_out_at_the_target() -> None:
    """The tone engine, which needs no model: figures for its one voice and the chimes, none too loud."""
    printed = figures("--engine", "tone")
    assert printed["spread_lu"] <= 1
    assert "ding-dong" in printed["clips"]
    assert printed["off_target_lu"] <= 1
    assert printed["true_peak_dbfs"] <= CEILING_DBFS
    assert printed["voices"]["tone"]["n"] == 6


def test_another_target_is_another_loudness() -> None:
    """4 dB less is 4 LU less."""
    usual, quiet = figures("--engine", "tone"), figures("--engine", "tone", "--target", "-20")
    difference = usual["voices"]["tone"]["lufs"] - quiet["voices"]["tone"]["lufs"]
    assert difference == pytest.approx(4, abs=0.05)


def test_recordings_come_out_at_the_target(tmp_path: Path) -> None:
    """A quiet one and a loud one, each by its own gain; a silent one has no loudness, and is named."""
    noise = np.random.default_rng(0).uniform(-1, 1, 24_000).astype(np.float32)
    for name, level in (("quiet.wav", 0.05), ("loud.wav", 0.7)):
        (tmp_path / name).write_bytes(wav.encode(noise * np.float32(level), 24_000))
    clips = figures("--engine", "tone", "--clips", str(tmp_path))["clips"]
    assert {name: clip["lufs"] for name, clip in clips.items() if name.endswith(".wav")} == {
        "loud.wav": pytest.approx(-16, abs=0.1),
        "quiet.wav": pytest.approx(-16, abs=0.1),
    }
    (tmp_path / "none.wav").write_bytes(wav.encode(noise * 0, 24_000))
    done = run("--quick", "--engine", "tone", "--clips", str(tmp_path))
    assert done.returncode == 1
    assert "none.wav: silent" in done.stderr


def test_an_unknown_voice_is_an_error() -> None:
    """Exit status 1 and the voices there are."""
    done = run("--engine", "tone", "--voices", "tone,anna")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no voice 'anna'" in done.stderr


def test_the_summary_names_the_worst() -> None:
    """Spread between voices and clips, distance from the target, highest peak."""
    rows = {
        "loud": Row(-20.0, -15.5, -16, -15, -1.1, 20),
        "quiet": Row(None, -17.2, -18, -17, -4.0, 20),
    }
    clips = {"ding.wav": Recording(-15.0, -6.0)}
    total = summary(rows, clips, -16)
    assert (total["spread_lu"], total["off_target_lu"], total["true_peak_dbfs"]) == (2.2, 1.2, -1.1)
    assert total["voices"]["quiet"]["known_lufs"] is None


def test_the_device_gets_its_rate_and_its_ceiling() -> None:
    """One second at 24 kHz is one at 48 kHz, however loud it was made."""
    noise = np.random.default_rng(0).uniform(-0.3, 0.3, 24_000).astype(np.float32)
    output = to_device(noise, 24_000, 20.0)
    assert len(output) == pytest.approx(48_000, abs=2)
    assert true_peak_dbfs(output) <= CEILING_DBFS


@pytest.mark.model
def test_the_default_voices_are_equally_loud() -> None:
    """Within 1 LU of the target over the first prompts already."""
    printed = figures()
    assert len(printed["voices"]) == 2
    assert printed["off_target_lu"] <= 1
    assert printed["true_peak_dbfs"] <= CEILING_DBFS
