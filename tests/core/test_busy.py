"""What a new announcement does to those before it: `on_busy`, `key` and emergencies."""

from __future__ import annotations

import pytest

from edged.core.events import CancelSynth, StopPlay, WorkerReady
from edged.protocol.command import Pause, Stop
from edged.protocol.result import Code, Status
from tests.core.bench import Bench, results, started, verdicts


def waiting_ids(bench: Bench) -> list[str]:
    """The queue, first to last."""
    return [waiting.id for waiting in bench.scheduler.queue]


def test_queue_waits_for_its_turn() -> None:
    """Two at the same moment are both heard, in order."""
    bench = Bench()
    bench.accept("a")
    assert bench.accept("b", on_busy="queue") == []
    assert bench.finish_all() == ["a", "b"]


# --- emergency -----------------------------------------------------------------------------------


@pytest.mark.parametrize("priority", ["high", "normal", "low", "background"])
def test_an_emergency_interrupts_whatever_is_below_it(priority: str) -> None:
    """That falls silent with the result `interrupted`, and the emergency is next."""
    bench = Bench()
    bench.accept("a", priority=priority)
    bench.accept("b", priority="high")
    assert bench.accept("fire", priority="emergency") == [CancelSynth("a"), StopPlay("a")]
    commands = bench.fall_silent("a")
    (result,) = results(commands)
    assert (result.status, result.code, result.reason) == (Status.INTERRUPTED, None, "by fire")
    assert started(commands) == ["fire"]


def test_an_emergency_waits_for_another() -> None:
    """The first alarm is heard to its end."""
    bench = Bench()
    bench.accept("fire", priority="emergency")
    assert bench.accept("flood", priority="emergency") == []
    assert bench.finish_all() == ["fire", "flood"]


def test_an_emergency_interrupts_a_paused_one_of_its_kind() -> None:
    """It cannot wait for somebody to resume."""
    bench = Bench()
    bench.accept("fire", priority="emergency")
    bench.tell(Pause())
    assert StopPlay("fire") in bench.accept("flood", priority="emergency")
    assert started(bench.fall_silent("fire")) == ["flood"]


# --- interrupt -----------------------------------------------------------------------------------


@pytest.mark.parametrize("priority", ["normal", "low"])
def test_interrupt_ends_one_of_equal_or_lower_priority(priority: str) -> None:
    """Barge-in: the current one is `interrupted`, the new one is spoken before those that wait."""
    bench = Bench()
    bench.accept("a", priority=priority)
    bench.accept("b")
    assert bench.accept("now", on_busy="interrupt") == [CancelSynth("a"), StopPlay("a")]
    commands = bench.fall_silent("a")
    (result,) = results(commands)
    assert (result.status, result.code, result.reason) == (Status.INTERRUPTED, None, "by now")
    assert started(commands) == ["now"]
    assert bench.finish_all() == ["now", "b"]


def test_interrupt_leaves_the_more_urgent_alone() -> None:
    """It is spoken after that one, and still before all others of its own priority."""
    bench = Bench()
    bench.accept("urgent", priority="high")
    bench.accept("b")
    assert bench.accept("now", on_busy="interrupt") == []
    assert bench.finish_all() == ["urgent", "now", "b"]


def test_interrupt_when_idle_is_spoken_at_once() -> None:
    """There is nothing to interrupt."""
    assert started(Bench().accept("a", on_busy="interrupt")) == ["a"]


def test_an_interrupted_one_is_told_once() -> None:
    """Several interruptions before the device is silent, a stop among them: the first is the reason."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b", on_busy="interrupt")
    assert bench.accept("c", on_busy="interrupt") == []
    assert bench.tell(Stop()) == []
    commands = bench.fall_silent("a")
    assert [(result.id, result.reason) for result in results(commands)] == [("a", "by b")]
    assert bench.finish_all() == ["c", "b"]


# --- key -----------------------------------------------------------------------------------------


def test_a_newer_one_replaces_the_waiting_one_of_its_key() -> None:
    """Only the newest news about one thing is spoken; other keys and the current one are left alone."""
    bench = Bench()
    bench.accept("current", key="gate 12")
    bench.accept("old", key="gate 12")
    bench.accept("other", key="gate 7")
    commands = bench.accept("new", key="gate 12")
    (result,) = results(commands)
    assert (result.id, result.status, result.code) == ("old", Status.CANCELLED, Code.REPLACED)
    assert result.reason == "by new"
    assert bench.finish_all() == ["current", "new", "other"]


def test_no_key_is_not_a_common_key() -> None:
    """Announcements without one do not replace each other."""
    bench = Bench()
    for request_id in "abc":
        assert results(bench.accept(request_id, on_busy="queue")) == []
    assert bench.finish_all() == ["a", "b", "c"]


def test_a_text_renewed_faster_than_its_turn_comes_is_heard() -> None:
    """The newer one takes the older one's place; at the end of the queue it would never be spoken."""
    bench = Bench()
    bench.accept("current")
    bench.accept("bus", key="bus")
    for n in range(5):
        bench.accept(f"other-{n}")
        bench.accept(f"bus-{n}", key="bus")
    assert started(bench.finish("current")) == ["bus-4"]


