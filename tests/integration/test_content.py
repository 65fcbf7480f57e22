"""What an announcement may consist of, as it is heard: segments, repeats, and a text that grows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.audio import wav
from edged.config.schema import Config
from edged.engine.tone import SAMPLE_RATE_HZ
from edged.workers.clips import Clips
from tests.integration.running_daemon import RunningDaemon
from tests.integration.sound import is_same, on_card, sounds_in, tones

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

LOUDNESS_LUFS = Config().audio.loudness_lufs
BETWEEN_SENTENCES_MS, AT_A_COMMA_MS = 600, 300


def silence(ms: int) -> NDArray[np.float32]:
    return np.zeros(SAMPLE_RATE_HZ * ms // 1000, np.float32)


def is_heard(daemon: RunningDaemon, *parts: NDArray[np.float32]) -> bool:
    """Whether the daemon's one announcement so far is these parts, one right after the other."""
    (heard,) = sounds_in(daemon.folder)
    return is_same(heard, on_card(np.concatenate(parts)))


def test_segments_are_heard_in_their_order(recorded: RunningDaemon) -> None:
    """Text, clip, pause and code in one announcement; a clip that is missing is told in the one result."""
    folder = recorded.folder / "clips"
    folder.mkdir()
    (folder / "ding.wav").write_bytes(wav.encode(tones("X") * np.float32(0.25), SAMPLE_RATE_HZ))
    clip = np.concatenate(list(Clips(folder, LOUDNESS_LUFS).samples("ding.wav", SAMPLE_RATE_HZ)))
    segments = [
        {"text": "您好"},
        {"clip": "ding.wav"},
        {"pause_ms": 400},
        {"text": "Ticket"},
        {"spell": "AB1"},
        {"clip": "../edged.yaml"},
        {"text": "please"},
    ]
    recorded.request(id="a", segments=segments)
    result = recorded.result("a")
    assert (result["status"], result["voice"]) == ("finished", "tone")
    assert result["warnings"] == ["clip_skipped: ../edged.yaml: not the name of a file in the clip folder"]
    comma = silence(AT_A_COMMA_MS)
    code = tones("A B one")
    assert is_heard(
        recorded, tones("您好"), clip, silence(400), tones("Ticket"), comma, code, comma, tones("please")
    )


def test_only_clips_that_cannot_be_played_is_a_bad_request(recorded: RunningDaemon) -> None:
    """The result says which and why; the next announcement is heard."""
    recorded.request(id="a", segments=[{"clip": "none.wav"}, {"pause_ms": 400}])
    recorded.speak("Good", id="b")
    bad = recorded.result("a")
    assert (bad["status"], bad["code"]) == ("rejected", "bad_field")
    assert "none.wav: No such file or directory" in bad["reason"]
    assert recorded.result("b")["status"] == "finished"
    assert is_heard(recorded, tones("Good"))


@pytest.mark.parametrize("mode", ["each", "whole"])
def test_repeats_are_one_announcement(recorded: RunningDaemon, mode: str) -> None:
    """One result, which counts all that was heard; the gap lies between the repeats."""
    recorded.speak("Hi. You.", id="a", repeat=2, repeat_gap_ms=700, repeat_mode=mode)
    hi, you, pause, gap = tones("Hi."), tones("You."), silence(BETWEEN_SENTENCES_MS), silence(700)
    order = [hi, pause, you, gap, hi, pause, you] if mode == "whole" else [hi, gap, hi, pause, you, gap, you]
    assert recorded.result("a")["audio_ms"] == pytest.approx(sum(map(len, order)) / 24, abs=1)
    assert is_heard(recorded, *order)


def test_a_growing_text_is_one_announcement(recorded: RunningDaemon) -> None:
    """It sounds before its last part is sent, numbers cut in two are whole, and there is one result."""
    recorded.request(id="a", part=0, text="您好，请A01")
    recorded.wait_stage("a", "speaking")
    recorded.request(id="a", part=2, text="口。☃", last=True)
    recorded.request(id="a", part=1, text="5号到3号窗")
    result = recorded.result("a")
    assert (result["status"], result["warnings"]) == ("finished", ["skipped_symbol: U+2603"])
    assert is_heard(recorded, tones("您好，"), silence(AT_A_COMMA_MS), tones("请A015号到3号窗口。"))
