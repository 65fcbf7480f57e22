"""Publishes the records when they have changed, to MQTT and systemd."""

from __future__ import annotations

import logging
from typing import Any

from edged.config.schema import HomeAssistantConfig
from edged.daemon.records import Records
from edged.io.mqtt import MqttClient
from edged.io.systemd import ServiceManager
from edged.protocol.discovery import encode_discovery
from edged.protocol.state import DeviceState, Health, State
from edged.protocol.topics import Topics, discovery_topic

log = logging.getLogger(__name__)


class Reporter:
    """Knows what has been published last."""

    def __init__(
        self, records: Records, topics: Topics, home_assistant: HomeAssistantConfig, service: ServiceManager
    ) -> None:
        self._records = records
        self._topics = topics
        self._home_assistant = home_assistant
        self._service = service
        self._published: State | None = None
        self._published_health: Health | None = None
        self._told_line = ""

    def publish_state(self, mqtt: MqttClient) -> None:
        """Publish the state if it has changed, and tell systemd."""
        state = self._records.state()
        line = self._records.status_line(state, mqtt)
        if line != self._told_line:
            self._told_line = line
            self._service.status(line)
        if state == self._published:
            return
        if self._published is None or state.state != self._published.state:
            level = logging.WARNING if state.state == DeviceState.DEGRADED else logging.INFO
            log.log(level, "%s%s", state.state, f": {state.reason}" if state.reason else "")
        self._published = state
        mqtt.retain(self._topics.state, state.encode())

    def publish_health(self, mqtt: MqttClient) -> None:
        """Publish health, every minute."""
        self._published_health = self._records.health(mqtt)
        mqtt.retain(self._topics.health, self._published_health.encode())

    def publish_health_if_changed(self, mqtt: MqttClient) -> None:
        """Publish health when something has changed that somebody may have to act on."""
        told, health = self._published_health, self._records.health(mqtt)
        if told is None or _alarms(told) != _alarms(health):
            self.publish_health(mqtt)

    def publish_info(self, mqtt: MqttClient) -> None:
        """Publish info and what Home Assistant makes of it; when a child has told something new of itself."""
        info = self._records.info()
        mqtt.retain(self._topics.info, info.encode())
        # an empty record takes back what an earlier configuration has left with the broker
        record = encode_discovery(info, self._topics) if self._home_assistant.discovery else b""
        mqtt.retain(discovery_topic(self._home_assistant.prefix, info.device), record)

    def publish_all(self, mqtt: MqttClient) -> None:
        """Publish everything again, for somebody who has forgotten it."""
        self.publish_info(mqtt)
        self.publish_health(mqtt)
        mqtt.retain(self._topics.state, self._records.state().encode())


def _alarms(health: Health) -> tuple[Any, ...]:
    """What somebody may have to act on when it changes."""
    return health.thermal, health.throttled, health.xruns, health.mqtt.connects
