"""An MQTT session that only remembers what it was told to do."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

from edged.io.mqtt import Delivery, Message
from edged.protocol.result import ReplyTo


@dataclass
class FakeMqtt:
    """`published`: topic, decoded payload, correlation; `told`: the same of QoS 0; `log`: all in order."""

    published: list[tuple[str, Any, bytes | None]] = field(default_factory=list)
    told: list[tuple[str, Any]] = field(default_factory=list)
    acked: list[int] = field(default_factory=list)
    receipts: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        expiry_s: int | None = None,
        correlation: bytes | None = None,
        receipt: str | None = None,
    ) -> None:
        """As the real one."""
        assert expiry_s, "an answer that nobody fetches must not stay at the broker"
        self.published.append((topic, json.loads(payload), correlation))
        self.receipts += [receipt] if receipt else []
        self.log.append(f"publish {topic}")

    def tell(self, topic: str, payload: bytes, *, correlation: bytes | None = None) -> None:
        """As the real one."""
        self.told.append((topic, json.loads(payload)))
        self.log.append(f"tell {topic}")

    def ack(self, delivery: Delivery) -> None:
        """As the real one."""
        self.acked.append(delivery.packet_id)
        self.log.append(f"ack {delivery.packet_id}")

    def sent_to(self, topic: str) -> list[Any]:
        """What was published there."""
        return [payload for where, payload, _ in self.published if where == topic]


_packet_ids = itertools.count(1)


def message(
    topic: str,
    payload: bytes | str | dict[str, Any] = "",
    *,
    qos: int = 1,
    packet_id: int | None = None,
    is_retained: bool = False,
    is_redelivery: bool = False,
    reply_to: ReplyTo | None = None,
    expiry_s: int | None = None,
) -> Message:
    """A message as the session delivers it, with a packet id of its own unless one is given."""
    if isinstance(payload, dict):
        payload = json.dumps(payload)
    data = payload if isinstance(payload, bytes) else payload.encode()
    packet = (next(_packet_ids) if packet_id is None else packet_id) if qos else 0
    delivery = Delivery(generation=1, packet_id=packet, qos=qos, is_redelivery=is_redelivery)
    return Message(topic, data, is_retained, reply_to, expiry_s, delivery)
