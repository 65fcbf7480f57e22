"""The MQTT session: one thread that owns the paho client, everything else by message.

events: what it tells; client: the thread and what callers see; link: paho, its callbacks, one turn of the
loop; inbox, outbox: what arrives and what is to be sent; dialect: MQTT 5 and 3.1.1; back_off: when to try
again; rivals: is there another client with our name; waker: how other threads end its wait.
"""

from edged.io.mqtt.client import MqttClient
from edged.io.mqtt.dialect import MAX_PACKET_BYTES, WILL_DELAY_S
from edged.io.mqtt.events import (
    Delivered,
    Delivery,
    LinkDown,
    LinkUp,
    Listening,
    Message,
    MqttEvent,
    SessionShared,
    SubscriptionRefused,
    Will,
)

__all__ = [
    "MAX_PACKET_BYTES",
    "WILL_DELAY_S",
    "Delivered",
    "Delivery",
    "LinkDown",
    "LinkUp",
    "Listening",
    "Message",
    "MqttClient",
    "MqttEvent",
    "SessionShared",
    "SubscriptionRefused",
    "Will",
]