@pytest.mark.parametrize(("older", "newer"), [("normal", "high"), ("high", "normal")])
def test_a_key_replaces_over_priorities(older: str, newer: str) -> None:
    """The newer one waits in the line of its own priority."""
    bench = Bench()
    bench.accept("current")
    bench.accept("old", key="k", priority=older)
    bench.accept("same", priority=newer)
    assert verdicts(bench.accept("new", key="k", priority=newer)) == [
        ("old", Status.CANCELLED, Code.REPLACED)
    ]
    assert waiting_ids(bench) == ["same", "new"]


def test_a_replacement_needs_no_room() -> None:
    """It takes the old one's place in a full queue."""
    bench = Bench(max_waiting=2)
    for request_id, key in (("current", None), ("a", "k"), ("b", None)):
        bench.accept(request_id, key=key)
    assert verdicts(bench.accept("new", key="k")) == [("a", Status.CANCELLED, Code.REPLACED)]
    assert waiting_ids(bench) == ["new", "b"]


def test_a_refused_one_replaces_nothing() -> None:
    """What is too late to be spoken does not take the older one with it."""
    bench = Bench()
    bench.accept("current")
    bench.accept("old", key="k")
    assert verdicts(bench.accept("late", key="k", lifetime_s=0.0)) == [("late", Status.EXPIRED, Code.EXPIRED)]
    assert waiting_ids(bench) == ["old"]


# --- replace_same_key ----------------------------------------------------------------------------


def test_replace_same_key_ends_the_current_one_of_its_key_too() -> None:
    """Both older ones are `replaced`, and the new one is next."""
    bench = Bench()
    bench.accept("current", key="k")
    bench.accept("other")
    bench.accept("old", key="k")
    commands = bench.accept("new", key="k", on_busy="replace_same_key")
    assert verdicts(commands) == [("old", Status.CANCELLED, Code.REPLACED)]
    assert commands[-2:] == [CancelSynth("current"), StopPlay("current")]
    commands = bench.fall_silent("current")
    assert verdicts(commands) == [("current", Status.INTERRUPTED, Code.REPLACED)]
    assert started(commands) == ["new"]
    assert waiting_ids(bench) == ["other"]


def test_replace_same_key_leaves_other_keys_alone() -> None:
    """It waits like any other."""
    bench = Bench()
    bench.accept("current", key="gate 7")
    bench.accept("keyless")
    assert bench.accept("new", key="gate 12", on_busy="replace_same_key") == []
    assert bench.finish_all() == ["current", "keyless", "new"]


# --- drop ----------------------------------------------------------------------------------------


def test_drop_is_spoken_only_when_nothing_else_is_there() -> None:
    """`busy` while something is spoken, and also while something waits."""
    busy = ("drop", Status.REJECTED, Code.BUSY)
    bench = Bench()
    bench.accept("a")
    assert verdicts(bench.accept("drop", on_busy="drop")) == [busy]
    bench.finish("a")
    assert started(bench.accept("b", on_busy="drop")) == ["b"]

    bench = Bench(is_ready=False)
    bench.accept("a")
    assert verdicts(bench.accept("drop", on_busy="drop")) == [busy]
    bench.tell(WorkerReady("synth"), WorkerReady("player"))
    assert bench.finish_all() == ["a"]


def test_drop_replaces_nothing() -> None:
    """The older one of its key is what it gives way to."""
    bench = Bench()
    bench.accept("current")
    bench.accept("old", key="k")
    assert verdicts(bench.accept("new", key="k", on_busy="drop")) == [("new", Status.REJECTED, Code.BUSY)]
    assert waiting_ids(bench) == ["old"]
