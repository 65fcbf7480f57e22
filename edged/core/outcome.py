"""How announcements end: status, code and reason of every result that the scheduler decides on."""

from __future__ import annotations

from dataclasses import dataclass

from edged.core.events import WorkerName
from edged.protocol.result import Code, Status

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
BUSY = Ending(Status.REJECTED, Code.BUSY, "something else is spoken or waits")
MUTED = Ending(Status.MUTED, reason="the device is muted, or the hours are quiet")
SHUT_DOWN = Ending(Status.FAILED, Code.INTERRUPTED_BY_RESTART, "edged was stopped")


def failed(worker: WorkerName, code: str, reason: str) -> Ending:
    """The ending for a worker's error code; one that is not part of the protocol becomes the worker's own."""
    if code not in set(Code):
        return Ending(Status.FAILED, _WORKER_CODES[worker], reason)
    known = Code(code)
    return Ending(Status.REJECTED if known in _REFUSALS else Status.FAILED, known, reason)


def part_missing(part: int) -> Ending:
    """The ending of an announcement whose text did not come to its end; what came is spoken."""
    return Ending(Status.FAILED, Code.EXPIRED, f"part {part} did not come")


def queue_full(max_waiting: int) -> Ending:
    """The ending of an announcement for which there is no room."""
    return Ending(Status.REJECTED, Code.QUEUE_FULL, f"{max_waiting} announcements wait already")


def too_long(chars: int, max_text_chars: int) -> Ending:
    """The ending of an announcement whose parts together are longer than allowed."""
    reason = f"{chars} characters; this device takes {max_text_chars}"
    return Ending(Status.REJECTED, Code.TOO_LONG, reason)
