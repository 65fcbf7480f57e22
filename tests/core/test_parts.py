"""Text that comes in parts. Times are seconds of a clock that the test moves."""

from __future__ import annotations

from itertools import permutations

import pytest

from edged.core.events import (
    AddText,
    CancelSynth,
    Command,
    PlayDone,
    Shutdown,
    StartJob,
    StopPlay,
    SynthEnd,
    Tick,
    WorkerLost,
    WorkerReady,
)
from edged.protocol.command import Stop
from edged.protocol.result import Code, Status
from tests.core.bench import Bench, results, started, verdicts

TIMEOUT_S = 30.0


def texts(commands: list[Command]) -> list[str]:
    """All text given to synthesis, in its order."""
    spoken: list[str] = []
    for command in commands:
        match command:
            case StartJob(request=request, more=more):
                spoken += [request.text or "", *more]
            case AddText(text=text):
                spoken.append(text)
    return spoken


def closings(commands: list[Command]) -> list[bool]:
    """Of each command with text, whether it is the last one."""
    return [
        command.is_last if isinstance(command, AddText) else not command.is_open
        for command in commands
        if isinstance(command, AddText | StartJob)
    ]


def test_the_first_part_starts_and_the_others_follow() -> None:
    """The job is open until its last part."""
    bench = Bench()
    (start,) = bench.accept("a", text="One,", part=0)
    assert isinstance(start, StartJob)
    assert (start.request.text, start.more, start.is_open) == ("One,", (), True)
    assert bench.add_part("a", 1, " two,") == [AddText("a", " two,", is_last=False)]
    assert bench.add_part("a", 2, " three.", is_last=True) == [AddText("a", " three.", is_last=True)]
    assert verdicts(bench.finish("a")) == [("a", Status.FINISHED, None)]


def test_one_part_that_is_the_last_is_a_plain_announcement() -> None:
    """Nothing more is awaited."""
    (start,) = Bench().accept("a", text="All.", part=0, last=True)
    assert isinstance(start, StartJob)
    assert not start.is_open


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_parts_in_any_order_are_spoken_in_that_of_their_numbers(order: tuple[int, ...]) -> None:
    """Each once, whatever comes first and whatever comes twice; it starts with part 0."""
    bench = Bench()
    first, *others = order
    commands = bench.accept("a", text=f"{first}.", part=first, last=first == 3)
    assert bool(commands) == (first == 0)
    for part in [*others, *order]:
        commands += bench.add_part("a", part, f"{part}.", is_last=part == 3)
    assert texts(commands) == ["0.", "1.", "2.", "3."]
    assert closings(commands) == [False] * (len(commands) - 1) + [True]


def test_without_part_0_it_does_not_hold_up_the_others() -> None:
    """It keeps its place in the queue and others are spoken meanwhile."""
    bench = Bench()
    assert bench.accept("a", text="two", part=1) == []
    assert started(bench.accept("b")) == ["b"]
    bench.accept("c")
    bench.add_part("a", 0, "one")
    assert bench.finish_all() == ["b", "a", "c"]


def test_what_came_while_it_waited_is_there_at_the_start() -> None:
    """StartJob carries all parts that are in order, AddText what comes after it."""
    bench = Bench(is_ready=False)
    bench.accept("a", text="one", part=0)
    assert bench.add_part("a", 1, "two") == []
    assert bench.add_part("a", 3, "four", is_last=True) == []
    (start,) = bench.tell(WorkerReady("synth"), WorkerReady("player"))
    assert isinstance(start, StartJob)
    assert (start.request.text, start.more, start.is_open) == ("one", ("two",), True)
    assert bench.add_part("a", 2, "three") == [
        AddText("a", "three", is_last=False),
        AddText("a", "four", is_last=True),
    ]


def test_what_comes_behind_the_last_part_is_not_spoken() -> None:
    """The last one is the last one."""
    bench = Bench()
    bench.accept("a", text="one", part=0)
    bench.add_part("a", 1, "two", is_last=True)
    assert bench.add_part("a", 2, "three", is_last=True) == []


