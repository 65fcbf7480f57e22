"""The scheduler's decisions, one by one. Times are seconds of a clock that the test moves."""

from __future__ import annotations

from typing import Any

import pytest

from edged.core.events import (
    Accepted,
    CancelSynth,
    Command,
    Event,
    Exit,
    Now,
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
    WorkerLost,
    WorkerReady,
    WorkerUnavailable,
)
from edged.core.governor import ThermalLevel
from edged.core.scheduler import PATIENCE_S, RESTART_PATIENCE_S, Scheduler
from edged.protocol.command import Stop
from edged.protocol.request import Request
from edged.protocol.result import Code, ReplyTo, Result, Stage, Status

WALL_S = 1_700_000_000.0


class Bench:
    """A scheduler with a clock; notes what it commands."""

    def __init__(self, *, max_waiting: int = 10, is_ready: bool = True) -> None:
        self.scheduler = Scheduler("lobby", max_waiting)
        self.now_s = 100.0
        if is_ready:
            self.tell(WorkerReady("synth"), WorkerReady("player"))

    def tell(self, *events: Event) -> list[Command]:
        """All commands that these events cause."""
        now = Now(self.now_s, WALL_S)
        return [command for event in events for command in self.scheduler.handle(event, now)]

    def accept(self, request_id: str, *, lifetime_s: float | None = None, **fields: Any) -> list[Command]:
        """A request arrives."""
        return self.tell(Accepted(request_id, Request(text="hi", **fields), lifetime_s=lifetime_s))

    def finish(self, request_id: str) -> list[Command]:
        """Its speech is synthesised and played to the end."""
        return self.tell(
            SynthEnd(request_id, audio_ms=1000, synth_ms=200),
            PlayStarted(request_id, self.now_s),
            PlayDone(request_id, audio_ms=1000, xruns=0),
        )


def started(commands: list[Command]) -> list[str]:
    """Ids of the announcements begun."""
    return [command.id for command in commands if isinstance(command, StartJob)]


def results(commands: list[Command]) -> list[Result]:
    """Results published."""
    return [command.result for command in commands if isinstance(command, Publish)]


def verdicts(commands: list[Command]) -> list[tuple[str, str, str | None]]:
    """Id, status and code of the results published."""
    return [(result.id, result.status, result.code) for result in results(commands)]


def test_an_announcement_from_beginning_to_end() -> None:
    """It starts at once when idle, and `finished` comes with the last sample, with all figures."""
    bench = Bench()
    reply = ReplyTo("kiosk/answers", b"17")
    request = Request(text="hi")
    assert bench.tell(Accepted("a", request, ("not_active: key",), reply)) == [StartJob("a", request)]
    bench.now_s += 0.2
    planned = SynthPlanned("a", voice="zf_xiaobei", warnings=("skipped: ☃",))
    assert bench.tell(planned, PlayStarted("a", 100.31)) == []
    bench.now_s += 2.0
    assert bench.tell(SynthEnd("a", audio_ms=2000, synth_ms=500)) == []
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
            voice="zf_xiaobei",
            xruns=1,
            warnings=("not_active: key", "skipped: ☃"),
            device="lobby",
            ts=WALL_S,
        ),
        reply,
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


def test_stop_when_idle_does_nothing() -> None:
    """There is nothing to stop, and nothing waits for it."""
    assert Bench().tell(Stop(), Stop(everything=True)) == []


def test_an_end_that_overtakes_the_stop_is_still_one_result() -> None:
    """The last sample left before the player heard of the stop."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Stop())
    assert len(results(bench.tell(PlayDone("a", 1000, 0), PlayStopped("a")))) == 1


def test_an_emergency_interrupts() -> None:
    """Whatever is below it falls silent with the result `interrupted`, and the emergency follows."""
    bench = Bench()
    bench.accept("a", priority="high")
    bench.accept("b")
    assert bench.accept("fire", priority="emergency") == [CancelSynth("a"), StopPlay("a")]
    commands = bench.tell(PlayStopped("a"))
    assert verdicts(commands) == [("a", Status.INTERRUPTED, None)]
    assert started(commands) == ["fire"]
    assert bench.accept("fire-2", priority="emergency") == []


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


def test_a_lost_synth_fails_its_announcement_and_no_other() -> None:
    """`engine_crashed` for the one in work; the next waits for the new process."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.tell(WorkerLost("synth")) == [StopPlay("a")]
    commands = bench.tell(PlayStopped("a"))
    assert verdicts(commands) == [("a", Status.FAILED, Code.ENGINE_CRASHED)]
    assert started(commands) == []
    assert started(bench.tell(WorkerReady("synth"))) == ["b"]


