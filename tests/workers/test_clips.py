"""Recordings and built-in chimes at one loudness."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edged.audio import wav
from edged.audio.chime_sound import CHIME_LUFS, chime_samples
from edged.audio.loudness import integrated_lufs
from edged.engine.base import Samples
from edged.errors import BadInputError
from edged.workers.clips import Clips

RATE_HZ = 24000


def tone(level: float, seconds: float = 1.0, rate_hz: int = RATE_HZ) -> Samples:
    seconds_ = np.arange(round(seconds * rate_hz)) / rate_hz
    samples: Samples = (level * np.sin(2 * np.pi * 1000 * seconds_)).astype(np.float32)
    return samples


def write(path: Path, samples: Samples, rate_hz: int = RATE_HZ) -> None:
    path.write_bytes(wav.encode(samples, rate_hz))


def heard(clips: Clips, name: str) -> Samples:
    return np.concatenate(list(clips.samples(name, RATE_HZ)))


@pytest.mark.parametrize("rate_hz", [1000, 8000, 24000, 48000])
@pytest.mark.parametrize("level", [0.03, 0.2, 0.9])
@pytest.mark.parametrize("target_lufs", [-16.0, -23.0])
def test_every_recording_is_as_loud_as_asked_for(
    tmp_path: Path, level: float, rate_hz: int, target_lufs: float
) -> None:
    """However loud it was, and at any rate."""
    sound = (
        tone(level, rate_hz=48000)[:: 48000 // rate_hz] if rate_hz > 1000 else tone(level, 1.0)[::7][:1000]
    )
    write(tmp_path / "a.wav", sound, rate_hz)
    clips = Clips(tmp_path, target_lufs)
    assert integrated_lufs(heard(clips, "a.wav"), RATE_HZ) == pytest.approx(target_lufs, abs=0.1)


def test_an_offset_is_taken_away(tmp_path: Path) -> None:
    """It would be a click at both ends, and no sound."""
    write(tmp_path / "a.wav", tone(0.2) + np.float32(0.3))
    sound = heard(Clips(tmp_path, CHIME_LUFS), "a.wav")
    assert abs(sound.mean()) < 1e-4
    assert integrated_lufs(sound, RATE_HZ) == pytest.approx(CHIME_LUFS, abs=0.1)


def test_silence_stays_silence(tmp_path: Path) -> None:
    """Noise that nobody hears is not made heard, either."""
    noise = np.random.default_rng(1).normal(0, 1e-3, RATE_HZ).astype(np.float32)
    for name, samples in (("silent.wav", np.zeros(100, np.float32)), ("noise.wav", noise)):
        write(tmp_path / name, samples)
        assert np.abs(heard(Clips(tmp_path, CHIME_LUFS), name)).max() <= 10.1 * np.abs(samples).max()


def test_a_recording_that_was_replaced_is_measured_again(tmp_path: Path) -> None:
    """The old one's gain would make it too loud or too quiet."""
    clips = Clips(tmp_path, CHIME_LUFS)
    for level, seconds in ((0.9, 1.0), (0.05, 2.0)):
        write(tmp_path / "a.wav", tone(level, seconds))
        for _ in range(2):
            assert integrated_lufs(heard(clips, "a.wav"), RATE_HZ) == pytest.approx(CHIME_LUFS, abs=0.1)


def test_a_long_one_is_measured_by_its_beginning(tmp_path: Path) -> None:
    """A minute of it: nobody waits for ten to be read. It is heard to its end."""
    write(tmp_path / "a.wav", np.concatenate([tone(0.1, 60.0, 8000), tone(0.9, 30.0, 8000)]), 8000)
    sound = heard(Clips(tmp_path, CHIME_LUFS), "a.wav")
    assert len(sound) == pytest.approx(90 * RATE_HZ, abs=10)
    minute = integrated_lufs(sound[: 59 * RATE_HZ], RATE_HZ)
    assert minute == pytest.approx(CHIME_LUFS, abs=0.6)


def test_the_built_in_chimes_are_clips_as_well(tmp_path: Path) -> None:
    """By their names, whatever the folder holds; they need no folder."""
    (tmp_path / "ding").write_bytes(b"no chime")
    for folder in (tmp_path, tmp_path / "missing"):
        clips = Clips(folder, CHIME_LUFS)
        clips.check("ding")
        assert np.array_equal(heard(clips, "ding"), chime_samples("ding", RATE_HZ))
    quieter = heard(Clips(tmp_path, CHIME_LUFS - 6), "ding")
    assert integrated_lufs(quieter, RATE_HZ) == pytest.approx(CHIME_LUFS - 6, abs=0.01)


def test_what_is_no_clip_is_refused_as_by_its_folder(tmp_path: Path) -> None:
    """Before it is measured."""
    clips = Clips(tmp_path, CHIME_LUFS)
    for name in ("a.wav", "../a.wav"):
        with pytest.raises(BadInputError):
            clips.check(name)
        with pytest.raises(BadInputError):
            heard(clips, name)
