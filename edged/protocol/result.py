"""What became of a request: the one terminal result, and the stage of one that still runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from edged.protocol.payload import Payload


class Status(StrEnum):
    """How a request ended. `finished`: its last sample has left the device."""

    FINISHED = "finished"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    EXPIRED = "expired"
    REJECTED = "rejected"
    FAILED = "failed"
    MUTED = "muted"


class Code(StrEnum):
    """Why it did not finish; stable, for programs (`reason` is for people)."""

    BAD_JSON = "bad_json"
    BAD_UTF8 = "bad_utf8"
    BAD_FIELD = "bad_field"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    UNKNOWN_VOICE = "unknown_voice"
    QUEUE_FULL = "queue_full"
    RETAINED = "retained"
    EXPIRED = "expired"
    RATE_LIMITED = "rate_limited"
    OVER_BUDGET = "over_budget"
    ID_REUSE = "id_reuse"
    AUDIO_UNAVAILABLE = "audio_unavailable"
    AUDIO_LOST = "audio_lost"
    MODEL_UNAVAILABLE = "model_unavailable"
    ENGINE_CRASHED = "engine_crashed"
    RUNAWAY = "runaway"
    INTERRUPTED_BY_RESTART = "interrupted_by_restart"
    BUSY = "busy"
    REPLACED = "replaced"
    OVERHEATED = "overheated"


class Stage(StrEnum):
    """Where a request is that has no result yet. `accepted`: it is on the disk."""

    ACCEPTED = "accepted"
    QUEUED = "queued"
    SYNTHESISING = "synthesising"
    SPEAKING = "speaking"
    PAUSED = "paused"


class Result(Payload):
    """The terminal result. Figures that were never measured are null.

    `queued_ms` accepted -> handed to synthesis; `synth_ms` time spent synthesising; `first_audio_ms`
    accepted -> first sample at the device; `audio_ms` length of the speech; `rtf` synth_ms / audio_ms;
    `ts` wall clock, seconds since 1970.
    """

    id: str
    status: Status
    code: Code | None = None
    reason: str = ""
    queued_ms: int | None = None
    synth_ms: int | None = None
    first_audio_ms: int | None = None
    audio_ms: int | None = None
    rtf: float | None = None
    cache: Literal["hit", "miss"] | None = None
    voice: str | None = None
    xruns: int = 0
    warnings: tuple[str, ...] = ()
    device: str
    ts: float


class Progress(Payload):
    """The stage a request has reached: not a result, it has no `status`.

    On `.../event` as it happens, on the Response Topic for `ack: accepted`, and as the answer to a
    duplicate whose first request still runs.
    """

    id: str
    stage: Stage
    device: str
    ts: float


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """Where else the result goes: the sender's Response Topic and Correlation Data."""

    topic: str
    correlation: bytes | None = None
