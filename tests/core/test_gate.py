"""Mute, quiet hours, pause, resume and skip. Times are seconds of a clock that the test moves."""

from __future__ import annotations

import pytest

from edged.core.events import (
    CancelSynth,
    Event,
    Exit,
    PausePlay,
    PlayDone,
    PlayStarted,
    QuietHours,
    ResumePlay,
    Shutdown,
    StopPlay,
    Tick,
    WorkerLost,
)
from edged.protocol.command import Cancel, Pause, Resume, SetMuted, Skip, Stop
from edged.protocol.result import Code, Stage, Status
from tests.core.bench import Bench, started, verdicts

SILENCE = pytest.mark.parametrize(
    ("begin", "end"),
    [(SetMuted(True), SetMuted(False)), (QuietHours(True), QuietHours(False))],
    ids=["mute", "quiet hours"],
)


# --- mute and quiet hours ------------------------------------------------------------------------


@SILENCE
def test_whose_turn_comes_in_silence_is_answered_muted(begin: Event, end: Event) -> None:
    """Never `finished` for what nobody heard, and nothing is kept for later."""
    bench = Bench()
    bench.tell(begin)
    assert verdicts(bench.accept("a")) == [("a", Status.MUTED, None)]
    assert bench.tell(end) == []
    assert started(bench.accept("b")) == ["b"]


@SILENCE
def test_silence_ends_the_current_one_and_all_behind_it(begin: Event, end: Event) -> None:
    """It falls silent at once, each gets the result `muted`."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.tell(begin) == [CancelSynth("a"), StopPlay("a")]
    muted = (Status.MUTED, None)
    assert verdicts(bench.fall_silent("a")) == [("a", *muted), ("b", *muted)]


@SILENCE
def test_an_emergency_is_heard_in_silence(begin: Event, end: Event) -> None:
    """One that has begun goes on, a new one begins; after it the silence is back."""
    bench = Bench()
    bench.accept("fire", priority="emergency")
    assert bench.tell(begin) == []
    bench.accept("a", priority="high")
    bench.accept("flood", priority="emergency")
    assert started(bench.finish("fire")) == ["flood"]
    assert verdicts(bench.finish("flood")) == [("flood", Status.FINISHED, None), ("a", Status.MUTED, None)]


@SILENCE
def test_a_site_can_have_its_emergencies_muted_too(begin: Event, end: Event) -> None:
    """queue.emergency_overrides_mute: false."""
    bench = Bench(emergency_overrides_mute=False)
    bench.accept("fire", priority="emergency")
    assert bench.tell(begin) == [CancelSynth("fire"), StopPlay("fire")]
    bench.fall_silent("fire")
    assert verdicts(bench.accept("flood", priority="emergency")) == [("flood", Status.MUTED, None)]


def test_either_silence_is_enough() -> None:
    """The end of the quiet hours does not unmute, and `is_muted` is the mute alone."""
    bench = Bench()
    bench.tell(QuietHours(True))
    assert not bench.scheduler.is_muted
    bench.tell(SetMuted(True), QuietHours(False))
    assert bench.scheduler.is_muted
    assert verdicts(bench.accept("a")) == [("a", Status.MUTED, None)]


# --- pause and resume ----------------------------------------------------------------------------


def test_pause_holds_the_current_one_and_the_queue() -> None:
    """Resume goes on where it was; saying either twice changes nothing."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.tell(Pause()) == [PausePlay("a")]
    assert bench.tell(Pause()) == []
    assert bench.scheduler.is_paused
    assert bench.tell(Resume()) == [ResumePlay("a")]
    assert bench.tell(Resume()) == []
    assert not bench.scheduler.is_paused
    assert bench.finish_all() == ["a", "b"]


def test_pause_when_idle_holds_what_comes() -> None:
    """It is spoken at Resume."""
    bench = Bench()
    assert bench.tell(Pause()) == []
    assert bench.accept("a") == []
    assert started(bench.tell(Resume())) == ["a"]


def test_what_ends_before_the_pause_is_heard_leaves_the_queue_held() -> None:
    """Its last samples were in the device already."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    bench.tell(Pause())
    commands = bench.tell(PlayDone("a", 1000, 0))
    assert verdicts(commands) == [("a", Status.FINISHED, None)]
    assert started(commands) == []
    assert started(bench.tell(Resume())) == ["b"]


def test_an_emergency_interrupts_a_paused_one_and_the_queue_stays_held() -> None:
    """The alarm sounds; afterwards somebody has still to resume."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    bench.tell(Pause())
    assert StopPlay("a") in bench.accept("fire", priority="emergency")
    commands = bench.fall_silent("a")
    assert verdicts(commands) == [("a", Status.INTERRUPTED, None)]
    assert started(commands) == ["fire"]
    assert started(bench.finish("fire")) == []
    assert bench.scheduler.is_paused
    assert started(bench.tell(Resume())) == ["b"]


