"""The player process on a sound card that keeps time, judged by what was heard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

from benchmarks.clocked_sink import ClockedSink, Recording, poll_until, trim
from benchmarks.fault_shim import Fault, FaultShim
from edged.audio import wav
from edged.audio.fade import rise
from edged.config.schema import AudioConfig, Config
from edged.workers.child import spawned
from edged.workers.messages import (
    PlayDone,
    PlayEnd,
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
from tests.integration.alsa.conftest import (
    DEADLINE_S,
    RATE_HZ,
    SINE_HZ,
    SINE_STEP,
    PlayerChild,
    PlayerFactory,
    never_silent,
    sine,
)

pytestmark = pytest.mark.alsa

TAIL_FRAMES = RATE_HZ // 5
STOP_S = 0.1
FADE_FRAMES = RATE_HZ // 100
LEVEL_FRAMES = RATE_HZ * 8 // 100


def as_heard(samples: NDArray[np.float32]) -> NDArray[np.int16]:
    """Float samples as the frames of a stereo recording."""
    return np.repeat(np.rint(samples * 2**15).astype(np.int16)[:, None], 2, axis=1)


def without_gaps(heard: NDArray[np.int16]) -> NDArray[np.int16]:
    """The frames of a recording that are not silent."""
    return heard[heard.any(axis=1)]


def heard_until_s(recording: Recording) -> float:
    """When the last sound was heard, by the card's clock: how late the recorder tells is no matter."""
    return recording.heard_at_s(int(np.flatnonzero(recording.samples().any(axis=1))[-1]))


def test_every_frame_is_heard_once(player: PlayerFactory, card: ClockedSink) -> None:
    """Four seconds arrive on both channels with no frame lost, repeated or changed."""
    speech = never_silent(4.0)
    with card.record() as recording, player() as child:
        child.play(speech)
        done = child.wait_for(PlayDone)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))
    assert np.array_equal(heard, as_heard(speech))
    assert done == PlayDone(job_id="a", audio_ms=4000.0, xruns=0, stalls=0)


def test_done_comes_after_the_last_sample(player: PlayerFactory, card: ClockedSink) -> None:
    """When PlayDone arrives, the recorder, which lags behind the card, lacks a tenth of a second at most."""
    speech = never_silent(1.0)
    with card.record() as recording, player() as child:
        child.play(speech)
        child.wait_for(PlayDone)
        heard = trim(recording.samples())
    assert len(speech) - len(heard) <= RATE_HZ // 10


def test_stop_fades_within_100_ms(player: PlayerFactory, card: ClockedSink) -> None:
    """After a stop at most 100 ms are heard, and no step is larger than the tone's own."""
    with card.record() as recording, player() as child:
        child.begin()
        child.feed(sine(5.0))
        recording.until_heard(RATE_HZ, DEADLINE_S)
        child.channel.send(PlayStop(job_id="a"))
        stopped_s = time.monotonic()
        child.wait_for(PlayStopped)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))[:, 0].astype(int)
    assert heard_until_s(recording) - stopped_s <= STOP_S
    assert np.abs(np.diff(heard, append=0)).max() <= SINE_STEP


@pytest.mark.parametrize("pause_s", [0.2, 3.0], ids=["card kept", "card let go of"])
def test_a_pause_is_silent_within_100_ms_and_loses_nothing(
    player: PlayerFactory, card: ClockedSink, pause_s: float
) -> None:
    """At most 100 ms are heard after a pause; after the resume the rest is, without a step and an xrun."""
    tone = sine(2.0)
    with card.record() as recording, player() as child:
        child.play(tone)
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        child.channel.send(PlayPause(job_id="a"))
        paused_s = time.monotonic()
        first = trim(recording.until_silent(int(pause_s * RATE_HZ), DEADLINE_S))
        silent_s = heard_until_s(recording)
        child.channel.send(PlayResume(job_id="a"))
        done = child.wait_for(PlayDone)
        recording.until_heard(len(first) + RATE_HZ, DEADLINE_S)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))[:, 0].astype(int)
    assert silent_s - paused_s <= STOP_S
    assert done == PlayDone(job_id="a", audio_ms=2000.0, xruns=0, stalls=0)
    assert np.abs(np.diff(heard, append=0)).max() <= SINE_STEP
    last = heard[len(first) :]
    last = last[np.flatnonzero(last)[0] :]
    both = np.zeros(len(tone), int)
    both[1 : 1 + len(first)] += first[:, 0]  # a sine begins with a zero
    both[-len(last) :] += last
    assert np.allclose(both, as_heard(tone)[:, 0], atol=2)  # where they overlap, both are rounded


