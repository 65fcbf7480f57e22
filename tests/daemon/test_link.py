"""What the MQTT session tells, taken up on main's loop."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from edged.daemon.intake import Intake
from edged.daemon.link import Link
from edged.errors import BrokerError
from edged.io.mqtt import (
    Delivered,
    LinkDown,
    LinkUp,
    Listening,
    Message,
    MqttEvent,
    SessionShared,
    SubscriptionRefused,
)
from edged.protocol.result import ReplyTo
from tests.fakes.lobby import Lobby
from tests.fakes.mqtt import message


class FakeIntake:
    """Remembers what it was handed."""

    def __init__(self) -> None:
        self.batches: list[list[bytes]] = []
        self.delivered: list[list[str]] = []

    def receive(self, _mqtt: object, batch: list[Message]) -> None:
        """As the real one."""
        self.batches.append([message.payload for message in batch])

    def note_delivered(self, ids: list[str]) -> None:
        """As the real one."""
        self.delivered.append(ids)


class Wire:
    """A Link between a lobby and a fake intake; `changes` counts how often it was told of."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.intake = FakeIntake()
        self.changes = 0
        self.link = Link(
            lobby.topics,
            lobby.ledger,
            cast(Intake, self.intake),
            lobby.reporter,
            lobby.vitals.faults,
            self.note_change,
        )

    def note_change(self) -> None:
        self.changes += 1

    def hear(self, *events: MqttEvent) -> None:
        """These come in one turn of the loop, and the next turn comes."""

        async def turn() -> None:
            for event in events:
                self.link.hear(self.lobby.session, event)
            await asyncio.sleep(0)

        asyncio.run(turn())


@pytest.fixture
def wire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wire:
    return Wire(Lobby(tmp_path, monkeypatch))


def test_what_arrives_together_is_taken_in_together(wire: Wire) -> None:
    """In its order; what comes later is another batch."""
    wire.hear(message("edged/lobby/speak", "a"), message("edged/lobby/cmd/stop", "b"))
    wire.hear(message("edged/lobby/speak", "c"))
    assert wire.intake.batches == [[b"a", b"b"], [b"c"]]


def test_receipts_are_kept_together(wire: Wire) -> None:
    """One commit for all since the last time, none when there was none."""
    wire.hear(Delivered("a"), Delivered("b"))
    wire.link.note_delivered()
    wire.link.note_delivered()
    assert wire.intake.delivered == [["a", "b"]]


@pytest.mark.parametrize(("payload", "times"), [("online", 1), ("offline", 0), ("", 0)])
def test_home_assistants_birth_brings_everything_again(wire: Wire, payload: str, times: int) -> None:
    """It is acknowledged and never taken for a request; its end asks for nothing."""
    wire.hear(message("homeassistant/status", payload, packet_id=7))
    assert len(wire.lobby.mqtt.retained.get("homeassistant/device/lobby/config", [])) == times
    assert len(wire.lobby.retained("state")) == times
    assert wire.lobby.mqtt.acked == [7]
    assert wire.intake.batches == []


SHARED = SessionShared(BrokerError("another board connects as edged-lobby"))


@pytest.mark.parametrize(
    ("events", "faults"),
    [
        ([LinkDown(BrokerError("refused"))], {"mqtt": "refused"}),
        ([LinkDown(BrokerError("refused")), LinkUp(True)], {}),
        ([LinkUp(False), SubscriptionRefused(("a", "b"))], {"mqtt": "the broker refuses a, b"}),
        ([SHARED, LinkUp(True)], {"device.id": "another board connects as edged-lobby"}),
        ([SHARED, SessionShared(None)], {}),
    ],
)
def test_faults_are_told_and_taken_back(wire: Wire, events: list[MqttEvent], faults: dict[str, str]) -> None:
    """Two boards of one name stay a fault while the connection comes and goes."""
    wire.hear(*events)
    assert wire.lobby.vitals.faults == faults
    assert wire.changes == len(events)


def test_a_new_session_is_noted_before_its_messages(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packet ids of the last one mean nothing in it."""
    noted: list[Any] = []
    monkeypatch.setattr(wire.lobby.ledger, "call", lambda operation: noted.append(operation))
    wire.hear(LinkUp(is_resumed=False), Listening(), message("edged/lobby/speak", "a"))
    assert len(noted) == 1
    assert wire.intake.batches == [[b"a"]]


@pytest.mark.parametrize(
    "topic", ["edged/lobby/speak", "edged/all/speak/high", "edged/lobby/cmd/pause", "homeassistant/status"]
)
def test_nobody_has_the_device_give_itself_commands(wire: Wire, topic: str) -> None:
    """An answer published where the device listens would be obeyed, with the device's own rights."""
    asked: list[ReplyTo | None] = []
    wire.intake.receive = lambda _mqtt, batch: asked.extend(one.reply_to for one in batch)  # type: ignore[method-assign]
    wire.hear(
        message("edged/lobby/speak", "a", reply_to=ReplyTo(topic)),
        message("edged/lobby/speak", "b", reply_to=ReplyTo("edged/lobby/answers")),
    )
    assert asked == [None, ReplyTo("edged/lobby/answers")]
