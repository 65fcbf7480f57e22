"""Silence in speech: where it is, and the speech with less of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edged.audio.fade import rise

Samples = NDArray[np.float32]

_FRAME_MS = 5
# Below the loudest 5 ms: the softest sound of speech, an f, lies some 35 dB below its loudest vowel.
_SILENT_BELOW_DB = -45.0
_GUARD_MS = 20  # of silence belongs to a sound: its soft beginning, its decay
_PAUSE_MS = 60  # what is left of a pause at least: with the guards 100 ms, a comma spoken fast
_CROSSFADE_MS = 5


@dataclass(frozen=True, slots=True)
class Slack:
    """Frames [start, stop) of silence that may be left out."""

    start: int
    stop: int

    @property
    def frames(self) -> int:
        """How many."""
        return self.stop - self.start


def slack(speech: Samples, rate_hz: int) -> list[Slack]:
    """The silence before, after and within `speech` [n] that is not needed to tell its sounds apart."""
    is_loud = _loud_frames(speech, rate_hz)
    edges = np.flatnonzero(np.diff(np.pad(~is_loud, 1).astype(np.int8)))
    frame, guard, pause = (rate_hz * ms // 1000 for ms in (_FRAME_MS, _GUARD_MS, _PAUSE_MS))
    found = []
    for start, stop in zip(edges[::2] * frame, edges[1::2] * frame, strict=True):
        is_first, is_last = start == 0, stop >= len(speech)
        kept = 0 if is_first or is_last else pause
        begin = int(start) + (0 if is_first else guard)
        end = (len(speech) if is_last else int(stop) - guard) - kept
        if begin < end:
            found.append(Slack(begin, end))
    return found


def without(speech: Samples, slacks: Iterable[Slack], share: float, rate_hz: int) -> Samples:
    """The speech, less this share of each of the slacks, 0 to 1; where it was cut it goes on smoothly."""
    ramp = rise(rate_hz * _CROSSFADE_MS // 1000)
    kept = []
    at = 0
    for piece in slacks:
        cut = piece.start + math.ceil(piece.frames * share)
        kept.append(speech[at : piece.start])
        fade = min(len(ramp), cut - piece.start, len(speech) - cut) if piece.start else 0
        falling = speech[piece.start : piece.start + fade] * ramp[::-1][:fade]
        kept.append(falling + speech[cut : cut + fade] * ramp[:fade])
        at = cut + fade
    return np.concatenate((*kept, speech[at:]))


def _loud_frames(speech: Samples, rate_hz: int) -> NDArray[np.bool_]:
    """Which 5 ms hold sound, [ceil(n / 5 ms)]."""
    frame = rate_hz * _FRAME_MS // 1000
    padded = np.pad(speech, (0, -len(speech) % frame)).reshape(-1, frame)
    powers = np.mean(np.square(padded, dtype=np.float64), axis=1)
    loudest = float(powers.max(initial=0.0))
    is_loud: NDArray[np.bool_] = powers > loudest * 10 ** (_SILENT_BELOW_DB / 10)
    return is_loud