def test_the_volume_is_heard(player: PlayerFactory, card: ClockedSink) -> None:
    """Set before the first announcement and while one plays: an eighth at 50, all of it at 100, no step."""
    tone = sine(1.0)
    with card.record() as recording, player() as child:
        child.channel.send(SetVolume(percent=50))
        child.play(tone)
        recording.until_heard(RATE_HZ // 4, DEADLINE_S)
        child.channel.send(SetVolume(percent=100))
        child.wait_for(PlayDone)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))[:, 0].astype(int)
    quarter = RATE_HZ // 4
    assert np.array_equal(heard[:quarter], as_heard(tone * np.float32(1 / 8))[1 : quarter + 1, 0])
    assert np.array_equal(heard[-quarter:], as_heard(tone)[-quarter:, 0])
    assert np.abs(np.diff(heard)).max() <= SINE_STEP


def test_a_stall_is_bridged_with_silence(player: PlayerFactory, card: ClockedSink) -> None:
    """Speech that comes too late leaves a silent gap without an xrun or a step, then goes on."""
    tone = sine(1.0)
    half = len(tone) // 2
    with card.record() as recording, player() as child:
        child.begin()
        child.feed(tone[:half])
        recording.until_silent(TAIL_FRAMES, DEADLINE_S)
        child.feed(tone[half:])
        child.channel.send(PlayEnd(job_id="a"))
        done = child.wait_for(PlayDone)
        recording.until_heard(len(tone) - TAIL_FRAMES, DEADLINE_S)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))[:, 0].astype(int)
    assert done == PlayDone(job_id="a", audio_ms=1000.0, xruns=0, stalls=1)
    assert np.abs(np.diff(heard)).max() <= SINE_STEP
    assert np.array_equal(heard[-half // 2 :], as_heard(tone)[-half // 2 :, 0])


def test_the_block_an_xrun_rejected_is_heard(
    player: PlayerFactory, card: ClockedSink, faults: Callable[[str], None]
) -> None:
    """After an xrun the rejected block is written again: a gap, but every frame, and the xrun is counted."""
    faults("xrun@4")
    speech = never_silent(1.0)
    with card.record() as recording, player() as child:
        child.play(speech)
        done = child.wait_for(PlayDone)
        heard = without_gaps(recording.until_silent(TAIL_FRAMES, DEADLINE_S))
    assert np.array_equal(heard, as_heard(speech))
    assert done == PlayDone(job_id="a", audio_ms=1000.0, xruns=1, stalls=0)


def test_short_writes_lose_nothing(
    player: PlayerFactory, card: ClockedSink, faults: Callable[[str], None]
) -> None:
    """What a short write left over is written next."""
    faults("short@3")
    speech = never_silent(1.0)
    with card.record() as recording, player() as child:
        child.play(speech)
        child.wait_for(PlayDone)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))
    assert np.array_equal(heard, as_heard(speech))


