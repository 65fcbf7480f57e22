"""The life of one announcement and of the queue. Times are seconds of a clock that the test moves."""

from __future__ import annotations

import pytest

from edged.core.events import (
    Accepted,
    CancelSynth,
    Event,
    Exit,
    PlayDone,
    PlayFailed,
    PlayStarted,
    PlayStopped,
    Publish,
    Shutdown,
    StartJob,
    StopPlay,
    SynthEnd,
    SynthFailed,
    SynthPlanned,
    ThermalChanged,
    Tick,
    WorkerReady,
)
from edged.core.governor import ThermalLevel
from edged.protocol.command import Cancel, Stop
from edged.protocol.request import Request
from edged.protocol.result import Code, Result, Status
from tests.core.bench import WALL_S, Bench, results, started, verdicts


def test_an_announcement_from_beginning_to_end() -> None:
    """It starts at once when idle, and `finished` comes with the last sample, with all figures."""
    bench = Bench()
    request = Request(text="hi")
    assert bench.tell(Accepted("a", request, ("unknown_field: colour",))) == [StartJob("a", request)]
    bench.now_s += 0.2
    planned = SynthPlanned("a", voice="zf_xiaobei", warnings=("skipped: ☃",))
    assert bench.tell(planned, PlayStarted("a", 100.31)) == []
    bench.now_s += 2.0
    ended = SynthEnd("a", audio_ms=2000, synth_ms=500, warnings=("clip_skipped: ding",), cache="hit")
    assert bench.tell(ended) == []
    (publish,) = bench.tell(PlayDone("a", audio_ms=2010, xruns=1))
    assert publish == Publish(
        Result(
            id="a",
            status=Status.FINISHED,
            queued_ms=0,
            synth_ms=500,
            first_audio_ms=310,
            audio_ms=2010,
            rtf=0.25,
            cache="hit",
            voice="zf_xiaobei",
            xruns=1,
            warnings=("unknown_field: colour", "skipped: ☃", "clip_skipped: ding"),
            device="lobby",
            ts=WALL_S,
        )
    )


def test_one_at_a_time() -> None:
    """The second waits until the first is out of the device, and its wait is told."""
    bench = Bench()
    assert started(bench.accept("a")) == ["a"]
    assert bench.accept("b") == []
    bench.now_s += 3.0
    assert started(bench.finish("a")) == ["b"]
    (result,) = results(bench.finish("b"))
    assert result.queued_ms == 3000


def test_repetitions_are_one_announcement() -> None:
    """Said three times is one job, one stop and one result."""
    bench = Bench()
    request = Request(text="A 15, counter 3", repeat=3, repeat_mode="each")
    assert bench.tell(Accepted("a", request)) == [StartJob("a", request)]
    assert verdicts(bench.finish("a")) == [("a", Status.FINISHED, None)]


def test_the_most_urgent_first_and_in_order_among_equals() -> None:
    """Emergency, high, normal, low, background; first come first served within."""
    bench = Bench(is_ready=False)
    for priority in ("background", "low", "normal", "high", "emergency"):
        bench.accept(f"{priority}-1", priority=priority)
        bench.accept(f"{priority}-2", priority=priority)
    order = started(bench.tell(WorkerReady("synth"), WorkerReady("player")))
    while bench.scheduler.current_id:
        order += started(bench.finish(bench.scheduler.current_id))
    assert order == [f"{p}-{n}" for p in ("emergency", "high", "normal", "low", "background") for n in (1, 2)]


def test_nothing_is_lost_while_the_workers_start() -> None:
    """Both workers are needed; until then requests wait."""
    bench = Bench(is_ready=False)
    assert bench.accept("a") == []
    assert bench.tell(WorkerReady("synth"), Tick()) == []
    assert started(bench.tell(WorkerReady("player"))) == ["a"]


def test_a_full_queue_answers() -> None:
    """Overflow is a result, not silence."""
    bench = Bench(max_waiting=2)
    for request_id in "abc":
        assert results(bench.accept(request_id)) == []
    assert verdicts(bench.accept("d")) == [("d", Status.REJECTED, Code.QUEUE_FULL)]
    assert bench.scheduler.queue_length == 2


def test_a_restart_finds_room_for_all_that_was_accepted() -> None:
    """A full queue and the one before it come back before anything can be spoken: none of them is refused."""
    bench = Bench(max_waiting=2, is_ready=False)
    for request_id in "abc":
        assert results(bench.accept(request_id)) == []
    assert verdicts(bench.accept("d")) == [("d", Status.REJECTED, Code.QUEUE_FULL)]
    bench.tell(WorkerReady("synth"), WorkerReady("player"))
    assert verdicts(bench.accept("e")) == [("e", Status.REJECTED, Code.QUEUE_FULL)]
    assert bench.finish_all() == ["a", "b", "c"]


