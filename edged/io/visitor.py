"""A short visit to the broker, for commands: no session, no thread, an error as soon as it does not work."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from edged.config.schema import MqttConfig
from edged.errors import BrokerError
from edged.io.broker import new_client
from edged.io.broker_faults import broken, refused, silent, unanswered, unreachable

_ANSWER_S = 3.0  # a broker on a site network answers in milliseconds
_TURN_S = 0.1


@dataclass(frozen=True, slots=True)
class Heard:
    """A message; `payload` empty: a retained one was cleared."""

    topic: str
    payload: bytes


class Visitor:
    """Context manager: connected inside the block, under a name nobody else has.

    Each method raises BrokerError when the broker refuses, breaks off or does not answer within 3 s; the
    constructor raises ConfigError when the password or a certificate cannot be read.
    """

    def __init__(self, config: MqttConfig, purpose: str) -> None:
        self.client_id = f"edged-{purpose}-{uuid.uuid4().hex[:8]}"
        self.is_v5 = config.version == "5"
        self._config = config
        self._heard: deque[Heard] = deque()
        self._welcomes: list[ReasonCode] = []
        self._granted: list[list[ReasonCode]] = []
        self._sent: set[int] = set()
        self._client = new_client(config, self.client_id)
        self._client.connect_timeout = _ANSWER_S
        self._client.on_connect = self._on_connect
        self._client.on_message = self._on_message
        self._client.on_subscribe = self._on_subscribe
        self._client.on_publish = self._on_publish

    def __enter__(self) -> Visitor:
        try:
            self._client.connect(self._config.host, self._config.port)
        except OSError as error:
            raise unreachable(self._config, error) from error
        self._wait(lambda: bool(self._welcomes))
        if self._welcomes[0].is_failure:
            raise refused(self._config, self._welcomes[0], self.client_id)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.disconnect()

    def subscribe(self, *filters: str) -> None:
        """Hear these from now on, and what is retained there."""
        self._granted.clear()
        self._client.subscribe([(topic_filter, 1) for topic_filter in filters])
        self._wait(lambda: bool(self._granted))
        for topic_filter, reason in zip(filters, self._granted[0], strict=True):
            if reason.is_failure:
                raise BrokerError(
                    f"{self._config.host}:{self._config.port}: we may not listen on {topic_filter}",
                    "let the user mqtt.username read it in the broker's access list",
                )

    def publish(self, topic: str, payload: bytes, *, reply_topic: str | None = None) -> None:
        """With QoS 1; returns when the broker has it. MQTT 3.1.1 knows no reply topic."""
        properties = None
        if self.is_v5 and reply_topic is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.ResponseTopic = reply_topic
        mid = self._client.publish(topic, payload, qos=1, properties=properties).mid
        self._wait(lambda: mid in self._sent)

    def next(self, timeout_s: float) -> Heard | None:
        """The next message, None when none comes in this time."""
        deadline_s = time.monotonic() + timeout_s
        while not self._heard and (left_s := deadline_s - time.monotonic()) > 0:
            self._turn(min(left_s, _TURN_S))
        return self._heard.popleft() if self._heard else None

    def _wait(self, is_there: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + _ANSWER_S
        while not is_there():
            if time.monotonic() > deadline_s:
                raise silent(self._config)
            self._turn(_TURN_S)

    def _turn(self, timeout_s: float) -> None:
        self._client.loop(timeout=timeout_s)
        if self._client.socket() is None and not self._is_answered:
            is_known = bool(self._welcomes)
            raise broken(self._config, self.client_id) if is_known else unanswered(self._config)

    @property
    def _is_answered(self) -> bool:
        """A refusal ends the connection and is an answer all the same."""
        return bool(self._welcomes) and self._welcomes[0].is_failure

    def _on_connect(
        self, _c: Client, _u: object, _f: ConnectFlags, reason: ReasonCode, _p: Properties | None
    ) -> None:
        self._welcomes.append(reason)

    def _on_subscribe(
        self, _c: Client, _u: object, _mid: int, reasons: list[ReasonCode], _p: Properties | None
    ) -> None:
        self._granted.append(reasons)

    def _on_publish(
        self, _c: Client, _u: object, mid: int, _reason: ReasonCode, _p: Properties | None
    ) -> None:
        self._sent.add(mid)

    def _on_message(self, client: Client, _u: object, message: MQTTMessage) -> None:
        client.ack(message.mid, message.qos)
        try:
            self._heard.append(Heard(message.topic, bytes(message.payload)))
        except UnicodeDecodeError:
            return  # not one of ours: our topics are ASCII


def check_broker(config: MqttConfig) -> None:
    """Connect once, as nobody in particular, and leave. Raises BrokerError within seconds, or ConfigError."""
    with Visitor(config, "check"):
        pass
