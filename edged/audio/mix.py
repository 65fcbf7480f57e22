"""Tones around speech and under it, while the speech is still being made.

A tone under speech is ducked: before the first word it has come down by `DUCK_DB`, and it stays there, so
that every word is as clear as without it. The samples of the speech are never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from edged.audio.fade import fade_out, rise

Samples = NDArray[np.float32]

# The speech transmission index counts speech 15 dB above a noise as undisturbed; the quiet sounds of a word
# lie some dB below its loudness.
DUCK_DB = -20.0
DUCK_MS = 250  # how long the tone takes to come down: heard as a hand on the fader, not as a cut
FADE_MS = 500  # how long it takes to end after the last word, if it has not ended by then
_BLOCK_S = 1  # no longer than what a stop may have to wait for

_NOTHING: Samples = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """What is heard around the speech; frames and samples [n] are of its rate.

    Silence of `lead_in_frames`, then `opening`. The speech begins `speech_at` frames after the opening
    did: where that is before the opening's end, the rest of it is heard under the speech. After the speech
    a silence of `gap_end_frames`, then `closing`.
    """

    rate_hz: int
    lead_in_frames: int = 0
    opening: Samples = field(default_factory=_NOTHING.copy)
    speech_at: int = 0
    gap_end_frames: int = 0
    closing: Samples = field(default_factory=_NOTHING.copy)

    def __post_init__(self) -> None:
        if min(self.lead_in_frames, self.speech_at, self.gap_end_frames) < 0:
            raise ValueError("nothing is heard before the beginning")

    @property
    def goes_under(self) -> bool:
        """The opening has not ended where the speech begins."""
        return self.speech_at < len(self.opening)


def arrange(speech: Iterable[Samples], around: Arrangement) -> Iterator[Samples]:
    """All of the announcement, mono, in blocks; takes speech only when it is needed.

    What goes on under the speech does not begin before the first of it is there: it would have to wait in
    the middle of a tone.
    """
    words = iter(speech)
    if around.goes_under:
        words = chain([next(words, _NOTHING)], words)
    bed = _Bed(around)
    yield from _blocks(_silence(around.lead_in_frames), around.rate_hz)
    yield from _blocks(bed.alone(), around.rate_hz)
    for samples in words:
        yield bed.under(samples)
    yield from _blocks(bed.rest(), around.rate_hz)
    yield from _blocks(_silence(around.gap_end_frames), around.rate_hz)
    yield from _blocks(around.closing, around.rate_hz)


class _Bed:
    """The opening, which may go on under the speech."""

    def __init__(self, around: Arrangement) -> None:
        self._at = around.speech_at
        self._fade_frames = around.rate_hz * FADE_MS // 1000
        gains = _ducking(len(around.opening), around.speech_at, around.rate_hz * DUCK_MS // 1000)
        self._opening = around.opening * gains

    def alone(self) -> Samples:
        """What is heard before the speech, silence at its end included."""
        return _padded(self._opening[: self._at], self._at)

    def under(self, speech: Samples) -> Samples:
        """The next samples of the speech, with what is heard under them."""
        heard = _padded(self._opening[self._at : self._at + len(speech)], len(speech))
        self._at += len(speech)
        return speech + heard

    def rest(self) -> Samples:
        """The end of a tone that is longer than the speech."""
        return fade_out(self._opening[self._at : self._at + self._fade_frames])


def _ducking(length: int, speech_at: int, attack: int) -> Samples:
    """Gains [length]: 1, then down over `attack` frames, and all the way down from `speech_at` on."""
    gains_db = np.zeros(length, np.float32)
    if speech_at < length:
        start = max(speech_at - attack, 0)
        gains_db[start:speech_at] = DUCK_DB * rise(attack)[start - speech_at + attack :]
        gains_db[speech_at:] = DUCK_DB
    return np.power(10, gains_db / 20, dtype=np.float32)


def _silence(frames: int) -> Samples:
    return np.zeros(frames, np.float32)


def _padded(samples: Samples, length: int) -> Samples:
    """`length` samples, silence at their end; `samples` are no more."""
    return np.concatenate((samples, _silence(length - len(samples))))


def _blocks(samples: Samples, rate_hz: int) -> Iterator[Samples]:
    step = rate_hz * _BLOCK_S
    return (samples[at : at + step] for at in range(0, len(samples), step))