def test_a_full_queue_makes_room_for_the_more_urgent() -> None:
    """Urgent news is not refused because of many advertisements: the newest of the least urgent goes."""
    bench = Bench(max_waiting=3)
    bench.accept("current")
    for request_id, priority in (("low-1", "low"), ("low-2", "low"), ("normal", "normal")):
        bench.accept(request_id, priority=priority)
    assert verdicts(bench.accept("high", priority="high")) == [("low-2", Status.REJECTED, Code.QUEUE_FULL)]
    assert started(bench.finish("current")) == ["high"]


def test_late_announcements_expire() -> None:
    """Spoken late is worse than unspoken: by the clock, at their turn, and on arrival."""
    bench = Bench()
    bench.accept("current")
    bench.accept("brief", lifetime_s=2.0)
    bench.accept("briefer", lifetime_s=1.0)
    bench.accept("patient", lifetime_s=60.0)
    bench.now_s += 1.0
    assert verdicts(bench.tell(Tick())) == [("briefer", Status.EXPIRED, Code.EXPIRED)]
    bench.now_s += 1.0
    commands = bench.finish("current")
    assert ("brief", Status.EXPIRED, Code.EXPIRED) in verdicts(commands)
    assert started(commands) == ["patient"]
    assert verdicts(bench.accept("recovered", lifetime_s=-5.0)) == [
        ("recovered", Status.EXPIRED, Code.EXPIRED)
    ]


def test_what_has_begun_does_not_expire() -> None:
    """The time to live is for the unspoken."""
    bench = Bench()
    bench.accept("a", lifetime_s=1.0)
    bench.now_s += 5.0
    assert bench.tell(Tick()) == []


def test_stop_silences_the_current_one_and_answers_when_it_is_silent() -> None:
    """Synthesis and sound end at once, the result follows the silence, then the next one starts."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.tell(Stop()) == [CancelSynth("a"), StopPlay("a")]
    assert bench.tell(Stop()) == []
    commands = bench.tell(PlayStopped("a", played_ms=700))
    assert verdicts(commands) == [("a", Status.CANCELLED, None)]
    assert results(commands)[0].audio_ms == 700
    assert started(commands) == ["b"]


def test_stop_leaves_a_synthesis_that_is_over_alone() -> None:
    """Only the player has something to stop."""
    bench = Bench()
    bench.accept("a")
    bench.tell(SynthEnd("a", 1000, 200))
    assert bench.tell(Stop()) == [StopPlay("a")]


def test_stop_all_takes_the_queue_too() -> None:
    """Nothing is spoken afterwards."""
    bench = Bench()
    for request_id in "abc":
        bench.accept(request_id)
    commands = bench.tell(Stop(everything=True))
    assert commands[:2] == [CancelSynth("a"), StopPlay("a")]
    assert verdicts(commands) == [("b", Status.CANCELLED, None), ("c", Status.CANCELLED, None)]
    assert started(bench.tell(PlayStopped("a"))) == []


def test_stop_by_id() -> None:
    """A waiting one is dropped, the current one stopped, an unknown one ignored."""
    bench = Bench()
    for request_id in "abc":
        bench.accept(request_id)
    assert verdicts(bench.tell(Stop(id="b"))) == [("b", Status.CANCELLED, None)]
    assert bench.tell(Stop(id="nobody")) == []
    assert bench.tell(Stop(id="a")) == [CancelSynth("a"), StopPlay("a")]


def test_cancel_by_id_is_stop_by_id() -> None:
    """A waiting one is dropped, the current one stopped, an unknown one ignored."""
    bench = Bench()
    for request_id in "ab":
        bench.accept(request_id)
    assert verdicts(bench.tell(Cancel(id="b"))) == [("b", Status.CANCELLED, None)]
    assert bench.tell(Cancel(id="nobody")) == []
    assert bench.tell(Cancel(id="a")) == [CancelSynth("a"), StopPlay("a")]


def test_cancel_by_key_takes_all_of_that_key() -> None:
    """The one being spoken and the one that waits; those of another key or of none stay."""
    bench = Bench()
    bench.accept("current", key="gate 12")
    bench.accept("waiting", key="gate 12")
    bench.accept("other", key="gate 7")
    bench.accept("keyless")
    commands = bench.tell(Cancel(key="gate 12"))
    assert commands[:2] == [CancelSynth("current"), StopPlay("current")]
    assert verdicts(commands) == [("waiting", Status.CANCELLED, None)]
    assert [waiting.id for waiting in bench.scheduler.queue] == ["other", "keyless"]


def test_stop_when_idle_does_nothing() -> None:
    """There is nothing to stop, and nothing waits for it."""
    assert Bench().tell(Stop(), Stop(everything=True)) == []


def test_an_end_that_overtakes_the_stop_is_still_one_result() -> None:
    """The last sample left before the player heard of the stop."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Stop())
    assert len(results(bench.tell(PlayDone("a", 1000, 0), PlayStopped("a")))) == 1


