"""What waits to be sent: retained records, results, live stages; and what the broker has not confirmed."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass

from paho.mqtt.client import Client

from edged.io.mqtt.dialect import Dialect

log = logging.getLogger(__name__)

_SEND_WINDOW = 20  # publishes in flight, less if the broker says so; more would not be faster on a LAN
# Results that wait for the broker: those of the longest queue (10 000), stopped at once, each with a Response
# Topic. With 500 B each, 11 MB.
_MAX_OUTGOING = 22_000
_MAX_LIVE = 1000  # stages not yet sent: two seconds of the most that is accepted
_PACKET_OVERHEAD = 64  # fixed header, lengths, packet id, properties other than the correlation data


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One publish; only one with QoS 1 is kept until the broker has it."""

    topic: str
    payload: bytes
    qos: int = 1
    is_retained: bool = False
    expiry_s: int | None = None
    correlation: bytes | None = None
    receipt: str | None = None

    @property
    def size_bytes(self) -> int:
        """Of its packet, at most."""
        return len(self.topic.encode()) + len(self.payload) + len(self.correlation or b"") + _PACKET_OVERHEAD


class Outbox:
    """Filled by any thread (`put`, `put_retained`, `put_live`: atomic), emptied by the network thread."""

    def __init__(self, dialect: Dialect) -> None:
        self.dropped = 0
        self._dialect = dialect
        self._waiting: deque[Outgoing] = deque(maxlen=_MAX_OUTGOING)
        self._live: deque[Outgoing] = deque(maxlen=_MAX_LIVE)
        self._retained: dict[str, bytes] = {}
        self._changed: set[str] = set()  # retained topics the broker does not have yet
        self._in_flight: dict[int, str | None] = {}  # packet id -> receipt
        self._window = _SEND_WINDOW
        self._max_packet_bytes: int | None = None

    # --- any thread ---

    def put(self, outgoing: Outgoing) -> None:
        """The oldest give way when too many wait."""
        if len(self._waiting) == _MAX_OUTGOING:
            self.dropped += 1
        self._waiting.append(outgoing)

    def put_retained(self, topic: str, payload: bytes) -> None:
        """Only the newest of a topic counts."""
        self._retained[topic] = payload
        self._changed.add(topic)

    def put_live(self, outgoing: Outgoing) -> None:
        """Worth sending now or never."""
        self._live.append(outgoing)

    # --- the network thread ---

    def connected(self, receive_maximum: int | None, max_packet_bytes: int | None) -> None:
        """A broker with these limits (None: none) has let us in: it may have lost all that was retained."""
        self._window = min(_SEND_WINDOW, receive_maximum or _SEND_WINDOW)
        self._max_packet_bytes = max_packet_bytes
        self._changed.update(self._retained)
        self._live.clear()

    def confirmed(self, packet_id: int) -> str | None:
        """The broker has it; gives its receipt."""
        return self._in_flight.pop(packet_id, None)

    @property
    def is_empty(self) -> bool:
        """Nothing waits, and the broker has everything."""
        return not (self._changed or self._waiting or self._in_flight)

    def send(self, client: Client) -> list[str]:
        """Hand paho as much as the window allows; gives the receipts of what can never be sent."""
        given_up: list[str] = []
        while self._changed and self._has_room:
            topic = self._changed.pop()
            self._send(client, Outgoing(topic, self._retained[topic], is_retained=True))
        while self._waiting and self._has_room:
            outgoing = self._waiting.popleft()
            if not self._send(client, outgoing) and outgoing.receipt is not None:
                given_up.append(outgoing.receipt)
        # only what the kernel takes at once: paho keeps the rest, without a bound
        while self._live and not client.want_write():
            self._send(client, self._live.popleft())
        return given_up

    @property
    def _has_room(self) -> bool:
        return len(self._in_flight) < self._window

    def _send(self, client: Client, outgoing: Outgoing) -> bool:
        limit = self._max_packet_bytes
        if limit is not None and outgoing.size_bytes > limit:
            self.dropped += 1
            log.error(
                "mqtt: a message on %s is larger than the broker allows (%d bytes)", outgoing.topic, limit
            )
            return False
        info = client.publish(
            outgoing.topic,
            outgoing.payload,
            qos=outgoing.qos,
            retain=outgoing.is_retained,
            properties=self._dialect.publish_properties(outgoing.expiry_s, outgoing.correlation),
        )
        if outgoing.qos > 0:
            self._in_flight[info.mid] = outgoing.receipt
        return True
