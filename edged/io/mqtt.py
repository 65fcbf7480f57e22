"""The MQTT session: one thread that owns the paho client, everything else by message.

Whatever the broker sends is translated to plain values and handed to `deliver`; what is to be sent is
queued and the thread is woken. So no other thread touches paho, nothing here waits for speech, and a
fault ends a connection, never the thread.
"""

from __future__ import annotations

import contextlib
import logging
import random
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from edged.config.schema import MqttConfig
from edged.errors import BrokerError
from edged.io.broker import (
    broken,
    is_refusal,
    new_client,
    refused,
    send_tcp_ack_at_once,
    set_credentials,
    unreachable,
)
from edged.protocol.result import ReplyTo
from edged.protocol.state import MqttCounters

log = logging.getLogger(__name__)

MAX_PACKET_BYTES = 256 * 1024
# A restart of edged or of the broker takes less than this, and nobody needs to hear of it.
WILL_DELAY_S = 5
_RECEIVE_MAXIMUM = 100  # unacknowledged messages: one group commit's worth
_SEND_WINDOW = 20  # publishes in flight, less if the broker says so; more would not be faster on a LAN
_MAX_OUTGOING = 2000  # results kept while the broker is away; with 500 B each, 1 MB
_TURN_S = 1.0  # the thread shows signs of life at least this often
_STOP_S = 2.0
_FAREWELL_S = 1.0
_BACK_OFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
_STABLE_S = 10.0  # two clients that take one session from each other in turn never get there
_REFUSED_BACK_OFF_S = 30.0  # somebody has to change something first
_WILDCARDS = frozenset("#+\0")


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
class Delivered:
    """The broker has taken what was published with this receipt."""

    receipt: str


MqttEvent = Message | Delivered | LinkUp | SubscriptionRefused | Listening | LinkDown


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes, retained, when we vanish."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class _Outgoing:
    topic: str
    payload: bytes
    is_retained: bool = False
    expiry_s: int | None = None
    correlation: bytes | None = None
    receipt: str | None = None