def test_a_failed_synthesis_silences_what_was_begun() -> None:
    """A failure is never a short success: the rest stops, the code is the engine's."""
    bench = Bench()
    bench.accept("a")
    assert bench.tell(SynthFailed("a", "runaway", "no end of speech")) == [StopPlay("a")]
    (result,) = results(bench.tell(PlayStopped("a")))
    assert (result.status, result.code, result.reason) == (Status.FAILED, Code.RUNAWAY, "no end of speech")


@pytest.mark.parametrize(
    ("code", "status", "published"),
    [
        ("empty", Status.REJECTED, Code.EMPTY),
        ("too_long", Status.REJECTED, Code.TOO_LONG),
        ("model_unavailable", Status.FAILED, Code.MODEL_UNAVAILABLE),
        ("internal", Status.FAILED, Code.ENGINE_CRASHED),
    ],
)
def test_a_workers_code_becomes_a_stable_one(code: str, status: Status, published: Code) -> None:
    """What is the request's own fault is `rejected`; a code the protocol does not know is the engine's."""
    bench = Bench()
    bench.accept("a")
    bench.tell(SynthFailed("a", code, "why"))
    assert verdicts(bench.tell(PlayStopped("a"))) == [("a", status, published)]


def test_late_news_changes_nothing() -> None:
    """Messages about an announcement that is over, or was never there, have no effect on the current one."""
    bench = Bench()
    bench.accept("a")
    bench.finish("a")
    bench.accept("b")
    late: list[Event] = [
        SynthPlanned("a", "x"), SynthEnd("a", 1, 1), SynthFailed("a", "runaway", ""), PlayStarted("a", 1.0),
        PlayDone("a", 1, 1), PlayFailed("a", "audio_lost", ""), PlayStopped("a"), PlayDone("never", 1, 1),
    ]  # fmt: skip
    assert bench.tell(*late) == []
    (result,) = results(bench.finish("b"))
    assert (result.voice, result.xruns) == (None, 0)


def test_critical_heat_refuses_all_but_high_and_emergency() -> None:
    """The waiting ones and the new ones; the one being spoken goes on."""
    bench = Bench()
    bench.accept("current")
    bench.accept("waiting")
    overheated = (Status.REJECTED, Code.OVERHEATED)
    assert verdicts(bench.tell(ThermalChanged(ThermalLevel.CRITICAL))) == [("waiting", *overheated)]
    assert verdicts(bench.accept("new")) == [("new", *overheated)]
    assert bench.accept("important", priority="high") == []
    assert started(bench.finish("current")) == ["important"]


def test_a_hot_board_holds_background_work_back() -> None:
    """It waits, is not refused, and goes on when the board has cooled down."""
    bench = Bench()
    bench.tell(ThermalChanged(ThermalLevel.HOT))
    assert bench.accept("advert", priority="background") == []
    assert started(bench.accept("call")) == ["call"]
    assert started(bench.finish("call")) == []
    assert started(bench.tell(ThermalChanged(ThermalLevel.WARM))) == ["advert"]


def test_shutdown_silences_first_and_keeps_the_queue_for_the_journal() -> None:
    """The current one is told as cut off, the waiting ones get no result: they are said after the restart."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.tell(Shutdown()) == [CancelSynth("a"), StopPlay("a")]
    commands = bench.tell(PlayStopped("a"))
    assert verdicts(commands) == [("a", Status.FAILED, Code.INTERRUPTED_BY_RESTART)]
    assert commands[-1] == Exit()
    assert started(commands) == []


def test_a_graceful_shutdown_lets_the_current_one_end() -> None:
    """Nothing new begins, what waits is left to the journal, and a stop still works."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.tell(Shutdown(is_graceful=True)) == []
    commands = bench.finish("a")
    assert verdicts(commands) == [("a", Status.FINISHED, None)]
    assert commands[-1] == Exit()
    assert bench.scheduler.queue_length == 1


def test_a_graceful_shutdown_can_be_hastened() -> None:
    """A second, plain one silences the current announcement."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Shutdown(is_graceful=True))
    assert bench.tell(Shutdown()) == [CancelSynth("a"), StopPlay("a")]
    assert verdicts(bench.tell(PlayStopped("a"))) == [("a", Status.FAILED, Code.INTERRUPTED_BY_RESTART)]


def test_shutdown_when_idle_ends_at_once() -> None:
    """Nothing sounds, nothing to wait for."""
    assert Bench().tell(Shutdown()) == [Exit()]
