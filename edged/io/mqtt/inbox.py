"""What arrives, and which of it the broker may forget."""

from __future__ import annotations

import logging
from collections import deque

from paho.mqtt.client import Client, MQTTMessage

from edged.io.mqtt.dialect import read_message
from edged.io.mqtt.events import Delivery, Message

log = logging.getLogger(__name__)


class Inbox:
    """Messages of one connection after the other; `acknowledge` is for any thread (atomic)."""

    def __init__(self) -> None:
        self.stale_acks = 0
        self._generation = 0
        self._acks: deque[Delivery] = deque()

    def acknowledge(self, delivery: Delivery) -> None:
        """The message is safe."""
        self._acks.append(delivery)

    # --- the network thread ---

    def begin_connection(self) -> None:
        """What comes from now on can only be acknowledged until the next connection."""
        self._generation += 1

    def read(self, message: MQTTMessage) -> Message | None:
        """The message as a plain value; None when its topic is not UTF-8, which nobody can answer."""
        delivery = Delivery(self._generation, message.mid, message.qos, message.dup)
        try:
            return read_message(message, delivery)
        except UnicodeDecodeError:
            log.warning("mqtt: a message on a topic that is not UTF-8 is dropped")
            self.acknowledge(delivery)
            return None

    @property
    def is_empty(self) -> bool:
        """No acknowledgement waits."""
        return not self._acks

    def send_acks(self, client: Client) -> None:
        """Those of an earlier connection are dropped: the broker sends their messages again."""
        while self._acks:
            delivery = self._acks.popleft()
            if delivery.generation == self._generation:
                client.ack(delivery.packet_id, delivery.qos)
            else:
                self.stale_acks += 1
