"""The player on a fake device in fake time: what it writes when, and what it tells main."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.limiter import Limiter
from edged.errors import AudioHungError
from edged.workers.frames import FrameError
from edged.workers.messages import (
    Audio,
    CancelSpeak,
    PlayDone,
    Played,
    PlayerReady,
    PlayStarted,
    PlayStop,
    PlayStopped,
)
from tests.fakes.playing import MS, RATE_HZ, TONE_STEP, Stage, largest_step, tone
from tests.fakes.sink import FakeClock, FakeSink


def test_a_stream_is_played_as_it_came() -> None:
    """Begin, audio, end: started, progress every 200 ms, done; the device got exactly the samples."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.play(tone(1000))
    stage.run(2.0)
    assert np.array_equal(sink.heard(), tone(1000))
    kinds = [type(message) for message in stage.said]
    assert kinds == [PlayerReady, PlayStarted, *[Played] * 4, PlayDone]
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=1000.0, xruns=0, stalls=0)


def test_done_waits_for_the_device() -> None:
    """PlayDone is not said before the device has had time to play everything."""
    stage = Stage()
    began_s = stage.clock()
    stage.play(tone(1000))
    stage.run_until(PlayDone)
    assert stage.clock() - began_s >= 1.0


def test_little_is_queued_while_playing() -> None:
    """Never more than 65 ms, those in the limiter included, however much there is: a stop must be quick."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.play(tone(1000))
    stage.run(0.5)
    assert sink.fullest == 65 * MS - Limiter(RATE_HZ).latency_frames


def test_playing_waits_for_a_first_fill() -> None:
    """A first crumb is held back until there is enough to keep the device busy."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.begin()
    stage.feed(tone(40))
    stage.run(1.0)
    assert not sink.blocks
    stage.feed(tone(40))
    stage.run(0.01)
    assert sink.blocks


def test_a_stream_shorter_than_the_first_fill_is_played() -> None:
    """The end of the stream releases whatever there is."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.play(tone(5))
    stage.run(0.5)
    assert np.array_equal(sink.heard(), tone(5))
    assert stage.said_of(PlayDone)


def test_an_empty_stream_is_done_at_once() -> None:
    """Nothing to say is said in no time and is no failure."""
    stage = Stage()
    stage.play(tone(0))
    stage.run(0.5)
    assert stage.said_of(PlayDone) == [PlayDone(job_id="a", audio_ms=0.0, xruns=0, stalls=0)]


def test_a_stall_becomes_a_silent_gap() -> None:
    """Late samples: silence, no xrun, no step at either end, one stall counted, nothing lost."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.begin()
    stage.feed(tone(300))
    stage.run(5.0)
    stage.feed(tone(600)[300 * MS :])
    stage.end()
    stage.run(1.0)
    heard = sink.heard()
    assert stage.said_of(PlayDone) == [PlayDone(job_id="a", audio_ms=600.0, xruns=0, stalls=1)]
    assert largest_step(heard) <= TONE_STEP * 1.01
    assert np.array_equal(heard[: 290 * MS], tone(290))
    assert np.array_equal(heard[-290 * MS :], tone(600)[-290 * MS :])
    assert 4.5 < (len(heard) - 600 * MS) / RATE_HZ < 5.0


def test_a_trickle_never_runs_the_device_dry() -> None:
    """Samples that come at half the rate they are played at: gaps and fades, no xrun, no step."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.begin()
    for at in range(0, 500 * MS, 10 * MS):
        stage.feed(tone(500)[at : at + 10 * MS])
        stage.run(0.02)
    stage.end()
    stage.run(1.0)
    (done,) = stage.said_of(PlayDone)
    assert isinstance(done, PlayDone)
    assert (done.audio_ms, done.xruns) == (500.0, 0)
    assert done.stalls > 0
    assert largest_step(sink.heard()) <= TONE_STEP * 1.5  # fades add their own slope to the tone's


def test_a_stop_fades_out() -> None:
    """After a stop 75 ms at most remain to be heard, ending without a step; then PlayStopped."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.play(tone(5000))
    stage.run(1.0)
    stage.tell(PlayStop(job_id="a"))
    stopped_s = clock()
    stage.run_until(PlayStopped)
    assert clock() - stopped_s < 0.1
    assert largest_step(sink.heard()) <= TONE_STEP * 1.01
    assert abs(sink.heard()[-1]) < TONE_STEP
    assert not stage.said_of(PlayDone)


