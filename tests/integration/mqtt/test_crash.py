"""kill -9 of the device's process, with a real broker and a real journal."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from edged.core.events import Accepted, Now
from edged.io.mqtt import Message
from edged.journal import Duplicate, Entry, Journal
from edged.protocol.request import Parsed, parse_speak
from tests.integration.broker import WAIT_S, Broker, controller
from tests.integration.mqtt.conftest import TOPICS, config_for, device

pytestmark = pytest.mark.broker

# A device that dies at the moment named by its last argument: before the commit, or between it and the ack.
VICTIM = """
import os, signal, sys
from pathlib import Path
from queue import Queue
from edged.config.schema import MqttConfig
from edged.core.events import Now
from edged.io.mqtt import LinkUp, Listening, Message, MqttClient, Will
from edged.journal import Entry, Journal
from edged.protocol.request import parse_speak
from edged.protocol.topics import Topics

host, port, path, moment = sys.argv[1:]
topics = Topics("edged", "lobby")
events = Queue()
client = MqttClient(
    MqttConfig(host=host, port=int(port)),
    "edged-lobby",
    topics.filters,
    Will(topics.state, b"offline"),
    events.put,
)
client.retain(topics.state, b"online")
client.start()
journal = Journal.open(Path(path), "boot-1")
while True:
    event = events.get()
    if isinstance(event, LinkUp):
        journal.begin_session(is_resumed=event.is_resumed)
    if isinstance(event, Listening):
        print("up", flush=True)
    if isinstance(event, Message):
        parsed = parse_speak(None, event.payload, max_text_chars=100)
        if moment == "after commit":
            entry = Entry(parsed.request.id or "m-1", parsed, packet_id=event.delivery.packet_id)
            journal.accept([entry], Now(1, 1))
        os.kill(os.getpid(), signal.SIGKILL)
"""


class Victim:
    """The process above."""

    def __init__(self, broker: Broker, journal: Path, moment: str) -> None:
        arguments = [sys.executable, "-c", VICTIM, broker.host, str(broker.port), str(journal), moment]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"up\n"

    def wait_until_dead(self) -> None:
        """It kills itself; nothing else ends it."""
        assert self.process.wait(WAIT_S) == -signal.SIGKILL
        assert self.process.stdout is not None
        self.process.stdout.close()


def accept_again(journal: Journal, message: Message) -> Accepted | Duplicate:
    """What the next process makes of the redelivered message."""
    parsed = parse_speak(None, message.payload, max_text_chars=100)
    assert isinstance(parsed, Parsed)
    delivery = message.delivery
    entry = Entry(
        parsed.request.id or "m-2",
        parsed,
        packet_id=delivery.packet_id,
        is_redelivery=delivery.is_redelivery,
    )
    (verdict,) = journal.accept([entry], Now(2.0, 2.0))
    assert isinstance(verdict, Accepted | Duplicate)
    return verdict


@pytest.mark.parametrize("payload", ['{"id":"t-1","text":"hi"}', "hi"], ids=["with id", "without id"])
@pytest.mark.parametrize("moment", ["before commit", "after commit"])
def test_a_kill_before_the_acknowledgement_neither_loses_nor_repeats(
    broker: Broker, tmp_path: Path, payload: str, moment: str
) -> None:
    """The broker sends it again; the journal knows it if, and only if, it had been committed."""
    path = tmp_path / "journal.db"
    victim = Victim(broker, path, moment)
    with controller(broker) as kiosk:
        kiosk.publish("edged/lobby/speak", payload)
        victim.wait_until_dead()
    journal = Journal.open(path, "boot-1")
    with device(config_for(broker)) as lobby:
        up = lobby.up()
        assert up.is_resumed
        journal.begin_session(is_resumed=up.is_resumed)
        message = lobby.next(Message)
        assert message.delivery.is_redelivery
        verdict = accept_again(journal, message)
        lobby.client.ack(message.delivery)
    assert isinstance(verdict, Duplicate if moment == "after commit" else Accepted)


def test_the_will_says_offline_and_the_return_takes_it_back(broker: Broker, tmp_path: Path) -> None:
    """A killed device is seen to be offline; when it is back, its retained state says so."""
    victim = Victim(broker, tmp_path / "journal.db", "before commit")
    with controller(broker) as kiosk:
        kiosk.subscribe(TOPICS.state)
        assert kiosk.next().payload == b"online"
        kiosk.publish("edged/lobby/speak", "hi")
        victim.wait_until_dead()
        assert kiosk.next().payload == b"offline"
        with device(config_for(broker)) as lobby:
            lobby.client.retain(TOPICS.state, b"online again")
            assert kiosk.next().payload == b"online again"
