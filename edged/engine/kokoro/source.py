"""Excitation and waveform of Kokoro's generator, on numpy: what is cheap outside the network.

The generator is a filter: it gets the short-time spectrum of a sum of nine harmonics of the pitch and
returns the short-time spectrum of speech. Windows of 20 samples, 5 apart, at 24 kHz.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

SAMPLE_RATE_HZ = 24_000
WINDOW, HOP = 20, 5
SPECTRUM_BINS = WINDOW // 2 + 1
SAMPLES_PER_PITCH_FRAME = 300  # 12.5 ms
_SINE_AMPLITUDE = 0.1
_VOICED_ABOVE_HZ = 10.0


@dataclass(frozen=True, slots=True)
class HarmonicMix:
    """How the model mixes the nine harmonics into one signal: weights [9] and a bias."""

    weights: FloatArray
    bias: float

    @classmethod
    def load(cls, path: Path) -> HarmonicMix:
        """Read what `save` wrote."""
        values = np.load(path)
        return cls(values[:-1], float(values[-1]))

    def save(self, path: Path) -> None:
        """Write weights and bias as one float32 array."""
        np.save(path, np.append(self.weights, np.float32(self.bias)).astype(np.float32))


def excitation(pitch_hz: FloatArray, mix: HarmonicMix) -> FloatArray:
    """Pitch per 12.5 ms frame [n] -> magnitude and phase of the excitation, [22, 60n + 1]."""
    return _analyse(_harmonic_signal(pitch_hz.astype(np.float64), mix))


def _harmonic_signal(pitch_hz: NDArray[np.float64], mix: HarmonicMix) -> FloatArray:
    """The mixed harmonics, [300n] samples; between frame centres the phase runs linearly."""
    turns = np.cumsum(pitch_hz / SAMPLE_RATE_HZ) * SAMPLES_PER_PITCH_FRAME
    offsets = (np.arange(SAMPLES_PER_PITCH_FRAME) + 0.5) / SAMPLES_PER_PITCH_FRAME - 0.5
    places = (np.arange(len(pitch_hz))[:, None] + offsets).ravel()
    phase = np.interp(places, np.arange(len(pitch_hz)), turns)
    angle = (2 * np.pi) * (phase % 1).astype(np.float32)
    twice_cosine = 2 * np.cos(angle)
    lower, harmonic = np.zeros_like(angle), np.sin(angle)
    mixed = mix.weights[0] * harmonic
    for weight in mix.weights[1:]:  # sin((k + 1) a) = 2 cos(a) sin(k a) - sin((k - 1) a)
        lower, harmonic = harmonic, twice_cosine * harmonic - lower
        mixed += weight * harmonic
    mixed *= _SINE_AMPLITUDE * np.repeat(pitch_hz > _VOICED_ABOVE_HZ, SAMPLES_PER_PITCH_FRAME)
    signal: FloatArray = np.tanh(mixed + np.float32(mix.bias)).astype(np.float32)
    return signal


@lru_cache(maxsize=1)
def _bases() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Hann window [20], forward basis [20, 22] (real, then imaginary) and inverse basis [22, 20]."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    angle = 2 * np.pi * np.outer(np.arange(WINDOW), np.arange(SPECTRUM_BINS)) / WINDOW
    forward = np.concatenate([np.cos(angle), -np.sin(angle)], axis=1) * window[:, None]
    fold = np.full(SPECTRUM_BINS, 2.0)
    fold[[0, -1]] = 1.0  # the two real bins have no mirror image
    inverse = np.concatenate([fold * np.cos(angle), -fold * np.sin(angle)], axis=1).T / WINDOW * window
    return window.astype(np.float32), forward.astype(np.float32), inverse.astype(np.float32)


def _analyse(signal: FloatArray) -> FloatArray:
    """Signal [5m] -> magnitude and phase [22, m + 1], mirrored at both ends."""
    _, forward, _ = _bases()
    padded = np.pad(signal, WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    spectrum = (frames @ forward).T
    real, imaginary = spectrum[:SPECTRUM_BINS], spectrum[SPECTRUM_BINS:]
    return np.concatenate([np.hypot(real, imaginary), np.arctan2(imaginary, real)])


def waveform(spectrum: FloatArray) -> FloatArray:
    """The network's output [22, m + 1] (log magnitude, sine of phase) -> samples [5m]."""
    window, _, inverse = _bases()
    magnitude = np.exp(spectrum[:SPECTRUM_BINS])
    phase = np.sin(spectrum[SPECTRUM_BINS:])
    parts = np.concatenate([magnitude * np.cos(phase), magnitude * np.sin(phase)])
    frames = parts.T @ inverse  # [m + 1, 20]
    count = len(frames)
    blocks = np.zeros((count + WINDOW // HOP - 1, HOP), np.float32)
    weight = np.zeros_like(blocks)
    for part in range(WINDOW // HOP):
        blocks[part : part + count] += frames[:, part * HOP : (part + 1) * HOP]
        weight[part : part + count] += window[part * HOP : (part + 1) * HOP] ** 2
    edge = WINDOW // 2
    return (blocks.ravel()[edge:-edge] / weight.ravel()[edge:-edge]).astype(np.float32)
