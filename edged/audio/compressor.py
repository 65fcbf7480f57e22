"""Makes loud sounds less loud and so, at the same loudness, the weak ones stronger: the consonants."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from edged.audio.presets import Compression

Samples = NDArray[np.float32]

_HOPS_PER_S = 1000  # the gain is computed once a millisecond: finer than any attack, and cheap
# quieter than this is a pause: the gain waits for the next word, or that would begin too loud
_PAUSE_LU = -40.0
_SILENCE = 1e-20  # -200 dB, the level of zeros


class Compressor:
    """Feeds the level of a mono stream forward to its gain; no latency.

    Samples [n] in, as many out, the same however the stream is cut into chunks. It begins as in the middle
    of the programme, whose loudness it is told: its first word is no louder than the others.

    The level is the mean square of a millisecond. The gain that follows from it is reached one millisecond
    later, in a straight line: a hop needs nothing that comes after its first sample.
    """

    def __init__(self, compression: Compression, rate_hz: int, programme_db: float) -> None:
        self._compression = compression
        self._programme_db = programme_db
        self._hop_frames = max(1, round(rate_hz / _HOPS_PER_S))
        self._attack = self._share(compression.attack_ms, rate_hz)
        self._release = self._share(compression.release_ms, rate_hz)
        self._gain_db = -compression.reduction_db(0.0)
        self._ramp = [_amplitude(self._gain_db)] * 2  # gain at the beginning and at the end of this hop
        self._squares = np.zeros(0)  # of this hop so far

    def _share(self, time_ms: float, rate_hz: int) -> float:
        """Of a change, what is made in one hop."""
        return 1 - math.exp(-self._hop_frames / rate_hz * 1000 / time_ms)

    def feed(self, samples: Samples) -> Samples:
        """The next samples [n] in, as many out."""
        begun = len(self._squares)
        squares = np.concatenate((self._squares, np.square(samples, dtype=np.float64)))
        whole = len(squares) // self._hop_frames * self._hop_frames
        self._squares = squares[whole:]
        ramp = self._ramp + self._gains(squares[:whole].reshape(-1, self._hop_frames).mean(axis=1))
        self._ramp = ramp[-2:]
        hops = np.arange(begun, len(squares)) / self._hop_frames
        amplified: Samples = samples * np.interp(hops, np.arange(len(ramp)), ramp).astype(np.float32)
        return amplified

    def _gains(self, powers: NDArray[np.float64]) -> list[float]:
        """The gain after each hop."""
        levels_lu = 10 * np.log10(np.maximum(powers, _SILENCE)) - self._programme_db
        gains = []
        for level_lu in levels_lu.tolist():
            if level_lu > _PAUSE_LU:
                change_db = -self._compression.reduction_db(level_lu) - self._gain_db
                self._gain_db += change_db * (self._attack if change_db < 0 else self._release)
            gains.append(_amplitude(self._gain_db))
        return gains


def _amplitude(gain_db: float) -> float:
    return float(10 ** (gain_db / 20))
