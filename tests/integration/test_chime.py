"""Chimes around announcements, as a card gets them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.clocked_sink import ClockedSink
from edged.audio.chime import CHIMES
from edged.audio.chime_sound import chime_samples
from edged.engine.tone import SAMPLE_RATE_HZ
from tests.integration.broker import Broker
from tests.integration.running_daemon import EDGED, RunningDaemon, running_daemon
from tests.integration.sound import (
    RATE_HZ,
    is_beginning,
    is_same,
    on_card,
    recorded_sound,
    sounds_in,
    spoken,
    tones,
)

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

GAP_MS = 250
QUIET_FRAMES = RATE_HZ  # longer than any gap here
DEADLINE_S = 60.0
ROUNDING = 3  # two samples and their sum


@pytest.fixture
def chiming(tmp_path: Path, broker: Broker, sink: ClockedSink) -> Iterator[RunningDaemon]:
    """A daemon that has a chime of its own, in real time."""
    settings = "speech: {engine: tone, chime: ding}\n"
    with running_daemon(tmp_path, broker, sink.env, settings) as running:
        yield running


def silence(ms: int) -> NDArray[np.float32]:
    return np.zeros(SAMPLE_RATE_HZ * ms // 1000, np.float32)


def chime(name: str) -> NDArray[np.float32]:
    return chime_samples(name, SAMPLE_RATE_HZ)


def test_a_chime_masked_the_first_words_and_could_not_be_turned_off(
    chiming: RunningDaemon, sink: ClockedSink
) -> None:
    """It has ended when the first word of a short text begins, and `none` is none.

    home-assistant core#139670
    """
    with sink.record() as recording:
        chiming.speak("Hi.", id="with")
        heard = recorded_sound(recording.until_silent(QUIET_FRAMES, DEADLINE_S))
    assert is_same(heard, on_card(np.concatenate([chime("ding"), silence(GAP_MS), tones("Hi.")])))
    with sink.record() as recording:
        chiming.speak("Hi.", id="without", chime="none")
        heard = recorded_sound(recording.until_silent(QUIET_FRAMES, DEADLINE_S))
    assert is_same(heard, spoken("Hi."))
    assert chiming.result("with")["warnings"] == chiming.result("without")["warnings"] == []


def test_a_chime_under_the_words_masked_them(daemon: RunningDaemon, sink: ClockedSink) -> None:
    """From the first word on it is 20 dB below itself, and every sample of the words is there.

    home-assistant core#139670
    """
    text = "Platform seven"  # it ends after the chime does
    with sink.record() as recording:
        daemon.speak(text, chime="under:ding", id="a")
        heard = recorded_sound(recording.until_silent(QUIET_FRAMES, DEADLINE_S))
    words, alone = spoken(text), on_card(chime("ding"))
    began = len(heard) - len(words)
    under, undisturbed = np.abs(heard[began:] - words).max(), np.abs(alone[began:]).max()
    assert under == pytest.approx(undisturbed / 10, abs=ROUNDING)
    assert is_same(heard[: RATE_HZ // 2], alone[: RATE_HZ // 2])
    assert daemon.result("a")["status"] == "finished"


@pytest.mark.parametrize("last_word", ["Go", "A"])
def test_the_end_was_cut_off(daemon: RunningDaemon, sink: ClockedSink, last_word: str) -> None:
    """A short last word is whole, and so is the chime after it.

    music-assistant#2690, home-assistant core#150397
    """
    with sink.record() as recording:
        daemon.speak(last_word, chime_end="key", gap_ms=100, id="a")
        heard = recorded_sound(recording.until_silent(QUIET_FRAMES, DEADLINE_S))
    assert is_same(heard, on_card(np.concatenate([tones(last_word), silence(100), chime("key")])))
    assert daemon.result("a")["status"] == "finished"


def test_a_stop_ends_the_chime_as_well(daemon: RunningDaemon, sink: ClockedSink) -> None:
    """Nothing of the words is heard any more."""
    with sink.record() as recording:
        daemon.speak("Hello there.", chime="gong", id="a")
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        daemon.command("stop")
        heard = recorded_sound(recording.until_silent(QUIET_FRAMES, DEADLINE_S))
    assert daemon.result("a")["status"] == "cancelled"
    assert is_beginning(heard, on_card(chime("gong")))


def test_the_chime_is_heard_once_however_often_the_words_are(recorded: RunningDaemon) -> None:
    """It says that something comes, not that it comes again."""
    recorded.speak("Hi.", id="a", chime="beep", chime_end="key", gap_ms=0, repeat=3, repeat_gap_ms=400)
    assert recorded.result("a")["status"] == "finished"
    hi, again = tones("Hi."), silence(400)
    (heard,) = sounds_in(recorded.folder)
    assert is_same(heard, on_card(np.concatenate([chime("beep"), hi, again, hi, again, hi, chime("key")])))


def test_a_bad_chime_never_silences_the_words(recorded: RunningDaemon) -> None:
    """A damaged file, a folder, a link out of the clip folder, a wrong name: a warning each."""
    clips = recorded.folder / "clips"
    (clips / "folder").mkdir(parents=True)
    (clips / "empty.wav").write_bytes(b"")
    (clips / "link.wav").symlink_to(recorded.config)
    names = ["folder", "empty.wav", "link.wav", "dingdong", "under:dingdong"]
    for number, name in enumerate(names):
        recorded.speak("Good", id=f"a{number}", chime=name)
    recorded.wait_results(len(names))
    for number, name in enumerate(names):
        result = recorded.result(f"a{number}")
        (warning,) = result["warnings"]
        assert result["status"] == "finished"
        assert warning.startswith(f"clip_skipped: {name.removeprefix('under:')}: ")
    assert [is_same(heard, spoken("Good")) for heard in sounds_in(recorded.folder)] == [True] * len(names)


def test_a_chime_can_be_tried_out(tmp_path: Path, sink: ClockedSink) -> None:
    """`edged chimes NAME` plays it as it is, without a daemon."""
    config = tmp_path / "edged.yaml"
    config.write_text("{}\n")
    command = [EDGED, "chimes", "double-beep", "--device", "clocked", "--config", str(config)]
    with sink.record() as recording:
        subprocess.run(command, env={**os.environ, **sink.env}, check=True)
        heard = recorded_sound(recording.until_silent(QUIET_FRAMES, DEADLINE_S))
    expected = np.rint(chime_samples("double-beep", RATE_HZ) * 2**15).astype(np.int32)
    assert is_same(heard, np.trim_zeros(expected))


def test_the_chimes_are_announced(recorded: RunningDaemon) -> None:
    """A controller can offer them."""
    assert recorded.infos[-1]["chimes"] == list(CHIMES)
