"""MQTT 5 and 3.1.1: what of our wishes each can be told, and what comes back."""

from __future__ import annotations

import logging

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from edged.config.schema import MqttConfig
from edged.io.mqtt.events import Delivery, Message, Will
from edged.protocol.result import ReplyTo

log = logging.getLogger(__name__)

MAX_PACKET_BYTES = 256 * 1024
# A restart of edged or of the broker takes less than this, and nobody needs to hear of it.
WILL_DELAY_S = 5
_RECEIVE_MAXIMUM = 100  # unacknowledged messages: one group commit's worth
_WILDCARDS = frozenset("#+\0")
# A broker ends the connection of who publishes deeper: mosquitto has 200, EMQX 128.
_MOST_LEVELS = 100


class Dialect:
    """How a session is asked for in the configured version of MQTT."""

    def __init__(self, config: MqttConfig) -> None:
        self._config = config
        self.is_v5 = config.version == "5"

    @property
    def repeats_subscriptions(self) -> bool:
        """A subscription may be made again although the broker has it: it sends nothing retained then."""
        return self.is_v5

    def connect(self, client: Client) -> None:
        """Open the connection and ask for the session we had. Raises OSError."""
        config = self._config
        # paho pings after its keep-alive and waits as long again: this makes 1.5 times ours of it
        keepalive_s = config.keepalive_s * 3 // 4
        if not self.is_v5:
            client.connect(config.host, config.port, keepalive=keepalive_s)
            return
        properties = _properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = config.session_expiry_s
        properties.ReceiveMaximum = _RECEIVE_MAXIMUM
        properties.MaximumPacketSize = MAX_PACKET_BYTES
        client.connect(
            config.host, config.port, keepalive=keepalive_s, clean_start=False, properties=properties
        )

    def set_will(self, client: Client, will: Will) -> None:
        """Retained, QoS 1; delayed where that can be asked for."""
        properties = None
        if self.is_v5:
            properties = _properties(PacketTypes.WILLMESSAGE)
            properties.WillDelayInterval = WILL_DELAY_S
        client.will_set(will.topic, will.payload, qos=1, retain=True, properties=properties)

    def subscribe(self, client: Client, filters: tuple[str, ...]) -> int:
        """Requests, QoS 1; gives the packet id.

        Retained ones come marked as such, once per subscription, so that they can be refused aloud.
        """
        if not self.is_v5:
            return _mid(client.subscribe([(topic_filter, 1) for topic_filter in filters]))
        options = SubscribeOptions(
            qos=1, retainAsPublished=True, retainHandling=SubscribeOptions.RETAIN_SEND_IF_NEW_SUB
        )
        return _mid(client.subscribe([(topic_filter, options) for topic_filter in filters]))

    def look_at(self, client: Client, topic: str) -> None:
        """Be sent what is retained on this topic now; what we publish there ourselves need not come."""
        if not self.is_v5:
            client.subscribe(topic, 0)
            return
        options = SubscribeOptions(
            qos=0, noLocal=True, retainHandling=SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE
        )
        client.subscribe(topic, options=options)

    def publish_properties(self, expiry_s: int | None, correlation: bytes | None) -> Properties | None:
        """Of a message of ours; MQTT 3.1.1 has none."""
        if not self.is_v5 or (expiry_s is None and correlation is None):
            return None
        properties = _properties(PacketTypes.PUBLISH)
        if expiry_s is not None:
            properties.MessageExpiryInterval = expiry_s
        if correlation is not None:
            properties.CorrelationData = correlation
        return properties


def read_message(message: MQTTMessage, delivery: Delivery) -> Message:
    """As it arrived. Raises UnicodeDecodeError when its topic is not UTF-8."""
    return Message(
        topic=message.topic,
        payload=bytes(message.payload),
        is_retained=message.retain,
        reply_to=_reply_to(message.properties),
        expiry_s=getattr(message.properties, "MessageExpiryInterval", None),
        delivery=delivery,
    )


def _reply_to(properties: Properties | None) -> ReplyTo | None:
    topic = getattr(properties, "ResponseTopic", None)
    if not topic:
        return None
    if not _WILDCARDS.isdisjoint(topic) or topic.count("/") >= _MOST_LEVELS:
        log.warning("mqtt: the response topic %.100r cannot be published to", topic)
        return None
    return ReplyTo(topic, getattr(properties, "CorrelationData", None))


def _properties(packet_type: int) -> Properties:
    return Properties(packet_type)  # type: ignore[no-untyped-call]  # paho left it without annotations


def _mid(answer: tuple[int, int | None]) -> int:
    return answer[1] or 0
