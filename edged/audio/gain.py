"""Volume in software: what a percentage means, and how it changes without a click."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edged.audio.fade import rise

Samples = NDArray[np.float32]


def amplitude(percent: int) -> float:
    """The gain, 0 to 1, of a perceptual volume of 0 to 100.

    Loudness follows about the cube root of the amplitude, so the cube makes half the percentage sound
    half as loud (-18 dB). Raises ValueError outside 0 to 100: there is nothing above full scale.
    """
    if not 0 <= percent <= 100:
        raise ValueError(f"a volume of {percent} is not within 0 to 100")
    return float((percent / 100) ** 3)


class Gain:
    """Multiplies one stream; a change is spread over `ramp_frames`."""

    def __init__(self, level: float, ramp_frames: int) -> None:
        self._level = np.float32(level)
        self._ramp_frames = ramp_frames
        self._ramp: Samples = np.zeros(0, dtype=np.float32)  # gains on the way to the level

    def change(self, level: float) -> None:
        """From the next sample on move to this level, wherever an earlier change has got to."""
        now = self._ramp[0] if len(self._ramp) else self._level
        self._ramp = now + (level - now) * rise(self._ramp_frames)
        self._level = np.float32(level)

    def apply(self, samples: Samples) -> Samples:
        """The next samples [n] of the stream at their volume."""
        if not len(self._ramp):
            return samples * self._level
        ramp, self._ramp = self._ramp[: len(samples)], self._ramp[len(samples) :]
        gains = np.full(len(samples), self._level, dtype=np.float32)
        gains[: len(ramp)] = ramp
        return samples * gains
