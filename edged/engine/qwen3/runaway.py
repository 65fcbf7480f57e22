"""Tells speech from a generation that has lost its text, from text length, codes and samples alone.

About one generation in 300 does not end by itself, and some end before the last words. A sentence may take
between `Limits.fewest` and `Limits.most` frames, both far outside of what anybody speaks, and inside of that
it may neither fall silent nor go in circles for long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from edged.engine.base import Samples
from edged.engine.qwen3.generate import Codes
from edged.errors import RunawayError

_SPELLED = re.compile(r"\b[A-Z]\b")
_LATIN = re.compile(r"[A-Za-z]")
_PAUSE = re.compile(r"[,.!?，。！？、]")
_QUIET = re.compile(r"[\s\-']")

# frames (80 ms) a unit takes at most and at least. A Han syllable takes 0.2 s at an ordinary pace, a letter
# of an English word 0.07 s, a spelled letter 0.35 s; a slow speaker told to speak slowly takes twice that.
_MOST_HAN, _MOST_LETTER, _MOST_SPELLED, _MOST_PAUSE = 6.0, 2.0, 10.0, 10.0
_FEWEST_HAN, _FEWEST_LETTER = 1.0, 0.3
MARGIN_FRAMES = 25  # 2 s of breath, onset and decay, however short the text

_SILENCE_FRAMES = 25  # 2 s: no pause within a sentence is that long
_SILENCE_POWER = 10 ** (-60 / 10)  # -60 dBFS: below the noise of any recorded voice
_CIRCLING_FRAMES = 38  # 3 s of the same one to twelve codes again and again
_LONGEST_CIRCLE_FRAMES = 12


class Fault(StrEnum):
    """Why a generation is not the speech that was asked for."""

    TOO_LONG = "it did not end where the text must have been spoken"
    TOO_SHORT = "it ended before the text can have been spoken"
    SILENT = "it fell silent for 2 s"
    CIRCLING = "it repeated the same sound for 3 s"


@dataclass(frozen=True, slots=True)
class Limits:
    """How many frames a text can take."""

    fewest: int
    most: int

    @classmethod
    def of_text(cls, spoken: str) -> Limits:
        """The limits of a sentence in spoken form."""
        spelled = len(_SPELLED.findall(spoken))
        letters = len(_LATIN.findall(spoken)) - spelled
        pauses = len(_PAUSE.findall(spoken))
        others = len(spoken) - spelled - letters - pauses - len(_QUIET.findall(spoken))
        most = others * _MOST_HAN + letters * _MOST_LETTER + spelled * _MOST_SPELLED + pauses * _MOST_PAUSE
        fewest = (others + spelled) * _FEWEST_HAN + letters * _FEWEST_LETTER
        return cls(int(fewest), int(most) + MARGIN_FRAMES)


@dataclass(slots=True)
class Guard:
    """Watches one generation and raises RunawayError as soon as it is none of the text."""

    limits: Limits
    frames_heard: int = 0
    _codes0: list[int] = field(default_factory=list)
    _silent_frames: int = 0

    def watch(self, frames: Iterator[Codes]) -> Iterator[Codes]:
        """The frames as they come, up to the first that is too many, and not fewer than there must be."""
        for codes in frames:
            self._codes0.append(int(codes[0]))
            if len(self._codes0) > self.limits.most:
                raise _runaway(Fault.TOO_LONG)
            if is_circling(self._codes0[-_CIRCLING_FRAMES:]):
                raise _runaway(Fault.CIRCLING)
            yield codes
        if len(self._codes0) < self.limits.fewest:
            raise _runaway(Fault.TOO_SHORT)

    def hear(self, samples: Samples, frames: int) -> None:
        """Take note of the samples that so many frames became."""
        # a chunk that speaks in one of its frames is not silent
        loudest = max(float(np.mean(part**2)) for part in np.array_split(samples, frames))
        self._silent_frames = self._silent_frames + frames if loudest < _SILENCE_POWER else 0
        if self._silent_frames >= _SILENCE_FRAMES:
            raise _runaway(Fault.SILENT)
        self.frames_heard += frames


def is_circling(codes0: list[int]) -> bool:
    """Whether 3 s of codes are one circle of at most 12 codes, gone round and round."""
    if len(codes0) < _CIRCLING_FRAMES:
        return False
    return any(codes0[period:] == codes0[:-period] for period in range(1, _LONGEST_CIRCLE_FRAMES + 1))


def _runaway(fault: Fault) -> RunawayError:
    return RunawayError(f"speech was given up: {fault}", "say it again with another seed, or other words")
