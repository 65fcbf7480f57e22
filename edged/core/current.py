"""The announcement in work: what is done to it, and what has been measured of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from edged.core.events import (
    AddText,
    CancelSynth,
    Command,
    Now,
    PausePlay,
    ResumePlay,
    StopPlay,
    Tell,
)
from edged.core.outcome import FINISHED, Ending, part_missing
from edged.core.waiting import Waiting
from edged.protocol.result import Result, Stage


@dataclass(slots=True)
class Current:
    """The announcement in work and what has been measured of it."""

    waiting: Waiting
    started_s: float
    is_synthesising: bool = True
    is_paused: bool = False
    voice: str | None = None
    cache: Literal["hit", "miss"] | None = None
    warnings: tuple[str, ...] = ()
    first_audio_s: float | None = None
    synth_ms: float | None = None
    synth_audio_ms: float | None = None
    heard_ms: float | None = None
    xruns: int = 0
    ending: Ending | None = None  # decided, and published as soon as the device is silent

    @property
    def id(self) -> str:
        """The announcement's id."""
        return self.waiting.id

    @property
    def stage(self) -> Stage:
        """What is told of it."""
        if self.is_paused:
            return Stage.PAUSED
        return Stage.SYNTHESISING if self.first_audio_s is None else Stage.SPEAKING

    @property
    def completion(self) -> Ending:
        """The ending when its last sample has left the device."""
        missing = self.waiting.parts.missing if self.waiting.parts else None
        return FINISHED if missing is None else part_missing(missing)

    def pause(self) -> list[Command]:
        """Hold it, unless it is held or being stopped already."""
        if self.is_paused or self.ending is not None:
            return []
        self.is_paused = True
        return [PausePlay(self.id), Tell(self.id, self.stage)]

    def resume(self) -> list[Command]:
        """Let it go on, if it is held."""
        if not self.is_paused or self.ending is not None:
            return []
        self.is_paused = False
        return [ResumePlay(self.id), Tell(self.id, self.stage)]

    def stop(self, ending: Ending) -> list[Command]:
        """Silence it; its result follows when the device is silent. The first ending counts."""
        if self.ending is not None:
            return []
        self.ending = ending
        stop_play = StopPlay(self.id)
        return [CancelSynth(self.id), stop_play] if self.is_synthesising else [stop_play]

    def add_text(self) -> list[Command]:
        """Pass on the parts whose turn has come."""
        parts = self.waiting.parts
        if parts is None or not self._can_be_added_to:
            return []
        texts = parts.take()
        is_whole = not parts.is_open
        return [AddText(self.id, text, is_whole and n == len(texts)) for n, text in enumerate(texts, 1)]

    def give_up_parts(self, now_s: float, timeout_s: float) -> list[Command]:
        """Wait no longer than that for the next part: what came is all, and is spoken to its end."""
        parts = self.waiting.parts
        if parts is None or not parts.is_overdue(now_s, timeout_s):
            return []
        parts.give_up()
        return [AddText(self.id, "", is_last=True)] if self._can_be_added_to else []

    def begins_to_sound(self, at_monotonic_s: float) -> list[Command]:
        """Its first sample is at the device."""
        if self.first_audio_s is not None:
            return []
        self.first_audio_s = at_monotonic_s
        return [] if self.is_paused or self.ending is not None else [Tell(self.id, self.stage)]

    def result(self, ending: Ending, device: str, now: Now) -> Result:
        """What is published; what was not measured is None."""
        return Result(
            id=self.id,
            status=ending.status,
            code=ending.code,
            reason=ending.reason,
            queued_ms=_ms_between(self.waiting.since_s, self.started_s),
            synth_ms=_rounded(self.synth_ms),
            first_audio_ms=_ms_between(self.waiting.since_s, self.first_audio_s),
            audio_ms=_rounded(self.heard_ms),
            rtf=self._real_time_factor(),
            cache=self.cache,
            voice=self.voice,
            xruns=self.xruns,
            warnings=(*self.waiting.accepted.warnings, *self.warnings),
            device=device,
            ts=now.wall_s,
        )

    @property
    def _can_be_added_to(self) -> bool:
        return self.is_synthesising and self.ending is None

    def _real_time_factor(self) -> float | None:
        if not self.synth_audio_ms or self.synth_ms is None:
            return None
        return round(self.synth_ms / self.synth_audio_ms, 3)


def _ms_between(begin_s: float, end_s: float | None) -> int | None:
    return None if end_s is None else max(0, round((end_s - begin_s) * 1000))


def _rounded(value_ms: float | None) -> int | None:
    return None if value_ms is None else round(value_ms)
