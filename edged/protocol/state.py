"""The retained payloads by which a device is known on the broker: state, health, info."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from edged.protocol.payload import Payload

PROTOCOL_VERSION = 1


class DeviceState(StrEnum):
    """`warming`: accepts, speaks soon; `degraded`: works with a fault, `reason` says which."""

    ONLINE = "online"
    WARMING = "warming"
    DEGRADED = "degraded"
    STOPPING = "stopping"
    OFFLINE = "offline"


class State(Payload):
    """Is it there, and what is it doing; `since` is wall clock, `id` the announcement being spoken."""

    state: DeviceState
    reason: str = ""
    since: float | None = None
    version: str
    id: str | None = None
    queue: int = 0


class MqttCounters(Payload):
    """Since the start of the process; `dropped`: publishes that did not fit into the outgoing queue."""

    connects: int = 0
    received: int = 0
    published: int = 0
    dropped: int = 0
    stale_acks: int = 0


class Health(Payload):
    """How it is doing; `ts` is wall clock, `rtf` that of the last announcement, `load` over one minute."""

    ts: float
    load: float
    rss_mb: dict[str, float]
    temperature_c: float | None
    thermal: Literal["nominal", "warm", "hot", "critical"]
    throttled: int | None = None
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
    isa: str = ""
    audio_device: str | None = None
    limits: AnnouncedLimits
