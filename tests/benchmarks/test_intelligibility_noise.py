"""benchmarks/intelligibility_noise.py: what the presets gain."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.intelligibility_noise import figures
from benchmarks.listening import Condition, Trial, listen
from benchmarks.noises import SITES
from edged.audio.presets import PRESETS, Preset

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "intelligibility_noise.py"
RATE_HZ = 24_000


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARK), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def measured(*arguments: str) -> dict[str, Any]:
    done = run("--quick", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_every_site_is_measured() -> None:
    """The tone engine, which needs no model and whose one voice is its own crowd."""
    printed = measured("--engine", "tone")
    assert (printed["engine"], printed["voices"], printed["recordings"]) == ("tone", ["tone"], 6)
    assert printed["sites"].keys() == SITES.keys()
    for site in printed["sites"].values():
        flat = [row["flat"] for row in site["by_snr"]]
        assert flat == sorted(flat)  # less noise
        assert 0 <= site["better"] <= 6


def test_an_unknown_voice_is_an_error() -> None:
    """Exit status 1 and the voices there are."""
    done = run("--engine", "tone", "--voices", "anna")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no voice 'anna'" in done.stderr


def test_nothing_done_gains_nothing() -> None:
    """Flat against flat, and flat against a louder flat: loudness alone is no gain."""
    noise = np.random.default_rng(0).standard_normal((2, RATE_HZ))
    syllables = np.abs(np.sin(np.arange(RATE_HZ) / 2000))
    recordings = [(0.05 * row * syllables).astype(np.float32) for row in noise]
    for preset in (PRESETS["flat"], Preset("louder", make_up_db=3)):
        trial = listen(SITES["noisy"], preset, recordings, recordings, RATE_HZ)
        assert trial.loudness_lu == pytest.approx([preset.make_up_db] * 2, abs=0.1)
        for condition in trial.conditions:
            assert condition.preset == pytest.approx(condition.flat, abs=2e-3)


def test_the_figures_are_means_over_recordings() -> None:
    """Percent; a gain in LU by how much flat speech gains from less noise; confidence from the spread."""
    trial = Trial(
        (Condition(-5, (0.4, 0.5), (0.5, 0.5)), Condition(5, (0.6, 0.7), (0.65, 0.75))),
        loudness_lu=(-0.5, 0.2),
    )
    result = figures(trial)
    assert (result["gain"], result["worth_lu"], result["better"]) == (5.0, 2.5, 2)
    assert result["interval"] == pytest.approx([0.1, 9.9])
    assert result["by_snr"] == [
        {"snr_lu": -5, "flat": 45.0, "preset": 50.0},
        {"snr_lu": 5, "flat": 65.0, "preset": 70.0},
    ]
    assert result["loudness_lu"] == {"mean": -0.15, "least": -0.5, "most": 0.2}


@pytest.mark.model
def test_the_presets_help_real_voices() -> None:
    """Where there is noise or echo, more is understood, at the loudness there was."""
    sites = measured()["sites"]
    for name in ("hall", "noisy", "horn"):
        assert sites[name]["gain"] > 0.5
    for site in sites.values():
        assert abs(site["loudness_lu"]["mean"]) < 1
        assert site["loudness_lu"]["least"] > -1.5
        assert site["loudness_lu"]["most"] < 1.5