def test_a_stop_during_a_stall_is_quick() -> None:
    """A stalled stream stops just as well."""
    stage = Stage()
    stage.begin()
    stage.feed(tone(300))
    stage.run(2.0)
    stage.tell(PlayStop(job_id="a"))
    stage.run(0.1)
    assert stage.said_of(PlayStopped) == [PlayStopped(job_id="a", played_ms=300.0)]


def test_a_stop_before_the_first_sample() -> None:
    """What has not begun is stopped on the spot and was never heard."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.begin()
    stage.feed(tone(40))
    stage.tell(PlayStop(job_id="a"))
    stage.run(1.0)
    assert stage.said_of(PlayStopped) == [PlayStopped(job_id="a", played_ms=0.0)]
    assert not sink.blocks


def test_streams_take_turns() -> None:
    """A stream that begins while another plays is heard after it."""
    clock = FakeClock()
    sink = FakeSink(clock)
    stage = Stage(sink, clock=clock)
    stage.play(tone(300), "a")
    stage.play(-tone(300), "b")
    stage.run(1.0)
    assert np.array_equal(sink.heard(), np.concatenate((tone(300), -tone(300))))
    assert [message.job_id for message in stage.said_of(PlayDone)] == ["a", "b"]  # type: ignore[union-attr]


def test_news_of_a_stream_that_is_over_is_ignored() -> None:
    """Samples and an end that crossed with PlayStopped change nothing."""
    stage = Stage()
    stage.begin()
    stage.run(0.01)
    stage.tell(PlayStop(job_id="a"))
    said = list(stage.said)
    stage.feed(tone(100))
    stage.end()
    stage.tell(PlayStop(job_id="a"))
    stage.run(1.0)
    assert stage.said == said


def test_an_idle_device_is_let_go() -> None:
    """Two seconds after the last sound others may have the card; opening it again is no news."""
    clock = FakeClock()
    first, second = FakeSink(clock), FakeSink(clock)
    stage = Stage(first, second, clock=clock)
    stage.play(tone(300))
    stage.run(1.5)
    assert not first.closed
    stage.run(1.5)
    assert first.closed
    stage.play(tone(300))
    stage.run(1.0)
    assert np.array_equal(second.heard(), tone(300))
    assert len(stage.said_of(PlayerReady)) == 1


def test_a_file_is_complete_when_done_is_said() -> None:
    """A device that does not pace gets no silence, and is closed before PlayDone: its file is whole then."""
    clock = FakeClock()
    sink = FakeSink(clock, paced=False)
    stage = Stage(sink, clock=clock)
    stage.begin()
    stage.feed(tone(300))
    stage.run(1.0)
    assert not sink.closed
    stage.feed(tone(300))
    stage.end()
    stage.run_until(PlayDone)
    assert sink.closed
    assert np.array_equal(sink.heard(), np.concatenate((tone(300), tone(300))))


@pytest.mark.parametrize("quirk", [{"hung_at": 3}, {"drain_hangs": True}])
def test_a_hung_device_is_reported_and_left_alone(quirk: dict[str, int]) -> None:
    """The stream fails, main is told, and the error goes on to end the process without a close."""
    clock = FakeClock()
    sink = FakeSink(clock, **quirk)  # type: ignore[arg-type]
    stage = Stage(sink, clock=clock)
    stage.play(tone(300))
    with pytest.raises(AudioHungError):
        stage.run(5.0)
    assert [message.type for message in stage.said[-2:]] == ["play_failed", "player_unavailable"]
    assert not sink.closed


def test_a_change_of_rate_within_a_stream_is_refused() -> None:
    """Samples of another rate than announced would be heard at the wrong pitch."""
    stage = Stage()
    stage.begin()
    stage.run(0.01)
    with pytest.raises(FrameError, match="48000 Hz and goes on at 24000 Hz"):
        stage.tell(Audio(job_id="a", sample_rate_hz=24000, sentence_index=0), tone(10))


def test_a_message_for_somebody_else_is_refused() -> None:
    """A message the player has no use for means that the channel cannot be trusted."""
    with pytest.raises(FrameError, match="cancel_speak"):
        Stage().tell(CancelSpeak(job_id="a"))
