"""The device's volume and an announcement's own: what is written, and that it does not outlive its use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from edged.audio.limiter import Limiter
from edged.workers.messages import PlayDone, PlayFailed, PlayPause, PlayStop, PlayStopped, SetVolume
from tests.fakes.playing import MS, RATE_HZ, TONE_STEP, Stage, largest_step, tone
from tests.fakes.sink import FakeClock, FakeSink

HELD = Limiter(RATE_HZ).latency_frames


def staged() -> tuple[Stage, FakeSink]:
    clock = FakeClock()
    sink = FakeSink(clock)
    return Stage(sink, clock=clock), sink


def test_full_volume_changes_no_sample() -> None:
    """What comes in goes out, bit for bit."""
    stage, sink = staged()
    stage.tell(SetVolume(percent=100))
    stage.play(tone(300))
    stage.run(1.0)
    assert np.array_equal(sink.heard(), tone(300))


@pytest.mark.parametrize(("device", "own", "gain"), [(50, 100, 1 / 8), (100, 50, 1 / 8), (50, 50, 1 / 64)])
def test_the_device_and_the_announcement_multiply(device: int, own: int, gain: float) -> None:
    """Each is a perceptual percentage: half of it is an eighth of the amplitude."""
    stage, sink = staged()
    stage.tell(SetVolume(percent=device))
    stage.play(tone(300), volume=own)
    stage.run(1.0)
    assert np.allclose(sink.heard(), gain * tone(300), atol=1e-7)


@pytest.mark.parametrize(("device", "own"), [(0, 100), (100, 0)])
def test_zero_is_silence(device: int, own: int) -> None:
    """No sample at all, for as long as it would have taken."""
    stage, sink = staged()
    stage.tell(SetVolume(percent=device))
    stage.play(tone(300), volume=own)
    stage.run_until(PlayDone)
    assert len(sink.heard()) == 300 * MS
    assert not sink.heard().any()


@pytest.mark.parametrize("to", [0, 30, 100])
def test_a_change_while_playing_makes_no_click(to: int) -> None:
    """Heard after what is queued, over 10 ms, without a step; the device's volume is what it was set to."""
    stage, sink = staged()
    stage.tell(SetVolume(percent=60))
    stage.play(tone(1000), volume=50)
    stage.run(0.5)
    stage.tell(SetVolume(percent=to))
    at_change = len(sink.heard())
    stage.run(1.0)
    assert largest_step(sink.heard()) <= TONE_STEP * 1.05
    assert np.allclose(sink.heard()[:at_change], 0.3**3 * tone(1000)[:at_change], atol=1e-7)
    rest = slice(at_change + HELD + 10 * MS, None)
    assert np.allclose(sink.heard()[rest], (to / 200) ** 3 * tone(1000)[rest], atol=1e-7)


def test_the_device_volume_may_change_in_a_pause() -> None:
    """What was said to it while nothing sounds holds from the resume on."""
    stage, sink = staged()
    stage.play(tone(1000), volume=50)
    stage.run(0.5)
    stage.tell(PlayPause(job_id="a"))
    stage.run(0.5)
    stage.tell(SetVolume(percent=20))
    stage.tell(PlayStop(job_id="a"))
    stage.play(tone(100), "b")
    stage.run(0.5)
    assert np.allclose(sink.heard()[-100 * MS :], 0.2**3 * tone(100), atol=1e-7)


def stop(stage: Stage) -> None:
    stage.tell(PlayStop(job_id="a"))
    stage.run_until(PlayStopped)


def stop_paused(stage: Stage) -> None:
    stage.tell(PlayPause(job_id="a"))
    stage.run(0.5)
    stop(stage)


def play_out(stage: Stage) -> None:
    stage.end()
    stage.run_until(PlayDone)


def lose_the_card(stage: Stage) -> None:
    sink = stage.sinks[0]
    assert sink is not None
    sink.gone = stage.is_away = True
    stage.run_until(PlayFailed)
    sink.gone = stage.is_away = False
    stage.run(1.0)


@pytest.mark.parametrize("end", [stop, stop_paused, play_out, lose_the_card])
def test_the_next_announcement_has_the_device_volume(end: Callable[[Stage], None]) -> None:
    """However one with a volume of its own ends, the next one is as loud as the device is set."""
    stage, sink = staged()
    stage.tell(SetVolume(percent=80))
    stage.begin(volume=10)
    stage.feed(tone(500))
    stage.run(0.2)
    end(stage)
    stage.play(tone(300), "b")
    stage.run(1.0)
    assert np.allclose(sink.heard()[-300 * MS :], 0.8**3 * tone(300), atol=1e-7)
