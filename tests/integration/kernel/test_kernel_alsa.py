"""The player process on a real kernel's sound cards: xruns, a card that is taken, a card that is pulled out.

The machine is slow, so its cards run dry now and then without being asked to, and what is then heard a
second time is what a card's buffer held before. So what is played are stairs: every step has to be heard in
full, and whatever goes down again is not new.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.clocked_sink import poll_until
from edged.workers.messages import (
    PlayDone,
    PlayerReady,
    PlayerUnavailable,
    PlayFailed,
    PlayStarted,
    SetVolume,
)
from tests.integration.alsa.conftest import RATE_HZ, SINE_HZ, PlayerChild, sine
from tests.integration.kernel.conftest import PlayerFactory
from tests.integration.kernel.machine import DEADLINE_S, Machine

pytestmark = pytest.mark.kernel

LOOPBACK = "hw:CARD=Loopback"
LOOPBACK_STATUS = "/proc/asound/Loopback/pcm0p/sub0/status"
USB = "hw:CARD=Audio"
USB_VOLUME = "Audio Output Volume Control"  # a card that is plugged in has it at -0.5 dB
SHOW_VOLUME = "amixer -c Audio"
STEP_FRAMES = 16
STEPS = 12000  # of two 16-bit values, so that they stay apart on a card that is turned down a little
IN_CARD_FRAMES = RATE_HZ // 10  # of what a USB card is sent, this much at most is still in it or on its way
SILENCE_FRAMES = IN_CARD_FRAMES
RECOVERY_S = 2.0

Samples = NDArray[np.float32]


def stairs(steps: int = STEPS) -> Samples:
    """One step after the other, and silence at the end.

    The silence is what may be lost: snd-aloop forgets the last 4 ms of what is drained now and then.
    """
    values = np.repeat(np.arange(1, steps + 1, dtype=np.float32), STEP_FRAMES) / 2**14
    return np.concatenate([values, np.zeros(SILENCE_FRAMES, np.float32)])


def steps_missing(heard: NDArray[np.int16], steps: int = STEPS) -> int:
    """How many steps of the stairs were not heard in full, in their order, on both channels."""
    assert np.array_equal(heard[:, 0], heard[:, 1])
    new = heard[:, 0][heard[:, 0] >= np.maximum.accumulate(heard[:, 0])]
    _, frames = np.unique(new[new > 0], return_counts=True)
    return steps - int((frames >= STEP_FRAMES).sum())


def from_usb(machine: Machine, before: int, frames: int) -> NDArray[np.int16]:
    """Wait until the USB card has played so many frames more than before; all since then."""
    poll_until(lambda: len(machine.heard_from_usb()) >= before + frames, "the card is silent", DEADLINE_S)
    return machine.heard_from_usb()[before:]


def test_an_xrun_loses_nothing(machine: Machine, player: PlayerFactory) -> None:
    """A player stopped for half a second lets the card run dry: counted, and every frame is heard."""
    with player(LOOPBACK) as child:
        child.wait_for(PlayerReady)
        pid = machine.player_pid()
        with machine.record() as recording:
            child.play(stairs())
            recording.until_heard(RATE_HZ // 2, DEADLINE_S)
            machine.run(f"kill -STOP {pid}; sleep 0.5; cat {LOOPBACK_STATUS} >/tmp/status; kill -CONT {pid}")
            done = child.wait_for(PlayDone)
            heard = recording.until_silent(RATE_HZ, DEADLINE_S)
    assert "XRUN" in machine.run("cat /tmp/status")
    assert isinstance(done, PlayDone)
    assert done.xruns >= 1
    assert steps_missing(heard) == 0


def test_a_card_in_use_is_waited_for(machine: Machine, player: PlayerFactory) -> None:
    """The program that holds the card is named; when it lets go, all that was asked for is heard."""
    with machine.record() as recording:
        with (
            machine.running(f"aplay -q -D {LOOPBACK} -f S16_LE -r 48000 -c 2 /dev/zero"),
            player(LOOPBACK) as child,
        ):
            unavailable = child.wait_for(PlayerUnavailable)
            child.play(stairs(STEPS // 4))
            machine.run("pkill -x aplay")
            child.wait_for(PlayerReady)
            child.wait_for(PlayDone)
        heard = recording.until_silent(RATE_HZ, DEADLINE_S)
    assert isinstance(unavailable, PlayerUnavailable)
    assert "Device or resource busy, held by aplay (process " in unavailable.what
    assert steps_missing(heard, STEPS // 4) == 0


def test_a_card_pulled_out_and_put_back(machine: Machine, player: PlayerFactory) -> None:
    """Speech goes on where it was, as loud, within two seconds; without the card the player does not spin.

    All is heard but for what was in the card itself.
    """
    before = len(machine.heard_from_usb())
    with player(USB, mixer=USB_VOLUME) as child:
        child.wait_for(PlayerReady)
        child.channel.send(SetVolume(percent=100))
        child.play(stairs())
        from_usb(machine, before, RATE_HZ)
        volume_before = machine.run(SHOW_VOLUME)
        machine.unplug()
        child.wait_for(PlayerUnavailable)
        assert load_of_player(machine) < 0.25
        first = machine.heard_from_usb()[before:]
        recovery_s = seconds_until_ready(machine, child)
        over = child.wait_for(PlayDone, PlayFailed)
        volume_after = machine.run(SHOW_VOLUME)
        heard = np.concatenate([first, from_usb(machine, 0, rest_frames(first))])
    assert isinstance(over, PlayDone)
    assert recovery_s <= RECOVERY_S
    assert volume_after == volume_before
    assert steps_missing(heard) <= IN_CARD_FRAMES // STEP_FRAMES


def test_a_card_that_stays_away(machine: Machine, player: PlayerFactory) -> None:
    """Pulled out for good, speech fails as audio_lost; when the card is back, what comes next is heard."""
    with player(USB, mixer=USB_VOLUME) as child:
        child.wait_for(PlayerReady)
        child.channel.send(SetVolume(percent=100))
        child.play(stairs(), "lost")
        child.wait_for(PlayStarted)
        machine.unplug()
        failed = child.wait_for(PlayFailed)
        recovery_s = seconds_until_ready(machine, child)
        child.play(stairs(STEPS // 4), "next")
        child.wait_for(PlayDone)
        heard = from_usb(machine, 0, STEPS // 4 * STEP_FRAMES + SILENCE_FRAMES // 2)
    assert isinstance(failed, PlayFailed)
    assert failed.code == "audio_lost"
    assert recovery_s <= RECOVERY_S
    assert steps_missing(heard, STEPS // 4) == 0


def test_what_a_card_forces_is_kept_to(machine: Machine, player: PlayerFactory) -> None:
    """Asked for 22050 Hz mono, a card that only knows 48000 Hz stereo plays at its rate and the right pitch.

    Its number in the PCM's name is warned about, with the name to use instead.
    """
    before = len(machine.heard_from_usb())
    number = machine.cards()["Audio"]
    with player(f"hw:{number},0", rate_hz=22050, channels=1) as child:
        ready = child.wait_for(PlayerReady)
        child.play(sine(2.0))
        child.wait_for(PlayDone)
        heard = from_usb(machine, before, RATE_HZ)[-RATE_HZ // 2 :, 0]
    assert isinstance(ready, PlayerReady)
    assert (ready.rate_hz, ready.channels, ready.format) == (48000, 2, "S16_LE")
    assert f'audio.device = "hw:{number},0"' in machine.player_log()
    assert "use hw:CARD=Audio,DEV=0" in machine.player_log()
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    assert abs(int(spectrum.argmax()) * RATE_HZ / len(heard) - SINE_HZ) <= RATE_HZ / len(heard)


def rest_frames(first: NDArray[np.int16]) -> int:
    """How many frames of the stairs come at least, and some silence, after these were heard."""
    return STEPS * STEP_FRAMES - int(first.any(axis=1).sum()) + SILENCE_FRAMES // 2


def load_of_player(machine: Machine) -> float:
    """The share of a processor that the player uses, over three seconds."""
    pid = machine.player_pid()
    before_s, start_s = machine.cpu_s(pid), time.monotonic()
    machine.run("sleep 3")
    return (machine.cpu_s(pid) - before_s) / (time.monotonic() - start_s)


def seconds_until_ready(machine: Machine, child: PlayerChild) -> float:
    """Put the card back; how long after the kernel has it the player does too."""
    machine.plug()
    poll_until(lambda: "Audio" in machine.cards(), "no USB card", DEADLINE_S)
    back_s = time.monotonic()
    child.wait_for(PlayerReady)
    return time.monotonic() - back_s
