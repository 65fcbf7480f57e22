"""Faults of sound devices that users of other systems have reported, replayed against the whole daemon.

Named for what went wrong elsewhere; the docstrings say what is right, and where it was reported.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest

from benchmarks.clocked_sink import ClockedSink
from benchmarks.fault_shim import Fault, FaultShim
from tests.integration.broker import Broker
from tests.integration.conftest import TONE
from tests.integration.running_daemon import RunningDaemon, running_daemon, wait_gone
from tests.integration.sound import (
    FADE_FRAMES,
    RATE_HZ,
    Samples,
    is_beginning,
    is_same,
    recorded_sound,
    spoken,
)

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

TEXT = "One two three four five six. " * 2  # 5 s
NEXT = "Next please."
GAP_FRAMES = RATE_HZ * 3 // 4  # longer than the pause between two sentences
LEVEL_FRAMES = RATE_HZ * 8 // 100  # the most that is queued in a device
DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> FaultShim:
    """Devices that fail on purpose."""
    return FaultShim(tmp_path_factory.mktemp("shim"))


Starter = Callable[..., RunningDaemon]


@pytest.fixture
def start(tmp_path: Path, broker: Broker, sink: ClockedSink, shim: FaultShim) -> Iterator[Starter]:
    """`start(plan)`: a daemon on the sink that keeps time, with the faults of the plan and of the shim."""
    with ExitStack() as stack:

        def start(plan: str = "") -> RunningDaemon:
            env = {**sink.env, **shim.env, "EDGED_FAULTS": plan}
            return stack.enter_context(running_daemon(tmp_path, broker, env, TONE))

        stack.callback(shim.end)
        yield start


def is_whole_but_for_a_gap(heard: Samples, whole: Samples) -> bool:
    """Every sample in its order; silence came between two of them."""
    gap = len(heard) - len(whole)
    if gap < 0:
        return False
    differ = np.flatnonzero(np.abs(heard[: len(whole)] - whole) > 2)
    at = int(differ[0]) if len(differ) else len(whole)
    return is_same(heard[at + gap :], whole[at:])


def is_end(heard: Samples, whole: Samples) -> bool:
    """Whether `heard` is the end of `whole`, but for the fade at its beginning."""
    return is_same(heard[FADE_FRAMES:], whole[-len(heard) :][FADE_FRAMES:])


@contextmanager
def busy_cpus() -> Iterator[None]:
    """Each CPU has something else to do."""
    command = [sys.executable, "-c", "while True: pass"]
    burners = [subprocess.Popen(command) for _ in range(psutil.cpu_count() or 1)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def test_the_first_word_was_lost_after_a_pause(start: Starter, sink: ClockedSink) -> None:
    """The device was let go of meanwhile; the short word that comes then is heard from its first sample on.

    wyoming-piper#16, wyoming-satellite#122, snips-issues#201
    """
    daemon = start()
    player = daemon.child("player")
    daemon.speak(NEXT, id="before")
    daemon.result("before")
    with sink.record() as recording:
        recording.until_frames(3 * RATE_HZ, DEADLINE_S)
        assert player.is_running()
        daemon.speak("Done", id="done")
        daemon.result("done")
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert is_same(heard, spoken("Done"))


def test_speech_had_gaps_on_slow_machines(start: Starter, sink: ClockedSink) -> None:
    """All CPUs are busy with something else: not a sample is missing or late.

    wyoming-satellite#11, piper1-gpl#266
    """
    daemon = start()
    with sink.record() as recording, busy_cpus():
        daemon.speak(TEXT, id="a")
        result = daemon.result("a")
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert (result["status"], result["xruns"]) == ("finished", 0)
    assert is_same(heard, spoken(TEXT))


def test_a_busy_device_was_the_end(start: Starter, sink: ClockedSink, shim: FaultShim) -> None:
    """It is named, once, what is to be said waits, and is heard whole when the device is free.

    wyoming-satellite#196, squeezelite#153, espeakup#62
    """
    shim.begin("busy")
    daemon = start()
    daemon.wait_reason('PCM "default": Device or resource busy')
    with sink.record() as recording:
        daemon.speak(TEXT, id="a")
        daemon.wait_stage("a", "queued")
        shim.end()
        assert daemon.result("a")["status"] == "finished"
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert is_same(heard, spoken(TEXT))
    assert daemon.log.read_text().count("WARNING: PCM") == 1
    assert daemon.wait_state("online")["reason"] == ""


def test_a_device_that_became_busy_while_it_was_idle(
    start: Starter, sink: ClockedSink, shim: FaultShim
) -> None:
    """Another program took the card that was let go of: nobody knew, and the next request waits all the same.

    wyoming-satellite#196
    """
    daemon = start()
    daemon.speak(NEXT, id="before")
    daemon.result("before")
    with sink.record() as recording:
        recording.until_frames(3 * RATE_HZ, DEADLINE_S)
        shim.begin("busy")
        daemon.speak(TEXT, id="a")
        daemon.wait_reason("Device or resource busy")
        shim.end()
        assert daemon.result("a")["status"] == "finished"
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert is_same(heard, spoken(TEXT))


def test_an_unplugged_device_became_a_busy_loop(start: Starter, shim: FaultShim) -> None:
    """Gone for ever: the player wakes a few times a second, the request ends `audio_lost`, main lives.

    squeezelite#97
    """
    daemon = start()
    player = daemon.child("player")
    daemon.speak(TEXT, id="a")
    daemon.wait_stage("a", "speaking")
    shim.begin("away")
    daemon.wait_reason("No such device")
    wakes, began_s = player.num_ctx_switches().voluntary, time.monotonic()
    result = daemon.result("a")
    wakes_per_s = (player.num_ctx_switches().voluntary - wakes) / (time.monotonic() - began_s)
    assert (result["status"], result["code"]) == ("failed", "audio_lost")
    assert wakes_per_s < 30  # its heartbeat and the attempts; a busy loop has thousands
    shim.end()
    daemon.speak(NEXT, id="next")
    assert daemon.result("next")["status"] == "finished"


def test_nothing_was_heard_after_a_replug(start: Starter, sink: ClockedSink) -> None:
    """The announcement goes on where it was: every sample is heard, those that were queued perhaps twice.

    squeezelite#99, shairport-sync#1198
    """
    daemon = start()
    with sink.record() as recording:
        daemon.speak(TEXT, id="a")
        recording.until_heard(RATE_HZ, DEADLINE_S)
        sink.unplug()
        first = recorded_sound(recording.samples())
    daemon.wait_reason('PCM "default"')
    sink.plug()
    with sink.record() as recording:
        assert daemon.result("a")["status"] == "finished"
        second = recorded_sound(recording.samples())
    whole = spoken(TEXT)
    assert is_beginning(first, whole)
    assert len(second) < len(whole)
    daemon.wait_state("online")


def test_no_device_no_start(start: Starter, sink: ClockedSink, shim: FaultShim) -> None:
    """It starts without a card, degraded, and takes requests; the card comes, and they are heard.

    squeezelite#173
    """
    shim.begin("away")
    daemon = start()
    daemon.wait_reason("No such device")
    with sink.record() as recording:
        daemon.speak(TEXT, id="a")
        daemon.wait_stage("a", "queued")
        shim.end()
        assert daemon.result("a")["status"] == "finished"
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert is_same(heard, spoken(TEXT))


def test_a_suspend_was_the_end(start: Starter, sink: ClockedSink, shim: FaultShim) -> None:
    """The device has to be opened again after it: the announcement goes on, nothing of it is missing.

    shairport-sync#1198
    """
    daemon = start()
    with sink.record() as recording:
        daemon.speak(TEXT, id="a")
        recording.until_heard(RATE_HZ, DEADLINE_S)
        shim.begin("suspended")
        recording.until_silent(GAP_FRAMES, DEADLINE_S)
        shim.end()
        assert daemon.result("a")["status"] == "finished"
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    whole = spoken(TEXT)
    silence = np.flatnonzero(np.convolve(heard != 0, np.ones(GAP_FRAMES), "valid") < 0.5)
    before, after = heard[: silence[0]], heard[silence[-1] + GAP_FRAMES :]
    assert is_same(before, whole[: len(before)])
    assert is_end(after, whole)
    assert 0 <= len(before) + len(after) - len(whole) <= LEVEL_FRAMES


def test_the_block_of_an_xrun_was_lost(start: Starter, sink: ClockedSink) -> None:
    """It is written again: a gap, and every sample; the result counts the xrun.

    shairport-sync PR#2281
    """
    daemon = start("xrun@9")
    with sink.record() as recording:
        daemon.speak(TEXT, id="a")
        result = daemon.result("a")
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert (result["status"], result["xruns"]) == ("finished", 1)
    assert is_whole_but_for_a_gap(heard, spoken(TEXT))


def test_the_volume_was_forgotten_at_a_replug(start: Starter, sink: ClockedSink) -> None:
    """What comes after it is as loud as what came before.

    squeezelite#238
    """
    daemon = start()
    daemon.command("volume", "50")
    daemon.speak(TEXT, id="a", volume=80)
    daemon.wait_stage("a", "speaking")
    sink.unplug()
    daemon.wait_reason('PCM "default"')
    sink.plug()
    assert daemon.result("a")["status"] == "finished"
    with sink.record() as recording:
        daemon.speak(NEXT, id="next", volume=80)
        assert daemon.result("next")["status"] == "finished"
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    loudest = np.abs(spoken(NEXT)).max() * (0.5 * 0.8) ** 3
    assert abs(np.abs(heard).max() - loudest) <= 2


@pytest.mark.parametrize("fault", ["nodrain", "stuck"])
def test_a_hang_in_drain_or_write_was_for_ever(start: Starter, shim: FaultShim, fault: Fault) -> None:
    """The player gives up on it and is replaced; the request ends `audio_lost`, the next one is spoken.

    phat-beat#4, pcaudiolib#8
    """
    daemon = start()
    player = daemon.child("player")
    shim.begin(fault)
    daemon.speak(NEXT, id="a")
    result = daemon.result("a")
    assert (result["status"], result["code"]) == ("failed", "audio_lost")
    shim.end()
    daemon.speak(NEXT, id="next")
    assert daemon.result("next")["status"] == "finished"
    assert daemon.child("player") != player


def test_a_hung_device_took_everything_with_it(start: Starter, shim: FaultShim) -> None:
    """No call of the device returns: main notices, replaces the player and answers; nobody is left behind.

    pcaudiolib#8
    """
    daemon = start()
    daemon.speak(TEXT, id="a")
    daemon.wait_stage("a", "speaking")
    player = daemon.child("player")
    shim.begin("hang")
    result = daemon.result("a")
    assert (result["status"], result["code"]) == ("failed", "audio_lost")
    wait_gone(player)
    shim.end()
    daemon.speak(NEXT, id="next")
    assert daemon.result("next")["status"] == "finished"


def test_short_writes_were_ignored(start: Starter, sink: ClockedSink, shim: FaultShim) -> None:
    """A device that takes half of each block gets the other half next.

    pcaudiolib PR#6
    """
    shim.begin("short")
    daemon = start()
    with sink.record() as recording:
        daemon.speak(TEXT, id="a")
        result = daemon.result("a")
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert (result["status"], result["xruns"]) == ("finished", 0)
    assert is_same(heard, spoken(TEXT))