def test_a_part_that_does_not_come_ends_the_waiting_not_the_speech() -> None:
    """What came is spoken to its end; the result names what is missing."""
    bench = Bench()
    bench.accept("a", text="one", part=0)
    bench.add_part("a", 1, "two")
    bench.add_part("a", 3, "four", is_last=True)
    bench.now_s += TIMEOUT_S - 1
    assert bench.tell(Tick()) == []
    bench.now_s += 1
    assert bench.tell(Tick()) == [AddText("a", "", is_last=True)]
    assert bench.tell(Tick()) == []
    assert bench.add_part("a", 2, "three") == []
    (result,) = results(bench.finish("a"))
    assert (result.status, result.code) == (Status.FAILED, Code.EXPIRED)
    assert result.reason == "part 2 did not come"
    assert result.audio_ms == 1000


def test_each_part_may_take_as_long_as_the_one_before() -> None:
    """The time counts from the newest part, not from the first."""
    bench = Bench()
    bench.accept("a", text="0", part=0)
    for part in range(1, 5):
        bench.now_s += TIMEOUT_S - 1
        assert bench.tell(Tick()) == []
        bench.add_part("a", part, "x")


def test_without_part_0_there_is_nothing_to_speak() -> None:
    """It is told as failed, and does not occupy the queue for ever."""
    bench = Bench()
    bench.accept("a", text="two", part=1)
    bench.now_s += TIMEOUT_S
    (result,) = results(bench.tell(Tick()))
    assert (result.status, result.code) == (Status.FAILED, Code.EXPIRED)
    assert result.reason == "part 0 did not come"
    assert bench.scheduler.queue_length == 0


def test_an_incomplete_one_is_not_given_up_before_its_turn() -> None:
    """It waits for others; as long as it waits its parts may come."""
    bench = Bench()
    bench.accept("current")
    bench.accept("a", text="one", part=0)
    bench.now_s += 2 * TIMEOUT_S
    assert bench.tell(Tick()) == []
    bench.add_part("a", 1, "two", is_last=True)
    assert texts(bench.finish("current")) == ["one", "two"]


def test_a_complete_one_is_not_overdue() -> None:
    """However long it speaks."""
    bench = Bench()
    bench.accept("a", text="one", part=0, last=True)
    bench.now_s += 2 * TIMEOUT_S
    assert bench.tell(Tick()) == []


def test_parts_that_are_too_long_together_end_it() -> None:
    """The one being spoken falls silent, a waiting one is taken out; the bench takes 40 characters."""
    for occupied in (False, True):
        bench = Bench()
        if occupied:
            bench.accept("current")
        bench.accept("a", text="x" * 20, part=0)
        assert results(bench.add_part("a", 1, "x" * 20)) == []
        commands = bench.add_part("a", 2, "x")
        if not occupied:
            assert commands == [CancelSynth("a"), StopPlay("a")]
            commands = bench.fall_silent("a")
        assert verdicts(commands) == [("a", Status.REJECTED, Code.TOO_LONG)]
        assert bench.add_part("a", 3, "more") == []


def test_a_stop_takes_all_parts() -> None:
    """Those that come later are not spoken, before and after the silence."""
    bench = Bench()
    bench.accept("a", text="one", part=0)
    bench.tell(Stop())
    assert bench.add_part("a", 1, "two") == []
    bench.now_s += TIMEOUT_S
    assert bench.tell(Tick()) == []
    assert verdicts(bench.fall_silent("a")) == [("a", Status.CANCELLED, None)]
    assert bench.add_part("a", 2, "three") == []


def test_nothing_is_added_to_a_synthesis_that_is_over() -> None:
    """It ended, or its process did."""
    for end in (SynthEnd("a", 1000, 200), WorkerLost("synth")):
        bench = Bench()
        bench.accept("a", text="one", part=0)
        bench.tell(end)
        assert bench.add_part("a", 1, "two") == []


def test_a_part_of_an_announcement_without_parts_is_ignored() -> None:
    """And so is one of an announcement nobody knows."""
    bench = Bench()
    bench.accept("a")
    assert bench.add_part("a", 1, "two") == []
    assert bench.add_part("nobody", 1, "two") == []


def test_a_graceful_shutdown_lets_an_open_one_end() -> None:
    """Its parts are still taken."""
    bench = Bench()
    bench.accept("a", text="one", part=0)
    bench.tell(Shutdown(is_graceful=True))
    assert texts(bench.add_part("a", 1, "two", is_last=True)) == ["two"]
    assert verdicts(bench.tell(PlayDone("a", 1000, 0))) == [("a", Status.FINISHED, None)]
