"""`edged play` as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from benchmarks.clocked_sink import ClockedSink, trim
from edged.audio import wav
from tests.integration.alsa.conftest import DEADLINE_S, RATE_HZ, SINE_STEP, never_silent, sine

pytestmark = pytest.mark.alsa

EDGED = str(Path(sys.executable).with_name("edged"))


@pytest.fixture(autouse=True)
def on_the_card(card: ClockedSink, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The clocked card is ALSA's default, and the configuration is the built-in one."""
    for name, value in card.env.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "edged.yaml").write_text("{}\n")
    monkeypatch.setenv("EDGED_CONFIG", str(tmp_path / "edged.yaml"))


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [EDGED, "play", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def play(*arguments: str) -> tuple[int, str, str]:
    """Exit status, output, error output."""
    process = start(*arguments)
    output, errors = process.communicate(timeout=DEADLINE_S)
    return process.returncode, output, errors


def write(folder: Path, seconds: float) -> str:
    path = folder / "ding dong.wav"
    path.write_bytes(wav.encode(never_silent(seconds), RATE_HZ))
    return str(path)


def test_a_file_is_heard(card: ClockedSink, tmp_path: Path) -> None:
    """Every sample of it, then one line with device, granted parameters, seconds and xruns."""
    with card.record() as recording:
        status, output, errors = play(write(tmp_path, 0.5), "--device", "clocked")
        heard = trim(recording.until_silent(RATE_HZ // 5, DEADLINE_S))
    assert (status, errors) == (0, "")
    assert output == "ding dong.wav on clocked: 48000 Hz, 2 channels, S16_LE; 0.50 s, 0 xruns\n"
    assert np.array_equal(heard[:, 0], np.rint(never_silent(0.5) * 2**15))


def test_more_than_is_sent_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file longer than what the player holds is played to its end; --json gives the same facts."""
    asound = tmp_path / "asound.conf"
    asound.write_text("pcm.nothing { type null }\n")
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(asound))
    path = write(tmp_path, 12.0)
    status, output, _ = play(path, "--device", "nothing", "--json")
    assert status == 0
    assert json.loads(output) == {
        "file": path,
        "device": "nothing",
        "rate_hz": 48000,
        "channels": 2,
        "format": "S16_LE",
        "audio_s": 12.0,
        "xruns": 0,
        "stalls": 0,
    }


def test_half_the_volume_is_an_eighth_of_the_amplitude(card: ClockedSink, tmp_path: Path) -> None:
    """(volume / 100)³, for every file of the command."""
    with card.record() as recording:
        status, _, _ = play(write(tmp_path, 0.5), write(tmp_path, 0.5), "--volume", "50")
        heard = recording.until_silent(RATE_HZ // 2, DEADLINE_S)
    assert status == 0
    loud = np.rint(never_silent(0.5) * 2**15)
    assert np.abs(heard).max() == pytest.approx(loud.max() / 8, rel=0.01)
    assert np.abs(heard[:, 0]).sum() == pytest.approx(2 * loud.sum() / 8, rel=0.02)


def test_ctrl_c_ends_quietly(card: ClockedSink, tmp_path: Path) -> None:
    """Exit status 130, no traceback, and the sound fades out instead of breaking off."""
    path = tmp_path / "tone.wav"
    path.write_bytes(wav.encode(sine(20.0), RATE_HZ))
    with card.record() as recording:
        process = start(str(path))
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=DEADLINE_S)
        heard = trim(recording.until_silent(RATE_HZ // 5, DEADLINE_S))[:, 0].astype(int)
    assert (process.returncode, output, errors) == (130, "", "")
    assert np.abs(np.diff(heard, append=0)).max() <= SINE_STEP


def test_a_file_that_is_cut_under_the_reader_fades_out(card: ClockedSink, tmp_path: Path) -> None:
    """Exit status 65 and the file's name; no click."""
    path = tmp_path / "tone.wav"
    path.write_bytes(wav.encode(sine(20.0), RATE_HZ))
    with card.record() as recording:
        process = start(str(path))
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        os.truncate(path, 100_000)
        output, errors = process.communicate(timeout=DEADLINE_S)
        heard = trim(recording.until_silent(RATE_HZ // 5, DEADLINE_S))[:, 0].astype(int)
    assert (process.returncode, output) == (65, "")
    assert f"{path}: the WAV file has become shorter" in errors
    assert np.abs(np.diff(heard, append=0)).max() <= SINE_STEP


def test_a_player_that_dies_is_reported(card: ClockedSink, tmp_path: Path) -> None:
    """kill -9 of the player in mid-sentence: a message and exit status 74, no hang."""
    with card.record() as recording:
        process = start(write(tmp_path, 20.0))
        recording.until_heard(RATE_HZ // 4, DEADLINE_S)
        for child in psutil.Process(process.pid).children():
            child.kill()
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 74
    assert "the player process ended unexpectedly" in errors


def test_an_unknown_device_is_explained(tmp_path: Path) -> None:
    """Exit status 69 and one message: which, why, what cards, what to do."""
    status, output, errors = play(write(tmp_path, 0.1), "--device", "no_such_pcm")
    assert (status, output) == (69, "")
    assert errors.startswith('edged: PCM "no_such_pcm": No such file or directory; ')
    assert "edged doctor" in errors
    assert len(errors.splitlines()) == 2


def test_a_bad_file_is_explained(tmp_path: Path) -> None:
    """Exit status 65, the file's name, and how to make a good one."""
    (tmp_path / "song.wav").write_bytes(b"ID3 not a wave")
    status, output, errors = play(str(tmp_path / "song.wav"))
    assert (status, output) == (65, "")
    assert "song.wav: not a WAV file" in errors
    assert "ffmpeg" in errors


def test_help_shows_examples() -> None:
    """--help works without a card and names the options with examples."""
    status, output, _ = play("--help")
    assert status == 0
    assert "--device plughw:CARD=PCH" in output
