"""Noise of a known band, and what a perfect converter makes of samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_OVERSAMPLING = 32


def band_limited(share: float, frames: int, seed: int) -> NDArray[np.float32]:
    """Gaussian noise [frames] of power 1, nothing of it above this share of half the rate; ends faded."""
    noise = np.random.default_rng(seed).standard_normal(frames)
    spectrum = np.fft.rfft(noise)
    spectrum[int(share * len(spectrum)) :] = 0
    limited = np.fft.irfft(spectrum, frames) / np.sqrt(share)
    ramp = np.sin(np.linspace(0, np.pi / 2, 64)) ** 2
    limited[:64] *= ramp
    limited[-64:] *= ramp[::-1]
    faded: NDArray[np.float32] = limited.astype(np.float32)
    return faded


def exact_true_peak_dbfs(samples: NDArray[np.float32]) -> float:
    """Of the band-limited curve through the samples, silence around them, 32 points a sample."""
    padded = np.pad(samples.astype(np.float64), 1024)
    spectrum = np.fft.rfft(padded)
    curve = np.fft.irfft(spectrum, _OVERSAMPLING * len(padded)) * _OVERSAMPLING
    return 20 * float(np.log10(np.abs(curve).max()))