@pytest.mark.parametrize(
    ("asked", "plan", "granted"),
    [
        ({}, "rate@32000", (32000, 2)),
        ({"rate_hz": 22050, "channels": 1}, "rate@48000,channels@2", (48000, 2)),
        ({"rate_hz": 48000, "channels": 2}, "rate@44100,channels@1", (44100, 1)),
    ],
    ids=["slower", "22050 mono", "44100 mono"],
)
def test_what_is_granted_silently_keeps_the_pitch(
    player: PlayerFactory,
    card: ClockedSink,
    faults: Callable[[str], None],
    asked: dict[str, int],
    plan: str,
    granted: tuple[int, int],
) -> None:
    """A device that runs at another rate than asked gets samples of its rate: a tone keeps its pitch."""
    faults(plan)
    with card.record() as recording, player(**asked) as child:
        ready = child.wait_for(PlayerReady)
        child.play(sine(1.0))
        child.wait_for(PlayDone)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))[:RATE_HZ]
    assert isinstance(ready, PlayerReady)
    assert (ready.rate_hz, ready.channels) == granted
    assert abs(len(heard) - RATE_HZ) < RATE_HZ // 100
    assert np.array_equal(heard[:, 0], heard[:, 1])
    spectrum = np.abs(np.fft.rfft(heard[:, 0] * np.hanning(len(heard))))
    assert abs(int(spectrum.argmax()) * RATE_HZ / len(heard) - SINE_HZ) <= 2.0


