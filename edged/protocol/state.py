"""The retained payloads by which a device is known on the broker: state, health, info."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from edged.protocol.payload import Payload
from edged.protocol.result import Code, Status

PROTOCOL_VERSION = 1


class DeviceState(StrEnum):
    """`warming`: accepts, speaks soon; `degraded`: works with a fault, `reason` says which."""

    ONLINE = "online"
    WARMING = "warming"
    DEGRADED = "degraded"
    STOPPING = "stopping"
    OFFLINE = "offline"


class LastResult(Payload):
    """How the last announcement ended; `ts` is wall clock."""

    id: str
    status: Status
    code: Code | None
    ts: float


class State(Payload):
    """Is it there, and what is it doing; `since` is wall clock, `id` the announcement being spoken.

    `voice` names the default voices, in the order of their languages (zh+en). What is not known, as in the
    last will, is null. No text of an announcement is ever in here: it is retained.
    """

    state: DeviceState
    reason: str = ""
    since: float | None = None
    version: str
    id: str | None = None
    queue: int = 0
    paused: bool = False
    volume: int | None = None
    muted: bool | None = None
    voice: str | None = None
    last: LastResult | None = None


class MqttCounters(Payload):
    """Since the start of the process; `dropped`: publishes that did not fit into the outgoing queue."""

    connects: int = 0
    received: int = 0
    published: int = 0
    dropped: int = 0
    stale_acks: int = 0


class ThrottleCounters(Payload):
    """How often the CPU has slowed itself down for heat since the boot: its worst core, and the package."""

    core: int
    package: int


class Health(Payload):
    """How it is doing; `ts` is wall clock, `rtf` that of the last announcement, `load` over one minute."""

    ts: float
    load: float
    rss_mb: dict[str, float]
    temperature_c: float | None
    thermal: Literal["nominal", "warm", "hot", "critical"]
    throttled: ThrottleCounters | None = None
    queue: int
    rtf: float | None
    xruns: int
    mqtt: MqttCounters


class VoiceEntry(Payload):
    """A voice a request may name."""

    name: str
    langs: tuple[str, ...]
    description: str = ""


class AnnouncedLimits(Payload):
    """What a request must stay within."""

    max_text_chars: int
    max_waiting: int
    max_packet_bytes: int


class Info(Payload):
    """What it is; null where it is not known yet (warming) or not there (no audio device).

    `fallback` says why `engine` is not the configured one; empty when it is.
    """

    protocol: int = PROTOCOL_VERSION
    version: str
    device: str
    engine: str | None = None
    model: str | None = None
    model_sha256: str | None = None
    fallback: str = ""
    voices: tuple[VoiceEntry, ...] = ()
    languages: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    chimes: tuple[str, ...] = ()
    isa: str = ""
    audio_device: str | None = None
    limits: AnnouncedLimits
