"""The link to the broker: paho, its callbacks, and one turn of the loop. All of it on the network thread."""

from __future__ import annotations

import logging
import select
import ssl
import time
from collections.abc import Callable

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from edged.config.schema import MqttConfig
from edged.errors import BrokerError
from edged.io.broker import new_client, send_tcp_ack_at_once, set_credentials
from edged.io.broker_faults import TAKEN_OVER, broken, is_refusal, refused, shared, unanswered
from edged.io.mqtt.dialect import Dialect
from edged.io.mqtt.events import (
    Delivered,
    LinkUp,
    Listening,
    MqttEvent,
    SessionShared,
    SubscriptionRefused,
    Will,
)
from edged.io.mqtt.inbox import Inbox
from edged.io.mqtt.outbox import Outbox
from edged.io.mqtt.rivals import Rivals
from edged.io.mqtt.waker import Waker

log = logging.getLogger(__name__)


class Link:
    """One connection after the other, for one session.

    What comes in goes to `deliver`, what is to go out comes from `inbox` (acknowledgements) and `outbox`.
    Raises ConfigError when the password or a certificate cannot be read.
    """

    def __init__(
        self,
        config: MqttConfig,
        client_id: str,
        filters: tuple[str, ...],
        will: Will,
        deliver: Callable[[MqttEvent], None],
    ) -> None:
        self.is_up = False
        self.connects = self.received = self.published = 0
        self._dialect = Dialect(config)
        self.inbox = Inbox()
        self.outbox = Outbox(self._dialect)
        self.rivals = Rivals(will.payload)
        self._config = config
        self._client_id = client_id
        self._filters = filters
        self._own_topic = will.topic
        self._deliver = deliver
        self._client = self._make_client(will)
        self._must_greet = self._is_resumed = False
        self._subscribe_mid = 0
        self._reason: ReasonCode | None = None  # why the broker ended the connection, if it said so
        self._up_since_s = 0.0
        self._is_contest_told = False

    def open(self) -> None:
        """Connect; the broker's answer comes with the turns. Raises OSError, ConfigError."""
        self.inbox.begin_connection()
        self._reason = None
        set_credentials(self._client, self._config)
        self._dialect.connect(self._client)

    def turn(self, waker: Waker, timeout_s: float) -> bool:
        """Wait for something to do, at most so long, and do it; False when there is no connection."""
        if (sock := self._client.socket()) is None:
            return False
        network, waking = sock.fileno(), waker.fileno()
        writers = [network] if self._client.want_write() else []
        # what TLS has decrypted already does not show in select
        has_data = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
        readable, _, _ = select.select([network, waking], writers, [], 0 if has_data else timeout_s)
        if waking in readable:
            waker.calm()
        if has_data or network in readable:
            send_tcp_ack_at_once(sock)
            self._client.loop_read()
        if self.is_up:
            self._flush()
        if self._client.want_write():
            self._client.loop_write()
        self._client.loop_misc()
        return True

    def close(self) -> None:
        """Say goodbye (no will) if there is somebody."""
        self._client.disconnect()

    def ended(self) -> BrokerError:
        """There is no connection any more: why."""
        is_takeover = self._reason is not None and self._reason.value == TAKEN_OVER
        if self.is_up:
            self.rivals.cut(time.monotonic(), is_takeover=is_takeover)
        if self.rivals.is_contested:
            return shared(self._config, self._client_id)
        if self._reason is not None:
            return refused(self._config, self._reason, self._client_id)
        return broken(self._config, self._client_id) if self.is_up else unanswered(self._config)

    def down(self) -> float:
        """Forget the connection; gives how long it had been up, in seconds."""
        up_s = time.monotonic() - self._up_since_s if self.is_up else 0.0
        self.is_up = False
        return up_s

    @property
    def is_hopeless(self) -> bool:
        """Trying again soon cannot help: a person has to change something."""
        return self.rivals.is_contested or (self._reason is not None and is_refusal(self._reason))

    def tell_contest(self) -> None:
        """Deliver that a rival has shown, or has gone."""
        if self.rivals.is_contested == self._is_contest_told:
            return
        self._is_contest_told = self.rivals.is_contested
        error = shared(self._config, self._client_id) if self._is_contest_told else None
        if error is not None:
            log.error("mqtt: %s", error)
        self._deliver(SessionShared(error))

    def _flush(self) -> None:
        """Hand paho what waits, acknowledgements first, publishes as far as the window allows."""
        self.inbox.send_acks(self._client)
        if self._must_greet:
            self._greet()
        for receipt in self.outbox.send(self._client):
            self._deliver(Delivered(receipt))
        self.rivals.passed(time.monotonic())
        self.tell_contest()

    def _greet(self) -> None:
        """At every connect: the subscriptions, and a look at our own topic before we put our state there."""
        self._must_greet = False
        if self._is_resumed and not self._dialect.repeats_subscriptions:
            self._deliver(Listening())
        else:
            self._subscribe_mid = self._dialect.subscribe(self._client, self._filters)
        self._dialect.look_at(self._client, self._own_topic)

    # --- paho's callbacks ---

    def _on_connect(
        self, _c: Client, _u: object, flags: ConnectFlags, reason: ReasonCode, properties: Properties | None
    ) -> None:
        if reason.is_failure:
            self._reason = reason
            return
        self.connects += 1
        self._up_since_s = time.monotonic()
        self.outbox.connected(
            getattr(properties, "ReceiveMaximum", None), getattr(properties, "MaximumPacketSize", None)
        )
        # the session of an earlier process may have other filters than ours
        self._is_resumed = flags.session_present and self.connects > 1
        self._must_greet = True
        self.is_up = True
        log.info("mqtt: connected to %s:%d", self._config.host, self._config.port)
        self._deliver(LinkUp(is_resumed=flags.session_present))

    def _on_disconnect(
        self, _c: Client, _u: object, flags: DisconnectFlags, reason: ReasonCode, _p: Properties | None
    ) -> None:
        if flags.is_disconnect_packet_from_server:
            self._reason = reason

    def _on_message(self, _c: Client, _u: object, message: MQTTMessage) -> None:
        arrived = self.inbox.read(message)
        if arrived is None:
            return
        if arrived.topic != self._own_topic:
            self.received += 1
            self._deliver(arrived)
        elif arrived.is_retained:
            self.rivals.found(arrived.payload, time.monotonic())

    def _on_publish(
        self, _c: Client, _u: object, mid: int, _reason: ReasonCode, _p: Properties | None
    ) -> None:
        self.published += 1
        receipt = self.outbox.confirmed(mid)
        if receipt is not None:
            self._deliver(Delivered(receipt))

    def _on_subscribe(
        self, _c: Client, _u: object, mid: int, reasons: list[ReasonCode], _p: Properties | None
    ) -> None:
        if mid != self._subscribe_mid:
            return
        refused_filters = tuple(
            topic_filter
            for topic_filter, reason in zip(self._filters, reasons, strict=True)
            if reason.is_failure
        )
        if refused_filters:
            log.error("mqtt: the broker does not let us listen on %s", ", ".join(refused_filters))
            self._deliver(SubscriptionRefused(refused_filters))
        self._deliver(Listening())

    def _make_client(self, will: Will) -> Client:
        client = new_client(self._config, self._client_id, keeps_session=True)
        self._dialect.set_will(client, will)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.on_publish = self._on_publish
        client.on_subscribe = self._on_subscribe
        return client
