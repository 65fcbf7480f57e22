"""How announcements end, and what was measured of them: the makings of a result."""

from __future__ import annotations

from dataclasses import dataclass

from edged.core.events import Now, WorkerName
from edged.core.waiting import Waiting
from edged.protocol.result import Code, Result, Status

# The request's own fault, not the worker's.
_REFUSALS = {Code.BAD_FIELD, Code.EMPTY, Code.TOO_LONG, Code.UNKNOWN_VOICE, Code.OVER_BUDGET}
_WORKER_CODES: dict[WorkerName, Code] = {"synth": Code.ENGINE_CRASHED, "player": Code.AUDIO_LOST}


@dataclass(frozen=True, slots=True)
class Ending:
    """Status, code and reason of a result."""

    status: Status
    code: Code | None = None
    reason: str = ""


FINISHED = Ending(Status.FINISHED)
CANCELLED = Ending(Status.CANCELLED)
EXPIRED = Ending(Status.EXPIRED, Code.EXPIRED, "its time was over before its turn came")
OVERHEATED = Ending(Status.REJECTED, Code.OVERHEATED, "too hot: only high and emergency are spoken")
SHUT_DOWN = Ending(Status.FAILED, Code.INTERRUPTED_BY_RESTART, "edged was stopped")


def failed(worker: WorkerName, code: str, reason: str) -> Ending:
    """The ending for a worker's error code; one that is not part of the protocol becomes the worker's own."""
    if code not in set(Code):
        return Ending(Status.FAILED, _WORKER_CODES[worker], reason)
    known = Code(code)
    return Ending(Status.REJECTED if known in _REFUSALS else Status.FAILED, known, reason)


@dataclass(slots=True)
class Current:
    """The announcement in work and what has been measured of it."""

    waiting: Waiting
    started_s: float
    is_synthesising: bool = True
    voice: str | None = None
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
            voice=self.voice,
            xruns=self.xruns,
            warnings=(*self.waiting.accepted.warnings, *self.warnings),
            device=device,
            ts=now.wall_s,
        )

    def _real_time_factor(self) -> float | None:
        if not self.synth_audio_ms or self.synth_ms is None:
            return None
        return round(self.synth_ms / self.synth_audio_ms, 3)


def _ms_between(begin_s: float, end_s: float | None) -> int | None:
    return None if end_s is None else max(0, round((end_s - begin_s) * 1000))


def _rounded(value_ms: float | None) -> int | None:
    return None if value_ms is None else round(value_ms)