def test_an_interruption_in_a_pause_is_spoken_first_after_it() -> None:
    """It ends the held one, and is held itself."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    bench.tell(Pause())
    bench.accept("now", on_busy="interrupt")
    assert started(bench.fall_silent("a")) == []
    assert started(bench.tell(Resume())) == ["now"]


@pytest.mark.parametrize("stop", [Stop(), Stop(id="a"), Cancel(id="a")])
def test_stop_of_a_paused_one_leaves_the_queue_held(stop: Stop | Cancel) -> None:
    """Only Resume and Skip let speech go on."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    bench.tell(Pause())
    assert bench.tell(stop) == [CancelSynth("a"), StopPlay("a")]
    commands = bench.fall_silent("a")
    assert verdicts(commands) == [("a", Status.CANCELLED, None)]
    assert started(commands) == []
    assert started(bench.tell(Resume())) == ["b"]


def test_waiting_ones_expire_in_a_pause() -> None:
    """Spoken late is worse than unspoken, whatever the reason."""
    bench = Bench()
    bench.tell(Pause())
    bench.accept("a", lifetime_s=5.0)
    bench.now_s += 5.0
    assert verdicts(bench.tell(Tick())) == [("a", Status.EXPIRED, Code.EXPIRED)]


def test_muting_ends_a_paused_one() -> None:
    """It would be heard at Resume otherwise."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Pause())
    assert bench.tell(SetMuted(True)) == [CancelSynth("a"), StopPlay("a")]
    assert verdicts(bench.fall_silent("a")) == [("a", Status.MUTED, None)]


def test_a_player_lost_in_a_pause_costs_the_held_one_only() -> None:
    """What it held is gone with it."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Pause())
    assert verdicts(bench.tell(WorkerLost("player"))) == [("a", Status.FAILED, Code.AUDIO_LOST)]
    assert bench.tell(Resume()) == []


def test_what_is_being_stopped_is_neither_paused_nor_resumed() -> None:
    """The player has been told to forget it."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Stop())
    assert bench.tell(Pause(), Resume()) == []


# --- skip ----------------------------------------------------------------------------------------


def test_skip_stops_the_current_one_and_goes_on() -> None:
    """The next one is spoken."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.tell(Skip()) == [CancelSynth("a"), StopPlay("a")]
    commands = bench.fall_silent("a")
    assert verdicts(commands) == [("a", Status.CANCELLED, None)]
    assert started(commands) == ["b"]


def test_skip_resumes() -> None:
    """A paused one is skipped, and speech goes on with the next."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    bench.tell(Pause())
    assert bench.tell(Skip()) == [CancelSynth("a"), StopPlay("a")]
    assert not bench.scheduler.is_paused
    assert started(bench.fall_silent("a")) == ["b"]


# --- shutdown ------------------------------------------------------------------------------------


def test_a_graceful_shutdown_does_not_wait_for_a_resume() -> None:
    """A held announcement would never end; so it ends with the shutdown, whichever came first."""
    ending = [("a", Status.FAILED, Code.INTERRUPTED_BY_RESTART)]
    graceful = Shutdown(is_graceful=True)
    for first, second in ((Pause(), graceful), (graceful, Pause())):
        bench = Bench()
        bench.accept("a")
        bench.tell(first)
        assert bench.tell(second) == [CancelSynth("a"), StopPlay("a")]
        commands = bench.fall_silent("a")
        assert verdicts(commands) == ending
        assert commands[-1] == Exit()


# --- stages --------------------------------------------------------------------------------------


def test_stages_are_told_as_they_are_reached() -> None:
    """Queued only when it does not start at once; each stage once, speaking again after a pause."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    bench.tell(PlayStarted("a", 100.0), PlayStarted("a", 100.0), Pause(), Resume())
    bench.finish("a")
    assert bench.stages == [
        ("a", Stage.SYNTHESISING),
        ("b", Stage.QUEUED),
        ("a", Stage.SPEAKING),
        ("a", Stage.PAUSED),
        ("a", Stage.SPEAKING),
        ("b", Stage.SYNTHESISING),
    ]


def test_a_refused_one_is_not_told_as_queued() -> None:
    """Its result is all there is to tell."""
    bench = Bench(max_waiting=1)
    bench.accept("a")
    bench.accept("b")
    bench.accept("full")
    bench.accept("late", lifetime_s=0.0)
    assert [request_id for request_id, _ in bench.stages] == ["a", "b"]


def test_paused_before_the_first_sample_is_synthesising_afterwards() -> None:
    """And what is being stopped is not told as speaking any more."""
    bench = Bench()
    bench.accept("a")
    bench.tell(Pause(), Resume(), Stop(), PlayStarted("a", 100.0))
    assert bench.stages == [
        ("a", Stage.SYNTHESISING), ("a", Stage.PAUSED), ("a", Stage.SYNTHESISING),
    ]  # fmt: skip


def test_the_stage_of_a_request() -> None:
    """A duplicate of a running request is told where it stands."""
    bench = Bench()
    bench.accept("a")
    bench.accept("b")
    assert bench.scheduler.stage("a") is Stage.SYNTHESISING
    bench.tell(PlayStarted("a", 101.0))
    assert (bench.scheduler.stage("a"), bench.scheduler.stage("b")) == (Stage.SPEAKING, Stage.QUEUED)
    bench.tell(Pause())
    assert bench.scheduler.stage("a") is Stage.PAUSED
    bench.tell(Resume())
    bench.finish("a")
    assert bench.scheduler.stage("a") is None
