"""When the daemon says again what it says of itself."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from edged.protocol.result import Code, Result, Status
from edged.protocol.state import ThrottleCounters
from tests.fakes.lobby import Lobby

DISCOVERY = "homeassistant/device/lobby/config"


@pytest.fixture
def lobby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lobby:
    return Lobby(tmp_path, monkeypatch)


def ended(status: Status = Status.FAILED, code: Code | None = Code.AUDIO_LOST, **figures: object) -> Result:
    return Result.model_validate(
        {"id": "a", "status": status, "code": code, "device": "lobby", "ts": 1.5, **figures}
    )


def test_the_state_is_told_once_until_it_changes(lobby: Lobby) -> None:
    """Retained topics are read by many; nobody needs the same again."""
    lobby.reporter.publish_state(lobby.session)
    lobby.reporter.publish_state(lobby.session)
    assert len(lobby.retained("state")) == 1
    lobby.settings.set_volume(30)
    lobby.reporter.publish_state(lobby.session)
    first, second = lobby.retained("state")
    assert (first["volume"], second["volume"]) == (100, 30)
    assert first["since"] == second["since"], "it is online since the same moment"


def test_health_is_told_when_something_matters_has_changed(lobby: Lobby) -> None:
    """Not when only the load or a counter of messages has."""
    lobby.reporter.publish_health(lobby.session)
    lobby.reporter.publish_health_if_changed(lobby.session)
    assert len(lobby.retained("health")) == 1
    lobby.vitals.throttled = ThrottleCounters(core=1, package=1)
    lobby.reporter.publish_health_if_changed(lobby.session)
    lobby.vitals.note(ended(xruns=2, rtf=0.5))
    lobby.reporter.publish_health_if_changed(lobby.session)
    lobby.mqtt.connects += 1
    lobby.reporter.publish_health_if_changed(lobby.session)
    lobby.reporter.publish_health_if_changed(lobby.session)
    told = lobby.retained("health")
    assert [one["xruns"] for one in told] == [0, 0, 2, 2]
    assert told[-1]["throttled"] == {"core": 1, "package": 1}
    assert told[-1]["rtf"] == 0.5


def test_info_brings_the_record_for_home_assistant(lobby: Lobby) -> None:
    """Both are made of what the children have told."""
    lobby.reporter.publish_info(lobby.session)
    (info,) = lobby.retained("info")
    (record,) = lobby.mqtt.retained[DISCOVERY]
    assert [voice["name"] for voice in info["voices"]] == ["zf", "zm", "af"]
    assert info["templates"] == ["ticket_call"]
    assert record["cmps"]["voice_zh"]["ops"] == ["zf", "zm"]


def test_without_discovery_an_earlier_record_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise Home Assistant would show a device that nobody wants there, for ever."""
    lobby = Lobby(tmp_path, monkeypatch, {"homeassistant": {"discovery": False}})
    lobby.reporter.publish_info(lobby.session)
    assert lobby.mqtt.retained[DISCOVERY] == [None]


def test_who_has_forgotten_everything_hears_everything(lobby: Lobby) -> None:
    """State, health, info and the record, though none has changed."""
    for _ in range(2):
        lobby.reporter.publish_all(lobby.session)
    assert {topic: len(told) for topic, told in lobby.mqtt.retained.items()} == {
        "edged/lobby/state": 2, "edged/lobby/health": 2, "edged/lobby/info": 2, DISCOVERY: 2,
    }  # fmt: skip


def test_systemd_is_told_a_new_line_only(lobby: Lobby) -> None:
    """What `systemctl status` shows: also that the broker is there, which is no part of the state."""
    lobby.mqtt.is_up = False
    lobby.reporter.publish_state(lobby.session)
    lobby.reporter.publish_state(lobby.session)
    lobby.mqtt.is_up = True
    lobby.reporter.publish_state(lobby.session)
    without, with_broker = lobby.service.lines
    assert "no broker" in without
    assert "broker connected" in with_broker


def test_only_a_change_of_the_state_itself_is_logged(lobby: Lobby, caplog: pytest.LogCaptureFixture) -> None:
    """A warning when it is degraded; the volume is no news for the log."""
    caplog.set_level(logging.INFO)
    lobby.reporter.publish_state(lobby.session)
    lobby.settings.set_volume(1)
    lobby.reporter.publish_state(lobby.session)
    lobby.vitals.faults["player"] = "unplugged"
    lobby.reporter.publish_state(lobby.session)
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("INFO", "online"),
        ("WARNING", "degraded: player: unplugged"),
    ]
