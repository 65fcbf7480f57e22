"""A device that fails under the player, or is not there: what is heard, and what main is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.core.patience import PATIENCE_S
from edged.errors import AudioUnavailableError
from edged.workers.messages import (
    Message,
    PlayDone,
    PlayerReady,
    PlayerUnavailable,
    PlayFailed,
    PlayPause,
    PlayResume,
    PlayStarted,
    PlayStop,
    PlayStopped,
    SetVolume,
)
from tests.fakes.playing import MS, Stage, tone
from tests.fakes.sink import GRANTED, FakeClock, FakeSink

FADE = 10 * MS
LEVEL = 65 * MS


def unplugged(stage: Stage) -> FakeSink:
    """The device goes away; gives what was heard on it."""
    sink = stage.sinks[0]
    assert sink is not None
    sink.lose()
    stage.is_away = True
    return sink


def replugged(stage: Stage) -> FakeSink:
    """... and comes back as a new one."""
    sink = FakeSink(stage.clock)
    stage.sinks, stage.is_away = [sink], False
    return sink


def codes(stage: Stage) -> list[tuple[str, str]]:
    return [(m.job_id, m.code) for m in stage.said if isinstance(m, PlayFailed)]


def assert_goes_on(
    before: NDArray[np.float32], after: NDArray[np.float32], whole: NDArray[np.float32]
) -> None:
    """No sample is missing, at most a level is heard twice, and what comes after the gap fades in."""
    assert np.array_equal(before, whole[: len(before)])
    repeated = len(before) + len(after) - len(whole)
    assert 0 <= repeated <= LEVEL
    begin = len(whole) - len(after)
    assert np.array_equal(after[FADE:], whole[begin + FADE :])
    assert np.all(np.abs(after[:FADE]) <= np.abs(whole[begin : begin + FADE]))


@pytest.mark.parametrize("away_s", [0.0, 0.1, 1.0, 5.0, 9.0])
@pytest.mark.parametrize("at_s", [0.03, 0.5, 0.97])
def test_a_device_that_comes_back_goes_on_with_the_announcement(away_s: float, at_s: float) -> None:
    """Lost at the beginning, in the middle, at the end: what was queued in it comes again, fading in."""
    stage = Stage()
    stage.play(tone(1000))
    stage.run(at_s)
    first = unplugged(stage)
    stage.run(away_s)
    second = replugged(stage)
    stage.run(3.0)
    heard = first.heard()
    if len(heard) == 0:
        assert np.array_equal(second.heard(), tone(1000))
    else:
        assert_goes_on(heard, second.heard(), tone(1000))
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=1000.0, xruns=0, stalls=0)
    assert len(stage.said_of(PlayStarted)) == 1


def test_a_device_that_is_back_at_once_is_no_news() -> None:
    """A suspended one, which only has to be opened again: main hears nothing of it."""
    clock = FakeClock()
    stage = Stage(FakeSink(clock, lost_at=5), FakeSink(clock), clock=clock)
    stage.play(tone(1000))
    stage.run(2.0)
    assert len(stage.said_of(PlayerReady, PlayerUnavailable)) == 1
    assert isinstance(stage.said[-1], PlayDone)


def test_main_knows_that_the_device_is_away() -> None:
    """Unavailable, then ready: the state says degraded meanwhile. Each is said once."""
    stage = Stage()
    stage.play(tone(1000))
    stage.run(0.5)
    unplugged(stage)
    stage.run(3.0)
    assert stage.player.doing == "waiting for the device"
    replugged(stage)
    stage.run(3.0)
    told = stage.said_of(PlayerReady, PlayerUnavailable)
    assert [type(message) for message in told] == [PlayerReady, PlayerUnavailable, PlayerReady]


def test_a_device_that_stays_away_fails_the_announcement() -> None:
    """After ten seconds, not sooner: audio_lost for what was heard in part; the next one has its own ten."""
    stage = Stage()
    stage.play(tone(1000), "a")
    stage.play(tone(1000), "b")
    stage.run(0.5)
    unplugged(stage)
    stage.run(PATIENCE_S - 0.5)
    assert not codes(stage)
    stage.run(2.0)
    assert codes(stage) == [("a", "audio_lost")]
    stage.run(PATIENCE_S + 1.0)
    assert codes(stage) == [("a", "audio_lost"), ("b", "audio_unavailable")]


def test_each_loss_has_its_own_patience() -> None:
    """A loose plug: away six seconds three times is not away for eighteen."""
    stage = Stage()
    stage.play(tone(5000))
    for _ in range(3):
        stage.run(1.5)
        unplugged(stage)
        stage.run(6.0)
        replugged(stage)
    stage.run(8.0)
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=5000.0, xruns=0, stalls=0)


def test_a_request_waits_for_a_device_that_went_away_idle() -> None:
    """Nobody knew that it was gone: the next announcement is heard as soon as it is back, whole."""
    stage = Stage()
    stage.play(tone(100), "a")
    stage.run(10.0)
    unplugged(stage)
    stage.play(tone(500), "b")
    stage.run(5.0)
    assert not codes(stage)
    sink = replugged(stage)
    stage.run(2.0)
    assert np.array_equal(sink.heard(), tone(500))
    assert stage.said[-1] == PlayDone(job_id="b", audio_ms=500.0, xruns=0, stalls=0)


def test_a_device_that_died_while_it_was_kept_open() -> None:
    """It was idle for less than two seconds: the next stream finds it dead and waits for it."""
    stage = Stage()
    stage.play(tone(100), "a")
    stage.run(1.0)
    unplugged(stage)
    stage.play(tone(500), "b")
    stage.run(1.0)
    sink = replugged(stage)
    stage.run(3.0)
    assert np.array_equal(sink.heard(), tone(500))
    assert not codes(stage)


def test_no_device_from_the_start() -> None:
    """It is looked for, and what is to be heard waits for it."""
    stage = Stage()
    stage.is_away = True
    stage.run(60.0)
    stage.play(tone(500))
    stage.run(5.0)
    sink = replugged(stage)
    stage.run(2.0)
    assert np.array_equal(sink.heard(), tone(500))
    kinds = [type(message) for message in stage.said_of(PlayerUnavailable, PlayerReady, PlayDone)]
    assert kinds == [PlayerUnavailable, PlayerReady, PlayDone]


def test_what_waits_for_a_device_fails_once() -> None:
    """audio_unavailable after ten seconds; news of it after that is ignored."""
    stage = Stage()
    stage.is_away = True
    stage.play(tone(500))
    stage.run(2 * PATIENCE_S)
    stage.tell(PlayStop(job_id="a"))
    replugged(stage)
    stage.run(5.0)
    assert codes(stage) == [("a", "audio_unavailable")]
    assert not stage.said_of(PlayDone, PlayStopped, PlayStarted)


@pytest.mark.parametrize("has_begun", [True, False])
def test_a_stop_while_there_is_no_device(has_begun: bool) -> None:
    """Silence is there already: answered at once, and nothing of it is heard when the device is back."""
    stage = Stage()
    if not has_begun:
        stage.is_away = True
    stage.play(tone(1000))
    stage.run(0.5)
    if has_begun:
        unplugged(stage)
        stage.run(0.5)
    stage.tell(PlayStop(job_id="a"))
    (stopped,) = stage.said_of(PlayStopped)
    assert isinstance(stopped, PlayStopped)
    assert stopped.played_ms == pytest.approx(470.0 if has_begun else 0.0, abs=30.0)
    sink = replugged(stage)
    stage.run(5.0)
    assert not sink.heard().any()
    assert not stage.said_of(PlayDone, PlayFailed)


def test_a_device_that_goes_away_in_the_fade_of_a_stop() -> None:
    """It is silent, which is what was wanted."""
    stage = Stage()
    stage.play(tone(1000))
    stage.run(0.5)
    stage.tell(PlayStop(job_id="a"))
    unplugged(stage)
    stage.run(0.1)
    assert len(stage.said_of(PlayStopped)) == 1
    assert not codes(stage)


@pytest.mark.parametrize("is_first_away", [True, False])
def test_a_pause_while_there_is_no_device(is_first_away: bool) -> None:
    """It may last for ever; at the resume it goes on where it was."""
    stage = Stage()
    stage.play(tone(1000))
    stage.run(0.5)
    if not is_first_away:
        stage.tell(PlayPause(job_id="a"))
    first = unplugged(stage)
    stage.run(1.0)
    stage.tell(PlayPause(job_id="a"))
    stage.run(10 * PATIENCE_S)
    second = replugged(stage)
    stage.run(5.0)
    assert not second.heard().any()
    stage.tell(PlayResume(job_id="a"))
    stage.run(3.0)
    assert_goes_on(first.heard(), second.heard(), tone(1000))
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=1000.0, xruns=0, stalls=0)


def test_at_the_resume_the_device_has_ten_seconds_again() -> None:
    """It went away before a long pause, and is still away at its end: the pause was no waiting."""
    stage = Stage()
    stage.play(tone(1000))
    stage.run(0.5)
    first = unplugged(stage)
    stage.run(3.0)
    stage.tell(PlayPause(job_id="a"))
    stage.run(10 * PATIENCE_S)
    stage.tell(PlayResume(job_id="a"))
    stage.run(PATIENCE_S - 2.0)
    second = replugged(stage)
    stage.run(3.0)
    assert_goes_on(first.heard(), second.heard(), tone(1000))


def test_a_device_that_refuses_a_block_costs_no_sample() -> None:
    """It is lost in a write, right after it was looked at: nothing is missing and nothing heard twice."""
    clock = FakeClock()
    first, second = FakeSink(clock, lost_at=9), FakeSink(clock)
    stage = Stage(first, second, clock=clock)
    stage.play(tone(1000))
    stage.run(3.0)
    assert_goes_on(first.heard(), second.heard(), tone(1000))
    assert len(first.heard()) + len(second.heard()) == len(tone(1000))


def test_the_volume_is_that_of_before_or_newer() -> None:
    """Device and announcement: what was set counts on the device that comes back."""
    stage = Stage()
    stage.tell(SetVolume(percent=80))
    stage.play(tone(1000), volume=50)
    stage.run(0.5)
    unplugged(stage)
    stage.run(1.0)
    second = replugged(stage)
    stage.run(3.0)
    rest = (0.8 * 0.5) ** 3 * tone(1000)[-len(second.heard()) :]
    assert np.allclose(second.heard()[FADE:], rest[FADE:], atol=1e-7)
    third = unplugged_while_idle(stage)
    stage.tell(SetVolume(percent=20))
    stage.play(tone(300), "b")
    stage.run(2.0)
    assert np.allclose(third.heard(), 0.2**3 * tone(300), atol=1e-7)


def unplugged_while_idle(stage: Stage) -> FakeSink:
    unplugged(stage)
    stage.run(1.0)
    return replugged(stage)


def refuses(_: Stage) -> None:
    """Every attempt to open it fails, as with a card that is gone or busy."""


def accepts_and_fails(stage: Stage) -> None:
    """It can be opened, and every write fails."""
    clock = stage.clock
    stage.is_away = False
    stage.open_device = lambda: FakeSink(clock, lost_at=1)


@pytest.mark.parametrize("fault", [refuses, accepts_and_fails])
def test_a_device_that_fails_for_ever_costs_next_to_nothing(fault: Callable[[Stage], None]) -> None:
    """At most five wakes a second, with and without an announcement: no busy loop at real-time priority."""
    stage = Stage()
    stage.is_away = True
    fault(stage)
    for job_id in "abcdef":
        stage.play(tone(1000), job_id)
        before, began_s = stage.steps, stage.clock()
        stage.run(PATIENCE_S + 5.0)
        assert (stage.steps - before) / (stage.clock() - began_s) < 5.0
    assert len(codes(stage)) == 6
    stage.run(60.0)
    assert len(stage.opened_s) < 2 * stage.clock()


def test_messages_do_not_hurry_the_attempts() -> None:
    """Audio that arrives meanwhile wakes the player; it does not try the device each time."""
    stage = Stage()
    stage.is_away = True
    stage.begin()
    stage.run(1.0)
    opened = len(stage.opened_s)
    for _ in range(100):
        stage.feed(tone(10))
        stage.player.step()
    assert len(stage.opened_s) == opened


def test_a_missing_device_is_looked_for_ever_more_slowly() -> None:
    """From a quarter of a second to one, so that one that comes is heard within two; told once."""
    stage = Stage(None)
    stage.run(5.5)
    assert np.diff(stage.opened_s).tolist() == [0.25, 0.5, 1.0, 1.0, 1.0, 1.0]
    assert [type(message) for message in stage.said] == [PlayerUnavailable]


def test_another_reason_is_told() -> None:
    """Gone, then held by another program: main and the log learn what has changed."""
    stage = Stage()
    stage.is_away = True
    stage.run(3.0)

    def busy() -> FakeSink:
        raise AudioUnavailableError('PCM "fake": Device or resource busy, held by aplay (process 12)')

    stage.is_away, stage.open_device = False, busy
    stage.run(10.0)
    told: list[Message] = stage.said_of(PlayerUnavailable)
    assert len(told) == 2
    assert "aplay" in str(told[1])


@pytest.mark.parametrize("period_ms", [5, 20, 26, 30, 40])
def test_a_stop_is_quick_whatever_the_period(period_ms: int) -> None:
    """Silence within 100 ms of it, and the device, which takes whole periods, never runs dry before."""
    clock = FakeClock()
    sink = FakeSink(clock, granted=replace(GRANTED, period_frames=period_ms * MS))
    stage = Stage(sink, clock=clock)
    stage.play(tone(5000))
    stage.run(1.0)
    stage.tell(PlayStop(job_id="a"))
    written = len(sink.heard()) - sink.queued()
    stage.run_until(PlayStopped)
    assert len(sink.heard()) - written <= 90 * MS  # a wake may come 10 ms late
    assert sink.xruns == 0


def test_a_device_with_only_long_periods_does_not_run_dry() -> None:
    """There is none like it among sound cards; a stop takes as long as two of its periods then."""
    clock = FakeClock()
    sink = FakeSink(clock, granted=replace(GRANTED, period_frames=100 * MS))
    stage = Stage(sink, clock=clock)
    stage.play(tone(5000))
    stage.run(2.0)
    assert sink.xruns == 0
    assert sink.fullest <= 200 * MS
