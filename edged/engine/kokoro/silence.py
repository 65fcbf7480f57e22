"""Where speech begins and ends, told from the predicted energy, so that silence is never synthesised.

Kokoro speaks 0.3 s of silence before a sentence and up to 1 s after it. The frames network predicts the
energy of every 12.5 ms frame in steps that follow the level of the sound closely (correlation 0.98..0.99):
below -5 there is nothing above -70 dBFS.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

_SILENT_BELOW = -5.0
# 100 ms, the reach of the generator's convolutions: the frames in its middle are as in endless silence
_MARGIN_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Span:
    """Frames [start, stop) worth generating; speech is [speech_start, speech_stop) of the same count."""

    start: int
    stop: int
    speech_start: int
    speech_stop: int
    total: int

    @property
    def frames(self) -> int:
        """Length of the span."""
        return self.stop - self.start

    def weights(self) -> FloatArray:
        """How many frames each frame of the span stands for in the generator's statistics, [frames].

        The generator normalises over the whole utterance. Frames left out were silence, so two frames in the
        middle of the remaining silence stand for them: level and timbre stay as if nothing had been left
        out.
        """
        weights = np.ones(self.frames, np.float32)
        middle = _MARGIN_FRAMES // 2
        if self.start:
            weights[middle - 1 : middle + 1] += self.start / 2
        if self.stop < self.total:
            weights[-middle - 1 : self.frames - middle + 1] += (self.total - self.stop) / 2
        return weights


def speech_span(energy: FloatArray) -> Span:
    """The span of energy [n] that holds all speech and a margin; everything when nothing is above silence."""
    total = len(energy)
    loud = np.flatnonzero(energy > _SILENT_BELOW)
    if not len(loud):
        return Span(0, total, 0, total, total)
    first, last = int(loud[0]), int(loud[-1]) + 1
    return Span(max(first - _MARGIN_FRAMES, 0), min(last + _MARGIN_FRAMES, total), first, last, total)
