"""A private broker, and the device's side of it."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from typing import TypeVar

import pytest

from edged.config.schema import MqttConfig
from edged.io.mqtt import LinkUp, Listening, MqttClient, MqttEvent, Will
from edged.protocol.topics import Topics
from tests.integration.broker import WAIT_S, Broker

TOPICS = Topics("edged", "lobby", ["ground"])
WILL = Will(TOPICS.state, b"offline")
E = TypeVar("E", bound=MqttEvent)


class Device:
    """A running MqttClient whose events are kept."""

    def __init__(self, config: MqttConfig, deliver: Callable[[MqttEvent], None] | None = None) -> None:
        self.events: Queue[MqttEvent] = Queue()
        self.listening: Queue[Listening] = Queue()
        self.client = MqttClient(config, "edged-lobby", TOPICS.filters, WILL, deliver or self.keep)

    def keep(self, event: MqttEvent) -> None:
        """The event for `next`, or for `up`: messages of a resumed session may come before Listening."""
        if isinstance(event, Listening):
            self.listening.put(event)
        else:
            self.events.put(event)

    def up(self) -> LinkUp:
        """Wait until it is connected and hears what is published from now on."""
        link_up = self.next(LinkUp)
        self.listening.get(timeout=WAIT_S)
        return link_up

    def next(self, kind: type[E]) -> E:
        """The next event, which must be of this kind. Fails when none comes."""
        try:
            event = self.events.get(timeout=WAIT_S)
        except Empty:
            raise AssertionError(f"no {kind.__name__} came") from None
        assert isinstance(event, kind), event
        return event


@contextlib.contextmanager
def device(config: MqttConfig, deliver: Callable[[MqttEvent], None] | None = None) -> Iterator[Device]:
    """A Device that is stopped at the end of the block."""
    running = Device(config, deliver)
    running.client.start()
    try:
        yield running
    finally:
        running.client.stop()


def config_for(server: Broker | socket.socket, **fields: object) -> MqttConfig:
    """The device's configuration for this broker, or for a socket that plays one."""
    port = server.port if isinstance(server, Broker) else server.getsockname()[1]
    return MqttConfig(host="127.0.0.1", port=port, **fields)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """Anonymous, and remembers sessions and retained messages across a restart."""
    with Broker(tmp_path) as running:
        yield running
