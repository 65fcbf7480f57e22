"""How much of speech in noise can be understood, from its short-time envelopes: a number from 0 to 1.

The measure of C. H. Taal, R. C. Hendriks, R. Heusdens, J. Jensen, "An Algorithm for Intelligibility
Prediction of Time-Frequency Weighted Noisy Speech", IEEE Transactions on Audio, Speech, and Language
Processing 19 (7), 2011. The numbers below are theirs.
"""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray

Samples = NDArray[np.float32]
Spectrum = NDArray[np.float64]

RATE_HZ = 10_000
_FRAME, _HOP, _FFT = 256, 128, 512
_BANDS, _LOWEST_HZ = 15, 150.0  # centres a third of an octave apart, up to 3.8 kHz
_SEGMENT = 30  # frames, 384 ms: slower changes of the envelope do not matter, faster ones do
_RANGE_DB = 40.0  # frames of the clean speech that far below its loudest are pauses, and left out
_CLIP = 1 + 10 ** (15 / 20)  # a cell can be no worse than 15 dB below the noise in it
_SMALLEST = 1e-12


def intelligibility(clean: Samples, heard: Samples, rate_hz: int) -> float:
    """Of `heard` [n] to someone who would understand `clean` [n], both at `rate_hz` and aligned.

    Raises ValueError when the speech has no segment of 384 ms.
    """
    clean_bands, heard_bands = _envelopes(_at_rate(clean, rate_hz), _at_rate(heard, rate_hz))
    if clean_bands.shape[1] < _SEGMENT:
        raise ValueError("less than 384 ms of speech cannot be measured")
    segments = np.lib.stride_tricks.sliding_window_view
    x, y = segments(clean_bands, _SEGMENT, axis=1), segments(heard_bands, _SEGMENT, axis=1)
    loudness = _norm(x) / np.maximum(_norm(y), _SMALLEST)
    return float(np.mean(_correlation(x, np.minimum(y * loudness, x * _CLIP))))


def _at_rate(samples: Samples, rate_hz: int) -> Spectrum:
    converted: Spectrum = soxr.resample(samples.astype(np.float64), rate_hz, RATE_HZ)
    return converted


def _envelopes(clean: Spectrum, heard: Spectrum) -> tuple[Spectrum, Spectrum]:
    """Magnitudes in third-octave bands [bands, frames] without the pauses of the clean speech."""
    window = np.hanning(_FRAME + 2)[1:-1]
    clean_frames, heard_frames = _frames(clean) * window, _frames(heard) * window
    level_db = 20 * np.log10(np.maximum(np.linalg.norm(clean_frames, axis=1), _SMALLEST))
    spoken = level_db > level_db.max(initial=-np.inf) - _RANGE_DB
    bands = [_bands(_joined(frames[spoken]), window) for frames in (clean_frames, heard_frames)]
    return bands[0], bands[1]


def _frames(samples: Spectrum) -> Spectrum:
    if len(samples) < _FRAME:
        return np.zeros((0, _FRAME))
    return np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_HOP]


def _joined(frames: Spectrum) -> Spectrum:
    """Windowed frames as one signal again."""
    joined = np.zeros((len(frames) + 1) * _HOP)
    joined[:-_HOP] += frames[:, :_HOP].ravel()
    joined[_HOP:] += frames[:, _HOP:].ravel()
    return joined


def _bands(samples: Spectrum, window: Spectrum) -> Spectrum:
    power = np.abs(np.fft.rfft(_frames(samples) * window, _FFT)) ** 2
    magnitudes: Spectrum = np.sqrt(power @ _THIRD_OCTAVES).T
    return magnitudes


def _third_octaves() -> Spectrum:
    """[bins, bands]: which bin of a spectrum belongs to which band."""
    centres = _LOWEST_HZ * 2 ** (np.arange(_BANDS) / 3)
    resolution = RATE_HZ / _FFT
    low = np.round(centres * 2 ** (-1 / 6) / resolution)
    high = np.round(centres * 2 ** (1 / 6) / resolution)
    bins = np.arange(_FFT // 2 + 1)[:, np.newaxis]
    return ((bins >= low) & (bins < high)).astype(np.float64)


def _correlation(x: Spectrum, y: Spectrum) -> Spectrum:
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    correlation: Spectrum = np.sum(x * y, axis=-1) / np.maximum(_norm(x) * _norm(y), _SMALLEST)[..., 0]
    return correlation


def _norm(x: Spectrum) -> Spectrum:
    norm: Spectrum = np.linalg.norm(x, axis=-1, keepdims=True)
    return norm


_THIRD_OCTAVES = _third_octaves()
