"""An announcement made to fit into the time there is for it, changed no more than it must be."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from edged.audio.fade import fade_out
from edged.audio.mix import DUCK_MS, FADE_MS, Arrangement
from edged.audio.stretch import stretch
from edged.audio.trim import slack, without
from edged.errors import OverBudgetError

Samples = NDArray[np.float32]

FASTEST = 1.25  # hurried, and every word is still clear
_STRUCK_DB = -12.0  # below its loudest a tone has been struck: what follows only dies away
_GONE_DB = -36.0  # and here nobody hears its end any more in a hall
_FADE_MS = 20
_FRAME_MS = 5


def fit(around: Arrangement, speech: Samples, budget_ms: int) -> tuple[Arrangement, Samples]:
    """The arrangement and the speech [n] such that all of it lasts `budget_ms` at most.

    First silence becomes shorter, then the end of a tone is heard under the speech, which begins no earlier
    than the stroke is over, then the speech is spoken up to 1.25 times as fast. The silence a request has
    before everything is for the loudspeaker, and stays. Raises OverBudgetError.
    """
    budget = around.rate_hz * budget_ms // 1000
    around, speech = _with_less_silence(around, speech, _length(around, speech) - budget)
    around = _with_overlap(around, speech, _length(around, speech) - budget)
    around = _with_shorter_closing(around, _length(around, speech) - budget)
    excess = max(_length(around, speech) - budget, 0)
    spare = len(speech) - math.ceil(len(speech) / FASTEST)
    if excess > spare:
        shortest_ms = math.ceil((budget + excess - spare) * 1000 / around.rate_hz)
        raise OverBudgetError(f"max_duration_ms {budget_ms}: {shortest_ms} ms is the shortest it can be")
    if excess:
        speech = stretch(speech, around.rate_hz, len(speech) / (len(speech) - excess))
    return around, speech


def _length(around: Arrangement, speech: Samples) -> int:
    """Frames of all of it."""
    spoken = around.lead_in_frames + around.speech_at + len(speech)
    return spoken + _heard_after(around, speech) + around.gap_end_frames + len(around.closing)


def _heard_after(around: Arrangement, speech: Samples) -> int:
    """Frames of the opening after the last word."""
    fade = around.rate_hz * FADE_MS // 1000
    return min(max(len(around.opening) - around.speech_at - len(speech), 0), fade)


def _with_less_silence(around: Arrangement, speech: Samples, excess: int) -> tuple[Arrangement, Samples]:
    """Of all silences the same share is left out, as much as is needed."""
    slacks = slack(speech, around.rate_hz)
    gap = max(around.speech_at - len(around.opening), 0)
    total = sum(piece.frames for piece in slacks) + gap + around.gap_end_frames
    if excess <= 0 or not total:
        return around, speech
    share = min(excess / total, 1.0)
    shorter = replace(
        around,
        speech_at=around.speech_at - math.ceil(gap * share),
        gap_end_frames=around.gap_end_frames - math.ceil(around.gap_end_frames * share),
    )
    return shorter, without(speech, slacks, share, around.rate_hz)


def _with_overlap(around: Arrangement, speech: Samples, excess: int) -> Arrangement:
    """The speech begins while the opening dies away, and no tone is heard under it after its last word."""
    if excess <= 0:
        return around
    excess -= _heard_after(around, speech)
    speech_at = max(around.speech_at - max(excess, 0), min(_earliest(around), around.speech_at))
    words_end = speech_at + math.ceil(len(speech) / FASTEST)
    return replace(around, speech_at=speech_at, opening=_cut(around.opening, words_end, around.rate_hz))


def _with_shorter_closing(around: Arrangement, excess: int) -> Arrangement:
    """The closing ends where nobody hears it any more."""
    if excess <= 0:
        return around
    gone = _level_reached(around.closing, _GONE_DB, around.rate_hz)
    closing = _cut(around.closing, max(len(around.closing) - excess, gone), around.rate_hz)
    return replace(around, closing=closing)


def _earliest(around: Arrangement) -> int:
    """Where the first word may begin: the stroke is over, and there was time to duck what follows."""
    ducked = around.rate_hz * DUCK_MS // 1000
    if around.goes_under:
        return ducked
    return min(max(_level_reached(around.opening, _STRUCK_DB, around.rate_hz), ducked), len(around.opening))


def _level_reached(tone: Samples, below_db: float, rate_hz: int) -> int:
    """The frame from which on `tone` stays that far below its loudest."""
    frame = rate_hz * _FRAME_MS // 1000
    peaks = np.abs(np.pad(tone, (0, -len(tone) % frame))).reshape(-1, frame).max(axis=1)
    loud = np.flatnonzero(peaks > peaks.max(initial=0.0) * 10 ** (below_db / 20))
    return min(int(loud[-1] + 1) * frame, len(tone)) if len(loud) else 0


def _cut(tone: Samples, length: int, rate_hz: int) -> Samples:
    """The tone, faded out by `length`."""
    if len(tone) <= length:
        return tone
    fade = min(rate_hz * _FADE_MS // 1000, length)
    return np.concatenate((tone[: length - fade], fade_out(tone[length - fade : length])))
