"""A private broker, and the device's side of it."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any, TypeVar

import pytest

from edged.config.schema import MqttConfig
from edged.io.mqtt import LinkUp, Listening, Message, MqttClient, MqttEvent, Will
from edged.protocol.topics import Topics
from tests.integration.broker import WAIT_S, Broker
from tests.integration.running_daemon import DEVICE, RunningDaemon

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

    def message(self) -> Message:
        """The next event, which must be a message; acknowledged."""
        message = self.next(Message)
        self.client.ack(message.delivery)
        return message

    def next(self, kind: type[E]) -> E:
        """The next event, which must be of this kind. Fails when none comes."""
        try:
            event = self.events.get(timeout=WAIT_S)
        except Empty:
            raise AssertionError(f"no {kind.__name__} came") from None
        assert isinstance(event, kind), event
        return event


@contextmanager
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


CONNACK = b"\x20\x03\x00\x00\x00"  # no session, accepted, no properties


@contextmanager
def scripted_broker() -> Iterator[socket.socket]:
    """A listening socket whose test plays the broker, for what mosquitto cannot be made to say."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT_S)
        yield server


SILENT = "audio: {device: 'null'}\nspeech: {engine: tone}\n"


@contextmanager
def board(
    folder: Path,
    broker: Broker,
    *,
    settings: str = SILENT,
    env: dict[str, str] | None = None,
    is_started: bool = True,
    **mqtt: Any,
) -> Iterator[RunningDaemon]:
    """A real daemon that speaks into nothing, with these settings of its section `mqtt`."""
    folder.mkdir(exist_ok=True)
    daemon = RunningDaemon(folder, broker, env or {})
    session = {"host": broker.host, "port": broker.port, **mqtt}
    fixed = {
        "device": {"id": DEVICE, "groups": ["ground"]},
        "mqtt": session,
        "paths": {
            f"{name}_dir": name for name in ("models", "state", "cache", "clips", "templates", "runtime")
        },
    }
    daemon.write_config("".join(f"{key}: {json.dumps(value)}\n" for key, value in fixed.items()), settings)
    try:
        if is_started:
            daemon.start()
        yield daemon
    finally:
        if daemon.is_running:
            daemon.kill()
        daemon.controller.close()
