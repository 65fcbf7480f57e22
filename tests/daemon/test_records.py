"""What the daemon says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.core.events import Accepted
from edged.protocol.command import Pause
from edged.protocol.request import Priority, Request
from edged.protocol.result import Code, Result, Status
from edged.workers.messages import PlayerReady
from tests.fakes.lobby import NOW, Lobby
from tests.fakes.supervisor import PLAYER_READY


@pytest.fixture
def lobby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lobby:
    return Lobby(tmp_path, monkeypatch)


def ended(status: Status = Status.FAILED, code: Code | None = Code.AUDIO_LOST, **figures: object) -> Result:
    return Result.model_validate(
        {"id": "a", "status": status, "code": code, "device": "lobby", "ts": 1.5, **figures}
    )


def test_the_state_tells_what_controllers_have_set(lobby: Lobby) -> None:
    """Volume, mute, the pause, the default voices, how the last announcement ended."""
    lobby.settings.set_muted(True)
    lobby.settings.set_voice("zm", ("zh",))
    lobby.scheduler.handle(Pause(), NOW)
    lobby.vitals.note(ended())
    lobby.reporter.publish_state(lobby.session)
    (state,) = lobby.retained("state")
    assert (state["muted"], state["paused"], state["voice"]) == (True, True, "zm+af")
    assert state["last"] == {"id": "a", "status": "failed", "code": "audio_lost", "ts": 1.5}


def test_a_voice_of_both_languages_is_named_once(lobby: Lobby) -> None:
    """Not vivian+vivian."""
    lobby.settings.set_voice("zm", ("zh", "en"))
    assert lobby.records.state().voice == "zm"


@pytest.mark.parametrize("who", ["mqtt", "templates", "device.id", "synth"])
def test_a_fault_is_named(lobby: Lobby, who: str) -> None:
    """It works, and says what is wrong with it."""
    lobby.vitals.faults[who] = "is broken"
    state = lobby.records.state()
    assert (state.state, state.reason) == ("degraded", f"{who}: is broken")


def test_while_the_voice_loads_it_is_warming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no voice is claimed."""
    state = Lobby(tmp_path, monkeypatch, are_ready=False).records.state()
    assert (state.state, state.voice) == ("warming", None)


def test_the_status_document_holds_what_a_person_asks_for(lobby: Lobby) -> None:
    """What waits, the most urgent first, and the last results; of old ones only the newest twenty."""
    waiting = {"a": Request(text="x", key="gate"), "b": Request(text="y", priority=Priority.HIGH)}
    for request_id, request in waiting.items():
        lobby.scheduler.handle(Accepted(request_id, request), NOW)
    for number in range(25):
        lobby.vitals.note(ended(id=str(number)))
    document = lobby.records.document(lobby.session)
    assert [(w["id"], w["priority"], w["key"]) for w in document["queue"]] == [
        ("b", "high", None),
        ("a", "normal", "gate"),
    ]
    assert [result["id"] for result in document["results"]] == [str(number) for number in range(5, 25)]
    assert document["state"]["queue"] == 2


def test_the_status_document_tells_what_the_device_has_granted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that `edged doctor` need not open it; null while there is none."""
    told = []
    for are_ready in (True, False):
        lobby = Lobby(tmp_path / str(are_ready), monkeypatch, are_ready=are_ready)
        told.append(lobby.records.document(lobby.session)["audio"])
    assert PlayerReady.model_validate(told[0]) == PLAYER_READY
    assert told[1] is None
