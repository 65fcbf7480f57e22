"""What the passing of time asks for."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from edged.core import events
from edged.core.governor import ThermalLevel
from edged.daemon import upkeep as upkeep_module
from edged.daemon.upkeep import Upkeep
from edged.protocol.state import ThrottleCounters
from edged.workers import messages
from tests.fakes.lobby import Lobby

MakeLobby = Callable[..., tuple[Lobby, Upkeep]]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeLobby:
    """A device with these settings, on a board that is cool, whose session beats."""
    monkeypatch.setattr(upkeep_module, "cpu_temperature_c", lambda: 50.0)
    monkeypatch.setattr(upkeep_module, "throttle_counts", lambda: None)

    def make_lobby(config: dict[str, object] | None = None) -> tuple[Lobby, Upkeep]:
        lobby = Lobby(tmp_path, monkeypatch, config)
        now_s = time.monotonic()
        for worker in ("synth", "player", "mqtt"):
            lobby.health.started(worker, now_s)
            lobby.health.ready(worker, now_s)
        upkeep = Upkeep(
            lobby.config,
            lobby.health,
            lobby.stage,
            lobby.records,
            lobby.vitals,
            lobby.reporter,
            lobby.service,
            lobby.events.append,
        )
        lobby.events.clear()
        return lobby, upkeep

    return make_lobby


def set_clock(monkeypatch: pytest.MonkeyPatch, hour: int, minute: int) -> None:
    """The wall clock shows this."""
    local = time.struct_time((2026, 7, 1, hour, minute, 0, 2, 182, 0))
    monkeypatch.setattr(time, "localtime", lambda: local)


def test_quiet_hours_are_told_when_they_begin_and_end(
    make: MakeLobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once each, by the local clock."""
    lobby, upkeep = make({"queue": {"quiet_hours": "22:00-06:30"}})
    for hour, minute in ((21, 59), (22, 0), (3, 0), (6, 29), (6, 30), (12, 0)):
        set_clock(monkeypatch, hour, minute)
        upkeep.tick(lobby.session)
    told = [event for event in lobby.events if isinstance(event, events.QuietHours)]
    assert told == [events.QuietHours(True), events.QuietHours(False)]


def test_every_tick_reaches_the_scheduler(make: MakeLobby) -> None:
    """Announcements expire by it."""
    lobby, upkeep = make()
    upkeep.tick(lobby.session)
    upkeep.tick(lobby.session)
    assert lobby.events == [events.Tick()] * 2


def test_heat_means_fewer_threads_and_is_told(make: MakeLobby, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the synth, the scheduler, and the broker at once."""
    lobby, upkeep = make({"threads": {"synth": 4}, "thermal": {"poll_s": 0.1}})
    upkeep.tick(lobby.session)
    monkeypatch.setattr(upkeep_module, "cpu_temperature_c", lambda: 85.0)
    monkeypatch.setattr(upkeep_module, "throttle_counts", lambda: (3, 5))
    monkeypatch.setattr(upkeep, "_temperature_due_s", 0.0)
    upkeep.tick(lobby.session)
    assert events.ThermalChanged(ThermalLevel.WARM) in lobby.events
    assert isinstance(lobby.synth.sent[-1], messages.SetThreads)
    cool, warm = lobby.retained("health")
    assert (cool["thermal"], warm["thermal"]) == ("nominal", "warm")
    assert lobby.vitals.throttled == ThrottleCounters(core=3, package=5)


def test_a_child_that_hangs_is_ended_and_the_watchdog_starves(make: MakeLobby) -> None:
    """The watchdog is fed only by a tick that has seen everybody alive."""
    lobby, upkeep = make()
    upkeep.tick(lobby.session)
    assert "WATCHDOG=1" in lobby.service.lines
    lobby.service.lines.clear()
    lobby.health.started("player", time.monotonic() - 3600)
    upkeep.tick(lobby.session)
    assert lobby.player.kills == 1
    assert lobby.synth.kills == 0
    assert "WATCHDOG=1" not in lobby.service.lines


def test_a_silent_network_thread_starves_the_watchdog(make: MakeLobby) -> None:
    """It cannot be ended by itself: systemd ends the whole."""
    lobby, upkeep = make()
    lobby.mqtt.silence_s = 3600.0
    lobby.health.started("mqtt", time.monotonic() - 3600)
    upkeep.tick(lobby.session)
    assert "WATCHDOG=1" not in lobby.service.lines
    assert lobby.player.kills + lobby.synth.kills == 0


def test_ready_is_told_once_nobody_warms_up_any_more(make: MakeLobby) -> None:
    """Not before, and not again."""
    lobby, upkeep = make()
    lobby.health.started("synth", time.monotonic())
    upkeep.tick(lobby.session)
    assert "READY=1" not in lobby.service.lines
    lobby.health.ready("synth", time.monotonic())
    upkeep.tick(lobby.session)
    upkeep.tick(lobby.session)
    assert lobby.service.lines.count("READY=1") == 1