def test_a_replugged_card_goes_on_with_the_stream(player: PlayerFactory, card: ClockedSink) -> None:
    """Unplugged in mid-speech, unavailable; plugged in again, ready: every sample has been heard.

    At most as many as were queued are heard twice.
    """
    speech = never_silent(0.5)  # no value twice
    with player() as child:
        child.wait_for(PlayerReady)
        with card.record() as recording:
            child.play(speech)
            recording.until_heard(RATE_HZ // 5, DEADLINE_S)
            card.unplug()
            first = without_gaps(recording.samples())
        child.wait_for(PlayerUnavailable)
        card.plug()
        with card.record() as recording:
            child.wait_for(PlayerReady)
            done = child.wait_for(PlayDone)
            second = without_gaps(recording.until_silent(TAIL_FRAMES, DEADLINE_S))
    assert isinstance(done, PlayDone)
    assert done.audio_ms == 500.0
    expected = as_heard(speech)
    assert np.array_equal(first, expected[: len(first)])
    assert np.array_equal(second[FADE_FRAMES:], expected[-len(second) :][FADE_FRAMES:])


@pytest.mark.parametrize("fault", ["away", "badfd", "suspended", "xrun"])
def test_no_sample_is_lost_with_the_card(
    player: PlayerFactory, card: ClockedSink, shim: FaultShim, fault: Fault
) -> None:
    """Whatever takes the card away: every sample is heard, in order, those that were queued perhaps twice."""
    speech = never_silent(0.6)  # no value twice
    with card.record() as recording, player() as child:
        child.play(speech)
        recording.until_heard(RATE_HZ // 5, DEADLINE_S)
        shim.begin(fault)
        recording.until_silent(RATE_HZ // 2, DEADLINE_S)
        shim.end()
        done = child.wait_for(PlayDone)
        heard = recording.until_silent(TAIL_FRAMES, DEADLINE_S)
    assert isinstance(done, PlayDone)
    assert done.audio_ms == 600.0
    sounds = np.flatnonzero(heard.any(axis=1))
    gap = int(np.argmax(np.diff(sounds)))
    first, second = heard[sounds[0] : sounds[gap] + 1], heard[sounds[gap + 1] : sounds[-1] + 1]
    expected = as_heard(speech)
    assert np.array_equal(first, expected[: len(first)])
    assert np.array_equal(second[FADE_FRAMES:], expected[-len(second) :][FADE_FRAMES:])
    # the first samples of the fade in round to silence
    faint = np.count_nonzero(rise(FADE_FRAMES) * expected[-len(second), 0] < 0.5)
    assert 0 <= len(first) + faint + len(second) - len(expected) <= LEVEL_FRAMES


def test_a_card_that_stays_away_fails_the_stream(player: PlayerFactory, shim: FaultShim) -> None:
    """After ten seconds audio_lost; when it is back it is ready for the next one."""
    with player() as child:
        child.play(never_silent(2.0))
        child.wait_for(PlayStarted)
        shim.begin("away")
        failed = child.wait_for(PlayFailed)
        shim.end()
        child.wait_for(PlayerReady)
        child.play(never_silent(0.1), job_id="b")
        child.wait_for(PlayDone)
    assert isinstance(failed, PlayFailed)
    assert (failed.code, "No such device" in failed.what) == ("audio_lost", True)


def test_a_stop_with_long_periods(player: PlayerFactory, card: ClockedSink) -> None:
    """Whatever period is configured, at most 100 ms are heard after a stop."""
    with card.record() as recording, player(period_ms=80) as child:
        child.begin()
        child.feed(sine(5.0))
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        child.channel.send(PlayStop(job_id="a"))
        stopped_s = time.monotonic()
        child.wait_for(PlayStopped)
        recording.until_silent(TAIL_FRAMES, DEADLINE_S)
    assert heard_until_s(recording) - stopped_s <= STOP_S


@pytest.mark.parametrize(("plan", "reason"), [("stuck@5", "stands still"), ("nodrain@1", "does not drain")])
def test_a_hung_device_ends_the_process(
    player: PlayerFactory, faults: Callable[[str], None], plan: str, reason: str
) -> None:
    """A device that stands still, or does not drain, is reported; the process then leaves by itself."""
    faults(plan)
    with player() as child:
        child.play(never_silent(0.5))
        failed = child.wait_for(PlayFailed)
        with pytest.raises(EOFError):
            child.wait_for(PlayDone)
    assert isinstance(failed, PlayFailed)
    assert failed.code == "audio_lost"
    assert reason in failed.what


def test_a_file_is_exact_and_complete_when_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ALSA's file plugin: with PlayDone the WAV on disk is whole, header and all; paths may hold spaces."""
    out = tmp_path / "a folder" / "out.wav"
    out.parent.mkdir()
    asound = tmp_path / "asound.conf"
    asound.write_text(
        f'pcm.nothing {{ type null }}\npcm.wav {{ type file slave.pcm nothing file "{out}" format wav }}\n'
    )
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(asound))
    speech = never_silent(2.0)
    config = Config(audio=AudioConfig(device="wav", channels=1))
    with spawned("edged.workers.player", config, DEADLINE_S) as channel:
        child = PlayerChild(channel)
        child.play(speech)
        child.wait_for(PlayDone)
        heard = wav.decode(out.read_bytes())
    assert np.array_equal(heard.mono(), speech)
    assert heard.rate_hz == RATE_HZ


def test_an_unknown_pcm_is_named(player: PlayerFactory) -> None:
    """No such PCM: told with name, reason, cards and what to do; a stream waits for it and fails."""
    with player(device="no_such_pcm") as child:
        unavailable = child.wait_for(PlayerUnavailable)
        child.begin()
        failed = child.wait_for(PlayFailed)
    assert isinstance(unavailable, PlayerUnavailable)
    assert 'PCM "no_such_pcm": No such file or directory; ' in unavailable.what
    assert "card" in unavailable.what
    assert "edged doctor" in unavailable.hint
    assert isinstance(failed, PlayFailed)
    assert failed.code == "audio_unavailable"


def player_processes(parent: int) -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process(parent).children(recursive=True)
        if "edged.workers.player" in process.cmdline()
    ]


def is_dead(process: psutil.Process) -> bool:
    """Gone, or a zombie that PID 1 of a plain container does not reap."""
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_signals(player: PlayerFactory) -> None:
    """Ctrl-C in the terminal is main's business; SIGTERM ends the player in good order."""
    with player() as child:
        child.wait_for(PlayerReady)
        (process,) = player_processes(os.getpid())
        process.send_signal(signal.SIGINT)
        child.play(never_silent(0.1))
        child.wait_for(PlayDone)
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_S) == 0


def test_no_player_survives_its_parent(player: PlayerFactory, card: ClockedSink, tmp_path: Path) -> None:
    """kill -9 of the process that started it takes the player along, in mid-sentence too."""
    tone = tmp_path / "tone.wav"
    tone.write_bytes(wav.encode(never_silent(20.0), RATE_HZ))
    command = [str(Path(sys.executable).with_name("edged")), "play", str(tone), "--device", "clocked"]
    with card.record() as recording:
        main = subprocess.Popen(command)
        recording.until_heard(RATE_HZ // 4, DEADLINE_S)
        (child,) = player_processes(main.pid)
        main.kill()
        main.wait()
        poll_until(lambda: is_dead(child), "the player lives on", DEADLINE_S)