class MqttClient:
    """Keeps one session with the broker alive, from `start` to `stop`.

    `deliver` is called on the network thread and must only hand over. Each Message with QoS 1 must be
    answered by `ack` once it is safe. Raises ConfigError when the password file cannot be read.
    """

    def __init__(
        self,
        config: MqttConfig,
        client_id: str,
        filters: tuple[str, ...],
        will: Will,
        deliver: Callable[[MqttEvent], None],
    ) -> None:
        self._config = config
        self._client_id = client_id
        self._filters = filters
        self._deliver = deliver
        self._client = self._make_client(will)
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)
        self._stopping = threading.Event()
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._last_turn_s = time.monotonic()

        # shared with the callers: each operation used on them is atomic
        self._acks: deque[Delivery] = deque()
        self._outgoing: deque[_Outgoing] = deque(maxlen=_MAX_OUTGOING)
        self._retained: dict[str, bytes] = {}
        self._changed: set[str] = set()  # retained topics the broker does not have yet
        self._dropped = 0

        # the network thread's own
        self._generation = 0
        self._is_up = False
        self._must_greet = False
        self._in_flight: dict[int, str | None] = {}  # packet id -> receipt
        self._window = _SEND_WINDOW
        self._reason: ReasonCode | None = None  # why the broker ended the connection, if it said so
        self._told = ""
        self._failures = 0  # in a row, without a stable connection between them
        self._up_since_s = 0.0
        self._connects = self._received = self._published = self._stale_acks = 0

    # --- for the callers ---

    def start(self) -> None:
        """Connect, and from then on keep connected."""
        self._thread.start()

    def stop(self) -> None:
        """Send what is queued if the broker listens, say goodbye (no will), end. Takes 2 s at most."""
        self._stopping.set()
        self._wake()
        self._thread.join(_STOP_S)
        if self._thread.is_alive():
            log.warning("mqtt: the network thread is stuck in a connect and is left behind")
            return
        self._wake_reader.close()
        self._wake_writer.close()

    def ack(self, delivery: Delivery) -> None:
        """The message is safe. Dropped when its connection is gone: the broker will send it again."""
        self._acks.append(delivery)
        self._wake()

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        expiry_s: int | None = None,
        correlation: bytes | None = None,
        receipt: str | None = None,
    ) -> None:
        """Publish with QoS 1, now or when the broker is back; the oldest give way when too many wait.

        With a `receipt`, Delivered is told when the broker has it.
        """
        if len(self._outgoing) == _MAX_OUTGOING:
            self._dropped += 1
        self._outgoing.append(_Outgoing(topic, payload, False, expiry_s, correlation, receipt))
        self._wake()

    def retain(self, topic: str, payload: bytes) -> None:
        """Publish with QoS 1, retained, and again after every reconnect; only the newest counts."""
        self._retained[topic] = payload
        self._changed.add(topic)
        self._wake()

    @property
    def is_up(self) -> bool:
        """The broker has accepted us and has not gone since."""
        return self._is_up

    @property
    def counters(self) -> MqttCounters:
        """For the health record."""
        return MqttCounters(
            connects=self._connects,
            received=self._received,
            published=self._published,
            dropped=self._dropped,
            stale_acks=self._stale_acks,
        )

    def is_alive(self) -> bool:
        """The network thread runs."""
        return self._thread.is_alive()

    def silent_s(self) -> float:
        """How long ago the network thread last turned its loop: about 1 s, or the length of a connect."""
        return time.monotonic() - self._last_turn_s

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full of wake-ups: it will wake; closed: it has ended
            self._wake_writer.send(b"w")

    # --- the network thread ---

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._keep_connected()
            except Exception:  # the receiver of events failed even at the news that it had failed
                log.exception("mqtt: the receiver of events does not work")
            self._back_off()

    def _keep_connected(self) -> None:
        try:
            self._hold_connection()
        except OSError as error:
            self._went_down(unreachable(self._config, error))
        except Exception as error:  # a packet that is none, or a receiver that fails: the connection ends
            log.exception("mqtt: the connection is given up")
            self._client.disconnect()
            self._went_down(BrokerError(f"{self._config.host}:{self._config.port}: {error!r}"))

    def _hold_connection(self) -> None:
        self._generation += 1
        self._reason = None
        set_credentials(self._client, self._config)
        self._client.connect(
            self._config.host,
            self._config.port,
            keepalive=self._config.keepalive_s,
            clean_start=False,
            properties=self._connect_properties(),
        )
        while self._turn():
            if self._stopping.is_set():
                self._say_goodbye()
                return
        if self._reason is None:
            self._went_down(broken(self._config, self._client_id))
        else:
            self._went_down(refused(self._config, self._reason, self._client_id))

    def _turn(self) -> bool:
        """Wait for something to do, at most _TURN_S, and do it; False when there is no connection."""
        self._last_turn_s = time.monotonic()
        if (sock := self._client.socket()) is None:
            return False
        writers = [sock] if self._client.want_write() else []
        readable, _, _ = select.select([sock, self._wake_reader], writers, [], _TURN_S)
        if self._wake_reader in readable:
            self._wake_reader.recv(4096)
        if sock in readable:
            send_tcp_ack_at_once(sock)
            self._client.loop_read()
        if self._is_up:
            self._flush()
        if self._client.want_write():
            self._client.loop_write()
        self._client.loop_misc()
        return True

    def _flush(self) -> None:
        """Hand paho what waits, acknowledgements first, publishes as far as the window allows."""
        while self._acks:
            delivery = self._acks.popleft()
            if delivery.generation == self._generation:
                self._client.ack(delivery.packet_id, delivery.qos)
            else:
                self._stale_acks += 1
        if self._must_greet:
            self._greet()
        while self._changed and len(self._in_flight) < self._window:
            topic = self._changed.pop()
            self._send(_Outgoing(topic, self._retained[topic], is_retained=True))
        while self._outgoing and len(self._in_flight) < self._window:
            self._send(self._outgoing.popleft())

    def _greet(self) -> None:
        """At every connect, whatever the broker says it remembers: subscriptions and retained topics."""
        self._must_greet = False
        # retain as published, and stored ones once per subscription: so that they can be refused aloud
        options = SubscribeOptions(
            qos=1, retainAsPublished=True, retainHandling=SubscribeOptions.RETAIN_SEND_IF_NEW_SUB
        )
        self._client.subscribe([(topic_filter, options) for topic_filter in self._filters])
        self._changed.update(self._retained)

    def _send(self, outgoing: _Outgoing) -> None:
        properties = _properties(PacketTypes.PUBLISH)
        if outgoing.expiry_s is not None:
            properties.MessageExpiryInterval = outgoing.expiry_s
        if outgoing.correlation is not None:
            properties.CorrelationData = outgoing.correlation
        info = self._client.publish(
            outgoing.topic, outgoing.payload, qos=1, retain=outgoing.is_retained, properties=properties
        )
        self._in_flight[info.mid] = outgoing.receipt

    def _say_goodbye(self) -> None:
        deadline_s = time.monotonic() + _FAREWELL_S
        while self._is_up and self._has_unsent() and time.monotonic() < deadline_s and self._turn():
            pass
        self._client.disconnect()
        self._is_up = False

    def _has_unsent(self) -> bool:
        return bool(self._acks or self._changed or self._outgoing or self._in_flight)

    def _went_down(self, error: BrokerError) -> None:
        is_news = self._is_up or str(error) != self._told
        was_stable = self._is_up and time.monotonic() - self._up_since_s > _STABLE_S
        self._failures = 1 if was_stable else self._failures + 1
        self._is_up = False
        self._told = str(error)
        if is_news:
            log.warning("mqtt: %s", error)
            self._deliver(LinkDown(error))

    def _back_off(self) -> None:
        if self._reason is not None and is_refusal(self._reason):
            base_s = _REFUSED_BACK_OFF_S
        else:
            base_s = _BACK_OFF_S[min(self._failures, len(_BACK_OFF_S)) - 1]
        # half to one and a half: a hall full of boards must not come back in the same second
        until_s = time.monotonic() + base_s * random.uniform(0.5, 1.5)
        while (left_s := until_s - time.monotonic()) > 0 and not self._stopping.wait(min(left_s, _TURN_S)):
            self._last_turn_s = time.monotonic()

    # --- paho's callbacks, on the network thread ---

    def _on_connect(
        self, _c: Client, _u: object, flags: ConnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        if reason.is_failure:
            self._reason = reason
            return
        self._connects += 1
        self._told = ""
        self._up_since_s = time.monotonic()
        self._window = min(_SEND_WINDOW, getattr(properties, "ReceiveMaximum", _SEND_WINDOW))
        self._must_greet = True
        self._is_up = True
        log.info("mqtt: connected to %s:%d", self._config.host, self._config.port)
        self._deliver(LinkUp(is_resumed=flags.session_present))

    def _on_disconnect(
        self, _c: Client, _u: object, flags: DisconnectFlags, reason: ReasonCode, _p: Properties | None
    ) -> None:
        if flags.is_disconnect_packet_from_server:
            self._reason = reason

    def _on_message(self, _c: Client, _u: object, message: MQTTMessage) -> None:
        self._received += 1
        delivery = Delivery(self._generation, message.mid, message.qos, message.dup)
        try:
            topic = message.topic
        except UnicodeDecodeError:
            log.warning("mqtt: a message on a topic that is not UTF-8 is dropped")
            self._acks.append(delivery)
            return
        self._deliver(
            Message(
                topic=topic,
                payload=bytes(message.payload),
                is_retained=message.retain,
                reply_to=_reply_to(message.properties),
                expiry_s=getattr(message.properties, "MessageExpiryInterval", None),
                delivery=delivery,
            )
        )

    def _on_publish(
        self, _c: Client, _u: object, mid: int, _reason: ReasonCode, _p: Properties | None
    ) -> None:
        self._published += 1
        receipt = self._in_flight.pop(mid, None)
        if receipt is not None:
            self._deliver(Delivered(receipt))

    def _on_subscribe(
        self, _c: Client, _u: object, _mid: int, reasons: list[ReasonCode], _p: Properties | None
    ) -> None:
        refused_filters = tuple(
            topic_filter
            for topic_filter, reason in zip(self._filters, reasons, strict=True)
            if reason.is_failure
        )
        if refused_filters:
            log.error("mqtt: the broker does not let us listen on %s", ", ".join(refused_filters))
            self._deliver(SubscriptionRefused(refused_filters))
        self._deliver(Listening())

    # --- set-up ---

    def _make_client(self, will: Will) -> Client:
        client = new_client(self._config, self._client_id)
        properties = _properties(PacketTypes.WILLMESSAGE)
        properties.WillDelayInterval = WILL_DELAY_S
        client.will_set(will.topic, will.payload, qos=1, retain=True, properties=properties)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.on_publish = self._on_publish
        client.on_subscribe = self._on_subscribe
        return client

    def _connect_properties(self) -> Properties:
        properties = _properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = self._config.session_expiry_s
        properties.ReceiveMaximum = _RECEIVE_MAXIMUM
        properties.MaximumPacketSize = MAX_PACKET_BYTES
        return properties


def _properties(packet_type: int) -> Properties:
    return Properties(packet_type)  # type: ignore[no-untyped-call]  # paho left it without annotations


def _reply_to(properties: Properties | None) -> ReplyTo | None:
    topic = getattr(properties, "ResponseTopic", None)
    if not topic:
        return None
    if not _WILDCARDS.isdisjoint(topic):
        log.warning("mqtt: the response topic %r cannot be published to", topic)
        return None
    return ReplyTo(topic, getattr(properties, "CorrelationData", None))
