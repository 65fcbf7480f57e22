"""What a request asks for around its speech."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.audio import wav
from edged.audio.chime import CHIMES
from edged.audio.chime_sound import CHIME_LUFS, chime_samples
from edged.audio.loudness import integrated_lufs
from edged.audio.mix import Arrangement
from edged.engine.base import Samples
from edged.workers.clips import Clips
from edged.workers.messages import Speak
from edged.workers.tones import GAP_MS, UNDER_MS, set_tones

RATE_HZ = 24000
GAP, UNDER = GAP_MS * 24, UNDER_MS * 24  # in frames
BAD_FILES = {
    "empty.wav": b"",
    "text.wav": b"RIFF and nothing of the kind",
    "short.wav": wav.encode(np.ones(1000, np.float32), RATE_HZ)[:-7],
    "silent.wav": wav.encode(np.zeros(0, np.float32), RATE_HZ),
}


def tones(folder: Path, default: str = "none", **asked: Any) -> tuple[Arrangement, tuple[str, ...]]:
    return set_tones(Speak(job_id="a", pieces=(), **asked), default, Clips(folder, CHIME_LUFS), RATE_HZ)


def around(folder: Path, default: str = "none", **asked: Any) -> Arrangement:
    made, warnings = tones(folder, default, **asked)
    assert warnings == ()
    return made


def is_chime(samples: Samples, name: str) -> bool:
    return np.array_equal(samples, chime_samples(name, RATE_HZ))


def test_nothing_is_asked_for(tmp_path: Path) -> None:
    """Speech from the first sample to the last; a gap alone is between nothing and nothing."""
    plain = around(tmp_path, gap_ms=500)
    assert (len(plain.opening), len(plain.closing)) == (0, 0)
    assert (plain.lead_in_frames, plain.speech_at, plain.gap_end_frames) == (0, 0, 0)


@pytest.mark.parametrize("name", CHIMES)
def test_a_built_in_chime_before_the_words(tmp_path: Path, name: str) -> None:
    """It has ended, and a quarter of a second has passed, when they begin."""
    made = around(tmp_path, chime=name)
    assert is_chime(made.opening, name)
    assert made.speech_at == len(made.opening) + GAP
    assert not made.goes_under


def test_a_chime_after_the_words_and_silence_before_all(tmp_path: Path) -> None:
    """The gap that was asked for is on both sides of the words."""
    made = around(tmp_path, chime="ding", chime_end="beep", gap_ms=100, lead_in_ms=300)
    assert is_chime(made.closing, "beep")
    assert (made.lead_in_frames, made.gap_end_frames) == (7200, 2400)
    assert made.speech_at == len(made.opening) + 2400


@pytest.mark.parametrize(("gap_ms", "speech_at"), [(None, UNDER), (0, 0), (1500, 36000)])
def test_a_chime_under_the_words(tmp_path: Path, gap_ms: int | None, speech_at: int) -> None:
    """The gap is how long it is heard alone."""
    made = around(tmp_path, chime="under:gong", gap_ms=gap_ms)
    assert is_chime(made.opening, "gong")
    assert made.speech_at == speech_at
    assert made.goes_under


def test_the_chime_of_the_device_is_for_who_asks_for_none_in_particular(tmp_path: Path) -> None:
    """It can be replaced, and turned off."""
    assert is_chime(around(tmp_path, "under:ding").opening, "ding")
    assert is_chime(around(tmp_path, "ding", chime="gong").opening, "gong")
    assert len(around(tmp_path, "ding", chime="none").opening) == 0


def test_a_recording_as_a_chime(tmp_path: Path) -> None:
    """At the engine's rate, whole, and without a click at its edges."""
    (tmp_path / "tune.wav").write_bytes(
        wav.encode((np.cos(np.arange(48000) / 8) / 9).astype(np.float32), 48000)
    )
    opening = around(tmp_path, chime="tune.wav").opening
    assert len(opening) == pytest.approx(RATE_HZ, abs=2)
    assert np.abs(opening[[0, -1]]).max() < 0.01
    assert integrated_lufs(opening, RATE_HZ) == pytest.approx(CHIME_LUFS, abs=0.1)


@pytest.mark.parametrize("length", [1, 2, 50])
def test_a_recording_shorter_than_its_edges(tmp_path: Path, length: int) -> None:
    """Is as long as it is."""
    (tmp_path / "tick.wav").write_bytes(wav.encode(np.ones(length, np.float32), RATE_HZ))
    assert len(around(tmp_path, chime="tick.wav").opening) == length


@pytest.mark.parametrize("name", ["dingdong", "", "../edged.yaml", "folder", *BAD_FILES])
def test_what_cannot_be_played_is_left_out_with_a_warning(tmp_path: Path, name: str) -> None:
    """Never the words: they begin at once, and the other tone is played."""
    (tmp_path / "folder").mkdir()
    for file, content in BAD_FILES.items():
        (tmp_path / file).write_bytes(content)
    made, (warning,) = tones(tmp_path, chime=name, chime_end="ding")
    assert warning.startswith(f"clip_skipped: {name}: ")
    assert (len(made.opening), made.speech_at) == (0, 0)
    assert is_chime(made.closing, "ding")
    made, (warning,) = tones(tmp_path, chime=f"under:{name}", chime_end=name)
    assert warning.startswith(f"clip_skipped: {name}: ")
    assert (made.speech_at, made.gap_end_frames, len(made.closing)) == (0, 0, 0)


def test_under_is_not_for_the_end(tmp_path: Path) -> None:
    """There are no words any more."""
    made, (warning,) = tones(tmp_path, chime_end="under:gong")
    assert warning.startswith("clip_skipped: under:gong: ")
    assert len(made.closing) == 0


@pytest.mark.parametrize(("seconds", "is_played"), [(60, True), (61, False)])
def test_a_chime_is_no_concert(tmp_path: Path, seconds: int, is_played: bool) -> None:
    """It is kept in memory as a whole."""
    (tmp_path / "long.wav").write_bytes(wav.encode(np.zeros(seconds * RATE_HZ, np.float32), RATE_HZ))
    made, warnings = tones(tmp_path, chime="long.wav")
    assert (len(made.opening) > 0) is is_played
    expected = "clip_skipped: long.wav: longer than 60 s, the limit for a chime"
    assert warnings == (() if is_played else (expected,))
