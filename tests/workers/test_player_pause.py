"""Pause and resume: what is heard, what main is told and what becomes of the device meanwhile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from edged.core.patience import PATIENCE_S
from edged.workers.messages import (
    PlayDone,
    Played,
    PlayerReady,
    PlayerUnavailable,
    PlayFailed,
    PlayPause,
    PlayResume,
    PlayStarted,
    PlayStop,
    PlayStopped,
)
from tests.fakes.playing import MS, TONE_STEP, Stage, largest_step, tone
from tests.fakes.sink import GRANTED, FakeClock, FakeSink

FADE = 10 * MS
PAUSE = PlayPause(job_id="a")
RESUME = PlayResume(job_id="a")


def staged(**quirks: bool) -> tuple[Stage, FakeSink]:
    clock = FakeClock()
    sink = FakeSink(clock, **quirks)  # type: ignore[arg-type]
    return Stage(sink, clock=clock), sink


def test_a_pause_fades_out_within_100_ms() -> None:
    """After it 75 ms at most are heard although there is much to play, ending without a step."""
    stage, sink = staged()
    stage.play(tone(5000))
    stage.run(1.0)
    stage.tell(PAUSE)
    at_pause = len(sink.heard()) - sink.queued()
    stage.run(0.1)
    assert len(sink.heard()) - at_pause <= 75 * MS
    assert sink.queued() == 0
    stage.run(10.0)
    assert abs(sink.heard()[-1]) < TONE_STEP
    assert largest_step(sink.heard()) <= TONE_STEP * 1.01


@pytest.mark.parametrize("pause_s", [0.005, 0.05, 1.0, 3600.0], ids=["5 ms", "50 ms", "1 s", "1 h"])
def test_nothing_is_lost_or_said_twice(pause_s: float) -> None:
    """What faded out fades in again, and the two add up to what was to be said; done says so too."""
    clock = FakeClock()
    sinks = [FakeSink(clock), FakeSink(clock)]  # an hour later the device is another one
    stage = Stage(*sinks, clock=clock)
    stage.play(tone(1000))
    stage.run(0.5)
    stage.tell(PAUSE)
    stage.run(pause_s)
    stage.tell(RESUME)
    stage.run(2.0)
    heard = np.concatenate([sink.heard() for sink in sinks])
    assert largest_step(heard) <= TONE_STEP * 1.01
    whole = tone(1000)
    assert len(heard) == len(whole) + FADE
    cut = int(np.flatnonzero(heard[: len(whole)] != whole)[0]) // MS * MS  # the pause cuts at a millisecond
    joined = np.concatenate((heard[:cut], heard[cut : cut + FADE] + heard[cut + FADE :][:FADE]))
    assert np.allclose(joined, whole[: len(joined)], atol=1e-6)
    assert np.array_equal(heard[cut + 2 * FADE :], whole[cut + FADE :])
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=1000.0, xruns=0, stalls=0)


def test_a_pause_when_the_device_is_nearly_dry() -> None:
    """A late wake left little queued: the fade is written, nothing else, and the rest is still there."""
    stage, sink = staged()
    stage.play(tone(1000))
    stage.run(0.5)
    stage.clock.now_s += 0.020
    stage.tell(PAUSE)
    stage.run(0.5)
    stage.tell(RESUME)
    stage.run(1.0)
    assert len(sink.heard()) == 1000 * MS + FADE
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=1000.0, xruns=0, stalls=0)


def test_a_resume_without_a_pause_changes_nothing() -> None:
    """Nor does one of a stream that is over."""
    stage, sink = staged()
    stage.play(tone(500))
    stage.run(0.2)
    stage.tell(RESUME)
    stage.run(1.0)
    stage.tell(RESUME)
    assert np.array_equal(sink.heard(), tone(500))


def test_a_pause_is_no_progress() -> None:
    """While it lasts main hears nothing, so synthesis gets no further ahead; afterwards it goes on."""
    stage, _ = staged()
    stage.play(tone(2000))
    stage.run(1.0)
    stage.tell(PAUSE)
    stage.run(0.1)
    said = list(stage.said)
    stage.run(60.0)
    assert stage.said == said
    assert stage.player.doing == "paused"
    stage.tell(RESUME)
    stage.run(2.0)
    progress = [message.played_ms for message in stage.said if isinstance(message, Played)]
    assert progress == sorted(set(progress))
    assert stage.said_of(PlayDone)


def test_a_pause_before_the_first_sample() -> None:
    """Nothing is heard, however much arrives; the resume starts it from its beginning."""
    stage, sink = staged()
    stage.begin()
    stage.tell(PAUSE)
    stage.feed(tone(500))
    stage.end()
    stage.run(60.0)
    assert not sink.blocks
    assert not stage.said_of(PlayStarted)
    stage.tell(RESUME)
    stage.run(1.0)
    assert np.array_equal(sink.heard(), tone(500))
    assert stage.said_of(PlayDone)


def test_a_stream_that_ends_in_a_pause_is_done_after_it() -> None:
    """The last samples come while it is paused; done is said when they have been heard."""
    stage, sink = staged()
    stage.begin()
    stage.feed(tone(600)[: 300 * MS])
    stage.run(0.1)
    stage.tell(PAUSE)
    stage.feed(tone(600)[300 * MS :])
    stage.end()
    stage.run(60.0)
    assert not stage.said_of(PlayDone)
    stage.tell(RESUME)
    stage.run(1.0)
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=600.0, xruns=0, stalls=0)
    assert np.array_equal(sink.heard()[-300 * MS :], tone(600)[-300 * MS :])


def test_a_pause_after_the_last_sample_changes_nothing() -> None:
    """Everything is in the device: it is heard to its end, and done."""
    stage, sink = staged()
    stage.play(tone(300))
    while len(sink.heard()) < 300 * MS:
        stage.run(0.01)
    stage.tell(PAUSE)
    stage.run(0.2)
    assert np.array_equal(sink.heard(), tone(300))
    assert stage.said_of(PlayDone)


def test_a_stop_of_a_paused_stream_is_answered_at_once() -> None:
    """Silence needs no fading; what waits behind it is played."""
    stage, sink = staged()
    stage.play(tone(1000), "a")
    stage.play(-tone(100), "b")
    stage.run(0.5)
    stage.tell(PAUSE)
    stage.run(1.0)
    heard = len(sink.heard())
    stage.tell(PlayStop(job_id="a"))
    (stopped,) = stage.said_of(PlayStopped)
    assert isinstance(stopped, PlayStopped)
    assert stopped.played_ms == (heard - FADE) / MS
    stage.run(1.0)
    assert np.array_equal(sink.heard()[heard:], -tone(100))


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.05])
def test_a_stop_while_the_pause_fades(after_s: float) -> None:
    """One fade serves both: no step, and stopped within 100 ms of the pause."""
    stage, sink = staged()
    stage.play(tone(1000))
    stage.run(0.5)
    stage.tell(PAUSE)
    paused_s = stage.clock()
    stage.run(after_s)
    stage.tell(PlayStop(job_id="a"))
    stage.tell(PlayStop(job_id="a"))
    stage.run_until(PlayStopped)
    assert stage.clock() - paused_s < 0.1
    assert largest_step(sink.heard()) <= TONE_STEP * 1.01
    assert abs(sink.heard()[-1]) < TONE_STEP
    assert not stage.said_of(PlayDone)


def test_pausing_and_resuming_quickly() -> None:
    """However fast they follow each other, no step is heard, and all of it is said."""
    stage, sink = staged()
    stage.play(tone(1000))
    stage.run(0.3)
    for wait_s in (0.0, 0.003, 0.01, 0.02, 0.04, 0.0):
        stage.tell(PAUSE)
        stage.tell(PAUSE)
        stage.run(wait_s)
        stage.tell(RESUME)
        stage.tell(RESUME)
        stage.run(wait_s)
    stage.run(2.0)
    assert largest_step(sink.heard()) <= TONE_STEP * 1.5  # fades that follow each other add their slopes
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=1000.0, xruns=0, stalls=0)


def test_a_pause_in_a_stall() -> None:
    """What comes late is kept for the resume; silence stays silence."""
    stage, sink = staged()
    stage.begin()
    stage.feed(tone(300))
    stage.run(1.0)
    stage.tell(PAUSE)
    stage.feed(tone(600)[300 * MS :])
    stage.end()
    heard = len(sink.heard())
    stage.run(5.0)
    assert not sink.heard()[heard:].any()
    stage.tell(RESUME)
    stage.run(1.0)
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=600.0, xruns=0, stalls=1)
    assert np.array_equal(sink.heard()[-290 * MS :], tone(600)[-290 * MS :])


def test_a_long_pause_lets_go_of_the_card() -> None:
    """Two seconds later others may have it; opening it again at the resume is no news."""
    clock = FakeClock()
    first, second = FakeSink(clock), FakeSink(clock)
    stage = Stage(first, second, clock=clock)
    stage.play(tone(1000))
    stage.run(0.5)
    stage.tell(PAUSE)
    stage.run(1.5)
    assert not first.closed
    stage.run(2.0)
    assert first.closed
    stage.tell(RESUME)
    stage.run(1.0)
    assert second.heard().any()
    assert len(stage.said_of(PlayerReady)) == 1
    assert not stage.said_of(PlayerUnavailable)


def test_a_card_that_is_gone_at_the_resume() -> None:
    """It is waited for; when it does not come, what was begun is audio_lost."""
    stage, _ = staged()
    stage.play(tone(1000))
    stage.run(0.5)
    stage.tell(PAUSE)
    stage.run(10.0)
    stage.is_away = True
    stage.tell(RESUME)
    stage.run(PATIENCE_S - 1.0)
    assert not stage.said_of(PlayFailed)
    stage.run(3.0)
    assert [m.code for m in stage.said if isinstance(m, PlayFailed)] == ["audio_lost"]
    assert isinstance(stage.said[-2], PlayerUnavailable)


def test_a_card_with_another_rate_at_the_resume() -> None:
    """The stream, which is ready for the old rate, fails at once; what waits behind it is played."""
    clock = FakeClock()
    changed = FakeSink(clock, granted=replace(GRANTED, rate_hz=44100))
    stage = Stage(FakeSink(clock), changed, clock=clock)
    stage.play(tone(1000), "a")
    stage.play(tone(100), "b")
    stage.run(0.5)
    stage.tell(PAUSE)
    stage.run(10.0)
    stage.tell(RESUME)
    stage.run(2.0)
    assert [(m.job_id, m.code) for m in stage.said if isinstance(m, PlayFailed)] == [("a", "audio_lost")]
    assert [m.job_id for m in stage.said if isinstance(m, PlayDone)] == ["b"]
    assert len(changed.heard()) == 4410


def test_a_file_stays_one_file() -> None:
    """A device that does not pace is not let go of in a pause, and is closed by the stop."""
    stage, sink = staged(paced=False)
    stage.begin()
    stage.feed(tone(300))
    stage.run(0.1)
    stage.tell(PAUSE)
    stage.run(10.0)
    assert not sink.closed
    stage.tell(PlayStop(job_id="a"))
    assert sink.closed


def test_a_stream_that_waited_leaves_the_file_alone() -> None:
    """Its stop does not close what another one is being played into."""
    stage, sink = staged(paced=False)
    stage.begin("a")
    stage.feed(tone(300), "a")
    stage.run(0.1)
    stage.begin("b")
    stage.tell(PlayStop(job_id="b"))
    assert not sink.closed


def test_the_xruns_of_both_halves_are_counted() -> None:
    """An announcement's xruns are those of the device before the pause and of the one after it."""
    clock = FakeClock()
    sinks = [FakeSink(clock), FakeSink(clock), FakeSink(clock)]
    stage = Stage(*sinks, clock=clock)
    stage.play(tone(2000))
    for sink in sinks[:2]:
        stage.run(0.5)
        sink.xruns += 1
        stage.tell(PAUSE)
        stage.run(3.0)
        stage.tell(RESUME)
    stage.run(3.0)
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=2000.0, xruns=2, stalls=0)
