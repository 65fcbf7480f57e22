"""Heartbeats in, ready / warming / stopped / stuck out."""

from __future__ import annotations

import pytest

from edged.core.health import Health, HealthReport, Stuck

WORKERS = ("synth", "player")


@pytest.fixture
def health() -> Health:
    """Both workers started at 100 s; the player is ready, the synth warms up."""
    health = Health(dict.fromkeys(WORKERS, 10.0), dict.fromkeys(WORKERS, 300.0))
    health.started("synth", 100.0)
    health.started("player", 100.0)
    health.ready("player", 101.0)
    return health


def test_before_anything_started_nothing_is_ready_and_nothing_hangs() -> None:
    """Workers that do not exist yet are stopped."""
    report = Health(dict.fromkeys(WORKERS, 10.0), dict.fromkeys(WORKERS, 300.0)).report(0.0)
    assert report == HealthReport(ready_workers=(), warming=(), stopped=WORKERS, stuck=())
    assert not report.ready
    assert report.alive


def test_one_warming_worker_keeps_the_whole_from_ready(health: Health) -> None:
    """Ready means every worker."""
    report = health.report(102.0)
    assert (report.ready_workers, report.warming) == (("player",), ("synth",))
    assert not report.ready
    assert report.alive


def test_all_ready_workers_make_the_whole_ready(health: Health) -> None:
    """The last one to become ready decides."""
    health.ready("synth", 130.0)
    health.heartbeat("player", 130.0)
    assert health.report(131.0).ready


def test_a_silent_worker_is_stuck_and_says_for_how_long(health: Health) -> None:
    """Just the allowed silence is still alive, more is a hang."""
    assert health.report(111.0).alive
    report = health.report(111.5)
    assert report.stuck == (Stuck("player", 10.5),)
    assert not report.alive
    assert not report.ready


def test_a_heartbeat_ends_a_hang(health: Health) -> None:
    """A worker that was only slow is alive again."""
    assert not health.report(150.0).alive
    health.heartbeat("player", 150.0)
    assert health.report(150.0).alive


def test_warming_may_be_silent_for_longer_but_not_for_ever(health: Health) -> None:
    """Compiling blocks the worker's thread; a compile that never ends is a hang."""
    for now_s in range(110, 401, 10):
        health.heartbeat("player", now_s)
    assert health.report(400.0).alive
    health.heartbeat("player", 401.0)
    assert health.report(401.0).stuck == (Stuck("synth", 301.0),)


def test_a_heartbeat_while_warming_is_not_readiness(health: Health) -> None:
    """Only the worker itself says that it can work."""
    health.heartbeat("synth", 120.0)
    assert health.report(121.0).warming == ("synth",)


def test_the_allowance_ends_with_warming(health: Health) -> None:
    """Once ready, the short silence counts."""
    health.ready("synth", 120.0)
    assert Stuck("synth", 11.0) in health.report(131.0).stuck


def test_a_stopped_worker_is_not_stuck(health: Health) -> None:
    """A worker that waits for its restart is down, which the watchdog is no remedy for."""
    health.ready("synth", 101.0)
    health.stopped("player")
    report = health.report(105.0)
    assert report.stopped == ("player",)
    assert report.alive
    assert not report.ready


def test_late_news_of_a_stopped_worker_is_ignored(health: Health) -> None:
    """A heartbeat that arrives after the end does not bring a process back."""
    health.stopped("player")
    health.heartbeat("player", 105.0)
    health.ready("player", 105.0)
    assert health.report(105.0).stopped == ("player",)


def test_a_restart_warms_up_again(health: Health) -> None:
    """A new process has the whole allowance, whatever the old one had used."""
    health.stopped("player")
    health.started("player", 500.0)
    assert health.report(700.0).warming == ("player",)


def test_an_unknown_worker_is_a_mistake(health: Health) -> None:
    """A misspelt name must not invent a worker that nobody watches."""
    with pytest.raises(KeyError):
        health.heartbeat("sinth", 100.0)
