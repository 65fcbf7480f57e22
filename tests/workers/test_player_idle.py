"""A device between announcements: kept, let go of or kept awake, and how the first word begins."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.level import rms_dbfs
from edged.config.schema import OutputConfig
from edged.workers.level import level_frames
from edged.workers.messages import PlayDone, PlayPause, PlayResume, PlayStarted, PlayStop, PlayStopped
from tests.fakes.playing import MS, RATE_HZ, Stage, tone
from tests.fakes.sink import FakeClock, FakeSink


def staged(*, paced: bool = True, **audio: str | float) -> tuple[Stage, FakeSink]:
    clock = FakeClock()
    sink = FakeSink(clock, paced=paced)
    return Stage(sink, clock=clock, config=OutputConfig.model_validate(audio)), sink


def leading_silence(sink: FakeSink) -> int:
    return int(np.flatnonzero(sink.heard())[0])


@pytest.mark.parametrize("after_s", [0.5, 2.0, 30.0])
def test_a_device_is_let_go_after_a_while(after_s: float) -> None:
    """As long after the last sound as configured, so that other programs get at it."""
    stage, sink = staged(idle="close_after", close_after_s=after_s)
    stage.play(tone(300))
    stage.run_until(PlayDone)
    stage.run(after_s - 0.3)
    assert not sink.closed
    stage.run(0.8)
    assert sink.closed


def test_a_device_is_kept_open() -> None:
    """For good, and silent."""
    stage, sink = staged(idle="keep_open")
    stage.play(tone(300))
    stage.run(600.0)
    assert not sink.closed
    assert np.array_equal(sink.heard(), tone(300))


def test_an_amplifier_is_kept_awake() -> None:
    """Before, between and after announcements there is always soft noise; the words are exact."""
    stage, sink = staged(idle="keepalive", keepalive_db=-70.0)
    stage.run(2.0)
    before = len(sink.heard())
    stage.play(tone(300))
    stage.run(2.0)
    heard = sink.heard()
    assert before >= 2.0 * RATE_HZ
    assert np.array_equal(heard[before : before + 300 * MS], tone(300))
    for noise in (heard[:before], heard[before + 300 * MS :]):
        assert rms_dbfs(noise) == pytest.approx(-70.0, abs=0.5)
    assert sink.xruns == 0


def test_an_amplifier_is_kept_awake_in_a_pause() -> None:
    """A long one is an idle device like any other."""
    stage, sink = staged(idle="keepalive")
    stage.play(tone(1000))
    stage.run(0.5)
    stage.tell(PlayPause(job_id="a"))
    stage.run(1.0)
    paused = len(sink.heard())
    stage.run(10.0)
    assert np.mean(sink.heard()[paused:] != 0) > 0.99


def test_keeping_awake_costs_little_and_delays_little() -> None:
    """Fifty wakes a second, and no more queued than while playing: a word need not wait for the noise."""
    stage, sink = staged(idle="keepalive")
    stage.run(1.0)
    before = stage.steps
    stage.run(10.0)
    assert stage.steps - before <= 510
    assert sink.fullest <= 65 * MS


def test_noise_on_a_lost_device_is_no_busy_loop() -> None:
    """It is looked for like any device, and kept awake again when it is back."""
    stage, sink = staged(idle="keepalive")
    stage.run(1.0)
    sink.gone = stage.is_away = True
    before = stage.steps
    stage.run(10.0)
    assert stage.steps - before < 60
    stage.sinks, stage.is_away = [FakeSink(stage.clock)], False
    stage.run(3.0)
    assert stage.sinks[0] is not None
    assert stage.sinks[0].heard().any()


def test_a_file_gets_no_noise() -> None:
    """What does not pace would be filled without end."""
    stage, sink = staged(paced=False, idle="keepalive")
    stage.run(60.0)
    assert len(sink.heard()) <= 65 * MS


def test_the_first_word_is_led_in() -> None:
    """An idle device gets its silence first, then every sample of the words."""
    stage, sink = staged(lead_in_ms=300)
    stage.play(tone(500))
    stage.run(2.0)
    assert not sink.heard()[: 300 * MS].any()
    assert np.array_equal(sink.heard()[300 * MS :], tone(500))
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=500.0, xruns=0, stalls=0)


def test_the_lead_in_passes_while_the_words_are_made() -> None:
    """It begins with the announcement: a device that has been awake long enough is not waited for."""
    stage, sink = staged(lead_in_ms=300)
    stage.begin()
    stage.run(1.0)
    assert not stage.said_of(PlayStarted)
    assert not sink.heard().any()
    asked_s = stage.clock()
    stage.feed(tone(500))
    stage.end()
    stage.run_until(PlayStarted)
    assert stage.clock() - asked_s < 0.05
    stage.run(1.0)
    assert np.array_equal(sink.heard()[-500 * MS :], tone(500))
    assert sink.xruns == 0
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=500.0, xruns=0, stalls=0)


def test_each_start_from_silence_is_led_in() -> None:
    """The second announcement and a resume as well; one that follows without a pause is the next start."""
    stage, sink = staged(lead_in_ms=300)
    stage.play(tone(500))
    stage.run(2.0)
    heard = len(sink.heard())
    stage.play(tone(500), "b")
    stage.run(2.0)
    assert not sink.heard()[heard : heard + 300 * MS].any()
    assert np.array_equal(sink.heard()[heard + 300 * MS :], tone(500))


def test_a_pause_is_led_out_of() -> None:
    """The device was idle in it; what faded out comes back after the silence."""
    stage, sink = staged(lead_in_ms=300)
    stage.play(tone(500))
    stage.run(0.5)
    stage.tell(PlayPause(job_id="a"))
    stage.run(1.0)
    heard = len(sink.heard())
    stage.tell(PlayResume(job_id="a"))
    stage.run(2.0)
    assert not sink.heard()[heard : heard + 300 * MS].any()
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=500.0, xruns=0, stalls=0)


def test_a_device_that_is_awake_needs_no_lead_in() -> None:
    """The noise has kept it so."""
    stage, sink = staged(idle="keepalive", keepalive_db=-80.0, lead_in_ms=300)
    stage.run(1.0)
    before = len(sink.heard())
    stage.play(tone(500))
    stage.run(1.0)
    assert np.array_equal(sink.heard()[before : before + 500 * MS], tone(500))


def test_a_word_follows_the_noise_at_once() -> None:
    """Also right after the noise was filled up, when there is no room for a sample yet."""
    stage, sink = staged(idle="keepalive")
    stage.run(1.0)
    sink.write(np.zeros(level_frames(sink.granted) - sink.queued(), np.float32))
    asked_s = stage.clock()
    stage.play(tone(500))
    stage.run_until(PlayDone)
    assert stage.clock() - asked_s < 0.065 + 0.5 + 0.02
    assert sink.xruns == 0


def test_noise_goes_on_as_silence_until_the_words_are_made() -> None:
    """An announcement that has begun and has nothing to say yet does not let the device run dry."""
    stage, sink = staged(idle="keepalive")
    stage.run(1.0)
    stage.begin()
    stage.run(1.0)
    stage.feed(tone(500))
    stage.end()
    stage.run(1.0)
    assert sink.xruns == 0
    assert stage.said[-1] == PlayDone(job_id="a", audio_ms=500.0, xruns=0, stalls=0)


def test_a_stop_in_the_lead_in() -> None:
    """Silent within 100 ms, and it is over; nothing was said."""
    stage, sink = staged(lead_in_ms=300)
    stage.begin()
    stage.run(0.1)
    stage.tell(PlayStop(job_id="a"))
    stopped_s = stage.clock()
    stage.run_until(PlayStopped)
    assert stage.clock() - stopped_s <= 0.1
    assert not sink.heard().any()
