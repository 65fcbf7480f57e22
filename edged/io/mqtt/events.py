"""What the MQTT session tells, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from edged.errors import BrokerError
from edged.protocol.result import ReplyTo


@dataclass(frozen=True, slots=True)
class Delivery:
    """One arrival of a message: what `ack` needs, valid within one connection (`generation`)."""

    generation: int
    packet_id: int
    qos: int
    is_redelivery: bool


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it arrived; `expiry_s` is what is left of its MQTT 5 Message Expiry."""

    topic: str
    payload: bytes
    is_retained: bool
    reply_to: ReplyTo | None
    expiry_s: int | None
    delivery: Delivery


@dataclass(frozen=True, slots=True)
class LinkUp:
    """Connected; `is_resumed`: the broker still had our session. Comes before the session's messages."""

    is_resumed: bool


@dataclass(frozen=True, slots=True)
class SubscriptionRefused:
    """Connected, but deaf on these filters (an access list of the broker). Comes before Listening."""

    filters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listening:
    """The broker has taken our subscriptions: what is published from now on reaches us."""


@dataclass(frozen=True, slots=True)
class LinkDown:
    """Not connected, for this reason; told once per reason."""

    error: BrokerError


@dataclass(frozen=True, slots=True)
class SessionShared:
    """Another client takes our session from us again and again; None: not any more."""

    error: BrokerError | None


@dataclass(frozen=True, slots=True)
class Delivered:
    """The broker has taken what was published with this receipt, or never will (it is too large)."""

    receipt: str


MqttEvent = Message | Delivered | LinkUp | SubscriptionRefused | Listening | LinkDown | SessionShared


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes, retained, when we vanish."""

    topic: str
    payload: bytes
