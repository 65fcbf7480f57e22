"""The tones a request asks for -> what is heard around its speech."""

from __future__ import annotations

import numpy as np

from edged.audio.chime import CHIMES, NONE, UNDER
from edged.audio.fade import fade_out, rise
from edged.audio.mix import Arrangement
from edged.engine.base import Samples
from edged.errors import BadInputError
from edged.workers.clips import Clips
from edged.workers.messages import Speak

GAP_MS = 250  # the last of a chime dies away in the room before the first word; longer sounds like two things
UNDER_MS = 800  # a stroke is recognised, then the words begin
_LONGEST_S = 60  # 6 MB at 24 kHz: it is kept as a whole
_EDGE_MS = 5  # recordings may begin and end anywhere; no click


def set_tones(
    speak: Speak, default_chime: str, clips: Clips, rate_hz: int
) -> tuple[Arrangement, tuple[str, ...]]:
    """The arrangement of `speak` at `rate_hz`, and a warning for each tone that cannot be played.

    Speech is never left out for the sake of a tone. `default_chime` is for who asks for none in particular.
    """
    chime = default_chime if speak.chime is None else speak.chime
    name = chime.removeprefix(UNDER)
    warnings: dict[str, None] = {}
    opening = _sound(name, clips, rate_hz, warnings)
    closing = _sound(speak.chime_end, clips, rate_hz, warnings)
    gap = _frames(GAP_MS if speak.gap_ms is None else speak.gap_ms, rate_hz)
    if chime == name:
        speech_at = len(opening) + gap
    else:
        speech_at = _frames(UNDER_MS, rate_hz) if speak.gap_ms is None else gap
    around = Arrangement(
        rate_hz,
        lead_in_frames=_frames(speak.lead_in_ms, rate_hz),
        opening=opening,
        speech_at=speech_at if len(opening) else 0,
        gap_end_frames=gap if len(closing) else 0,
        closing=closing,
    )
    return around, tuple(warnings)


def _sound(name: str, clips: Clips, rate_hz: int, warnings: dict[str, None]) -> Samples:
    nothing: Samples = np.zeros(0, np.float32)
    if name == NONE:
        return nothing
    try:
        sound = _whole(name, clips, rate_hz)
    except BadInputError as error:
        warnings[f"clip_skipped: {name}: {error.what}"] = None
        return nothing
    return sound if name in CHIMES else _with_edges(sound, rate_hz)


def _whole(name: str, clips: Clips, rate_hz: int) -> Samples:
    blocks: list[Samples] = []
    for block in clips.samples(name, rate_hz):
        blocks.append(block)
        if sum(map(len, blocks)) > _LONGEST_S * rate_hz:
            raise BadInputError(f"longer than {_LONGEST_S} s, the limit for a chime")
    return np.concatenate(blocks)


def _with_edges(sound: Samples, rate_hz: int) -> Samples:
    edge = min(_frames(_EDGE_MS, rate_hz), len(sound) // 2)
    sound[:edge] *= rise(edge)
    sound[len(sound) - edge :] = fade_out(sound[len(sound) - edge :])
    return sound


def _frames(ms: float, rate_hz: int) -> int:
    return round(ms * rate_hz / 1000)
