"""What the MQTT session tells, taken up on main's loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from edged.daemon.intake import Intake
from edged.daemon.ledger import Ledger
from edged.daemon.reporter import Reporter
from edged.errors import BrokerError
from edged.io.mqtt import (
    Delivered,
    LinkDown,
    LinkUp,
    Message,
    MqttClient,
    MqttEvent,
    SessionShared,
    SubscriptionRefused,
)
from edged.protocol.discovery import BIRTH
from edged.protocol.topics import BirthTopic, Topics

log = logging.getLogger(__name__)


class Link:
    """Messages go to the intake, all that arrived together at once; what is wrong goes into `faults`.

    `changed` is called when there may be a new state to tell.
    """

    def __init__(
        self,
        topics: Topics,
        ledger: Ledger,
        intake: Intake,
        reporter: Reporter,
        faults: dict[str, str],
        changed: Callable[[], None],
    ) -> None:
        self._topics = topics
        self._ledger = ledger
        self._intake = intake
        self._reporter = reporter
        self._faults = faults
        self._changed = changed
        self._arrived: list[Message] = []
        self._delivered: list[str] = []

    def hear(self, mqtt: MqttClient, event: MqttEvent) -> None:
        """Take up one event of the session."""
        match event:
            case Message() if self._topics.read(event.topic) == BirthTopic():
                self._on_birth(mqtt, event)
            case Message():
                if not self._arrived:
                    asyncio.get_running_loop().call_soon(self._take_arrived, mqtt)
                self._arrived.append(self._without_echo(event))
            case Delivered(receipt=request_id):
                self._delivered.append(request_id)
            case _:
                self._note_faults(event)
                if isinstance(event, LinkUp):
                    self._ledger.call(lambda journal: journal.begin_session(is_resumed=event.is_resumed))
                self._changed()

    def note_delivered(self) -> None:
        """Keep in one commit which results the broker has taken since the last call."""
        if self._delivered:
            delivered, self._delivered = self._delivered, []
            self._intake.note_delivered(delivered)

    def _without_echo(self, message: Message) -> Message:
        """Its sender may not have us ask ourselves for something: we may, where the sender may not."""
        reply_to = message.reply_to
        if reply_to is None or self._topics.read(reply_to.topic) is None:
            return message
        log.warning("mqtt: the response topic %s is one that edged listens on", reply_to.topic)
        return replace(message, reply_to=None)

    def _take_arrived(self, mqtt: MqttClient) -> None:
        batch, self._arrived = self._arrived, []
        self._intake.receive(mqtt, batch)

    def _on_birth(self, mqtt: MqttClient, message: Message) -> None:
        """Home Assistant has started and knows nothing, or has ended."""
        if message.delivery.qos > 0:
            mqtt.ack(message.delivery)
        if message.payload == BIRTH:
            self._reporter.publish_all(mqtt)

    def _note_faults(self, event: MqttEvent) -> None:
        faults = self._faults
        match event:
            case LinkUp():
                faults.pop("mqtt", None)
            case LinkDown(error=error):
                faults["mqtt"] = error.what
            case SubscriptionRefused(filters=filters):
                faults["mqtt"] = f"the broker refuses {', '.join(filters)}"
            case SessionShared(error=None):
                faults.pop("device.id", None)
            case SessionShared(error=BrokerError(what=what)):
                faults["device.id"] = what
