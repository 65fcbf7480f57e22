"""Peaks between samples."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.true_peak import true_peak_dbfs
from tests.audio.band import band_limited, exact_true_peak_dbfs

RATE_HZ = 48000


def test_a_tone_swings_higher_than_its_samples() -> None:
    """A quarter of the rate, sampled beside its peaks: 3 dB more than any sample."""
    tone = np.sin(np.pi / 2 * np.arange(RATE_HZ) + np.pi / 4).astype(np.float32)
    faded = tone * np.hanning(RATE_HZ).astype(np.float32)
    assert 20 * np.log10(np.abs(faded).max()) == pytest.approx(-3.01, abs=0.01)
    assert true_peak_dbfs(faded) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("seed", range(10))
def test_noise_is_measured_as_the_exact_curve_is(seed: int) -> None:
    """0.1 dB at most are missed of sound that a converter can make: below 90 % of the band."""
    samples = band_limited(0.9, 1 << 14, seed)
    assert true_peak_dbfs(samples) == pytest.approx(exact_true_peak_dbfs(samples), abs=0.1)


def test_the_first_and_the_last_sample_count() -> None:
    """A click at either end is a peak, and of a long sound the pieces it is measured in have no seams."""
    for at in (0, 65_512, 65_536, 199_999):
        samples = np.zeros(200_000, np.float32)
        samples[at] = 0.5
        assert true_peak_dbfs(samples) == pytest.approx(-6.02, abs=0.01)


@pytest.mark.parametrize("frames", [0, 1, 100])
def test_silence_has_a_figure(frames: int) -> None:
    """As a level has: -120 dBFS."""
    assert true_peak_dbfs(np.zeros(frames, np.float32)) == pytest.approx(-120)
