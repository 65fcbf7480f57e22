"""Workers that come and go. Times are seconds of a clock that the test moves."""

from __future__ import annotations

from edged.core.events import (
    CancelSynth,
    PlayDone,
    PlayFailed,
    PlayStopped,
    StopPlay,
    SynthEnd,
    Tick,
    WorkerLost,
    WorkerReady,
    WorkerUnavailable,
)
from edged.core.patience import PATIENCE_S, RESTART_PATIENCE_S
from edged.protocol.command import Stop
from edged.protocol.result import Code, Status
from tests.core.bench import Bench, results, started, verdicts


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