def test_a_synth_lost_after_its_work_disturbs_nobody() -> None:
    """All samples are out already: the announcement plays to its end."""
    bench = Bench()
    bench.accept("a")
    bench.tell(SynthEnd("a", 1000, 200), WorkerLost("synth"))
    assert verdicts(bench.tell(PlayDone("a", 1000, 0))) == [("a", Status.FINISHED, None)]


def test_a_lost_player_is_silent_at_once() -> None:
    """`audio_lost` without waiting, and the synthesis is not left running."""
    bench = Bench()
    bench.accept("a")
    commands = bench.tell(WorkerLost("player"))
    assert commands[0] == CancelSynth("a")
    assert verdicts(commands) == [("a", Status.FAILED, Code.AUDIO_LOST)]


def test_a_player_lost_while_stopping_is_the_silence_that_was_wanted() -> None:
    """A cancelled announcement stays cancelled."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Stop())
    assert verdicts(bench.tell(WorkerLost("player"))) == [("a", Status.CANCELLED, None)]


def test_a_device_that_fails_in_mid_speech() -> None:
    """The player's code is published and the synthesis cancelled."""
    bench = Bench()
    bench.accept("a")
    commands = bench.tell(PlayFailed("a", "audio_lost", "unplugged"))
    assert commands[0] == CancelSynth("a")
    assert verdicts(commands) == [("a", Status.FAILED, Code.AUDIO_LOST)]


def test_without_a_device_requests_wait_a_little_and_are_then_answered() -> None:
    """A replugged device finds them waiting; after ten seconds they fail with the device's code."""
    bench = Bench()
    bench.tell(WorkerUnavailable("player", "audio_unavailable", "busy"))
    bench.accept("early")
    bench.now_s += PATIENCE_S - 1
    bench.accept("late")
    assert bench.tell(WorkerUnavailable("player", "audio_unavailable", "still busy"), Tick()) == []
    bench.now_s += 1
    (result,) = results(bench.tell(Tick()))
    assert (result.id, result.status, result.code) == ("early", Status.FAILED, Code.AUDIO_UNAVAILABLE)
    assert started(bench.tell(WorkerReady("player"))) == ["late"]


def test_a_long_queue_survives_a_short_loss_of_the_device() -> None:
    """The patience counts from the loss, not from the time a request has waited already."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    bench.now_s += 60
    bench.tell(
        WorkerUnavailable("player", "audio_unavailable", "unplugged"), PlayFailed("a", "audio_lost", "")
    )
    assert bench.tell(Tick()) == []
    assert started(bench.tell(WorkerReady("player"))) == ["b"]


def test_a_worker_that_keeps_ending_is_waited_for_only_so_long() -> None:
    """A restart takes up to a minute; one that ends again and again never comes back."""
    bench = Bench()
    bench.tell(WorkerLost("synth"))
    bench.accept("a")
    bench.now_s += RESTART_PATIENCE_S / 2
    assert bench.tell(WorkerLost("synth"), Tick()) == []
    bench.now_s += RESTART_PATIENCE_S / 2
    assert verdicts(bench.tell(Tick())) == [("a", Status.FAILED, Code.ENGINE_CRASHED)]
    bench.accept("b")
    assert started(bench.tell(WorkerReady("synth"))) == ["b"]


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


def test_stages_of_a_request() -> None:
    """A duplicate of a running request is told where it stands."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.scheduler.stage("a") is Stage.SYNTHESISING
    bench.tell(PlayStarted("a", 101.0))
    assert (bench.scheduler.stage("a"), bench.scheduler.stage("b")) == (Stage.SPEAKING, Stage.QUEUED)
    bench.finish("a")
    assert bench.scheduler.stage("a") is None
