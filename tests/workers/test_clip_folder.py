"""Recordings from the clip folder, as they are."""

from __future__ import annotations

import os
import resource
import struct
from pathlib import Path

import numpy as np
import pytest

from edged.audio import wav
from edged.engine.base import Samples
from edged.errors import BadInputError
from edged.workers.clip_folder import ClipFolder

RATE_HZ = 24000


def tone(rate_hz: int, seconds: float, hz: float = 440.0) -> Samples:
    samples: Samples = (0.5 * np.sin(2 * np.pi * hz * np.arange(int(rate_hz * seconds)) / rate_hz)).astype(
        np.float32
    )
    return samples


def riff(
    rate_hz: int, channels: int, kind: tuple[int, int], data: bytes, promised: int | None = None
) -> bytes:
    """A WAV file whose data chunk says it has `promised` bytes."""
    tag, bits = kind
    size = channels * bits // 8
    head = struct.pack("<4sIHHIIHH", b"fmt ", 16, tag, channels, rate_hz, rate_hz * size, size, bits)
    body = b"WAVE" + head + struct.pack("<4sI", b"data", len(data) if promised is None else promised) + data
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def samples(folder: Path, name: str) -> Samples:
    return np.concatenate(list(ClipFolder(folder).samples(name, RATE_HZ)))


@pytest.mark.parametrize("rate_hz", [8000, 22050, 24000, 44100, 96000])
def test_any_rate_becomes_the_engines(tmp_path: Path, rate_hz: int) -> None:
    """The same sound, as long as before."""
    (tmp_path / "a.wav").write_bytes(wav.encode(tone(rate_hz, 2.5), rate_hz))
    ClipFolder(tmp_path).check("a.wav")
    heard = samples(tmp_path, "a.wav")
    assert len(heard) == pytest.approx(2.5 * RATE_HZ, abs=2)
    # resampling rings where a tone begins and ends
    middle = slice(RATE_HZ // 10, -RATE_HZ // 10)
    assert np.max(np.abs(heard - tone(RATE_HZ, 3)[: len(heard)])[middle]) < 1e-3


@pytest.mark.parametrize(
    ("kind", "scale", "dtype"),
    [((1, 8), 127, "u1"), ((1, 16), 2**15 - 1, "<i2"), ((1, 32), 2**31 - 1, "<i4"), ((3, 32), 1, "<f4")],
    ids=str,
)
def test_any_width_and_number_of_channels_becomes_mono(
    tmp_path: Path, kind: tuple[int, int], scale: float, dtype: str
) -> None:
    """The mean of the channels."""
    left, right = tone(RATE_HZ, 0.1), tone(RATE_HZ, 0.1, hz=700.0)
    both = np.stack([left, right], axis=1).astype(np.float64) * scale + (128 if dtype == "u1" else 0)
    (tmp_path / "a.wav").write_bytes(riff(RATE_HZ, 2, kind, both.astype(dtype).tobytes()))
    assert (
        np.max(np.abs(samples(tmp_path, "a.wav") - (left + right) / 2)) < 0.02
    )  # a step of 8 bits, and a bit


def test_six_channels_at_96_khz_become_mono(tmp_path: Path) -> None:
    """With the extensible header that such files have; a sound on one channel is a sixth as loud."""
    six = np.zeros((9600, 6), "<i4")
    six[:, 2] = (tone(96000, 0.1) * (2**31 - 1)).astype("<i4")
    guid = struct.pack("<H", 1) + bytes.fromhex("000000001000800000aa00389b71")
    head = struct.pack("<HHIIHHHHI", 0xFFFE, 6, 96000, 96000 * 24, 24, 32, 22, 24, 0x3F) + guid
    chunks = b"fmt " + struct.pack("<I", len(head)) + head + b"data" + struct.pack("<I", six.nbytes)
    (tmp_path / "a.wav").write_bytes(b"RIFF" + struct.pack("<I", 0) + b"WAVE" + chunks + six.tobytes())
    heard = samples(tmp_path, "a.wav")
    middle = slice(RATE_HZ // 50, -RATE_HZ // 50)
    assert np.max(np.abs(heard - tone(RATE_HZ, 0.1) / 6)[middle]) < 1e-3


@pytest.mark.parametrize("promised", [0xFFFFFFFF, 0x7FFFF000])
def test_a_recording_whose_length_was_never_written_is_heard_whole(tmp_path: Path, promised: int) -> None:
    """As programs leave it that write into a pipe."""
    body = (tone(RATE_HZ, 0.1) * 2**15).astype("<i2").tobytes()
    (tmp_path / "a.wav").write_bytes(riff(RATE_HZ, 1, (1, 16), body, promised))
    assert len(samples(tmp_path, "a.wav")) == RATE_HZ // 10


def test_what_is_no_number_is_silence(tmp_path: Path) -> None:
    """A broken float file does not poison the filter behind it."""
    data = np.array([np.nan, np.inf, -np.inf, 0.25], np.float32).tobytes()
    (tmp_path / "a.wav").write_bytes(riff(RATE_HZ, 1, (3, 32), data))
    assert samples(tmp_path, "a.wav").tolist() == [0.0, 1.0, -1.0, 0.25]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a.wav", "sub/a.wav", "/etc/passwd", "..\\a.wav", "a\0.wav"]
)
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    """A request reaches the files of the folder, nothing else."""
    (tmp_path / "sub").mkdir()
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "a.wav").write_bytes(wav.encode(tone(RATE_HZ, 0.1), RATE_HZ))
    with pytest.raises(BadInputError, match="not the name of a file"):
        ClipFolder(tmp_path / "sub").check(name)


def test_links_stay_inside(tmp_path: Path) -> None:
    """One within the folder is fine, so is a folder that is a link itself."""
    folder = tmp_path / "clips"
    folder.mkdir()
    (tmp_path / "secret.wav").write_bytes(wav.encode(tone(RATE_HZ, 0.1), RATE_HZ))
    (folder / "good.wav").write_bytes(wav.encode(tone(RATE_HZ, 0.1), RATE_HZ))
    (folder / "out.wav").symlink_to("../secret.wav")
    (folder / "in.wav").symlink_to("good.wav")
    (folder / "loop.wav").symlink_to("loop.wav")
    (tmp_path / "linked").symlink_to("clips")
    clips = ClipFolder(tmp_path / "linked")
    clips.check("in.wav")
    with pytest.raises(BadInputError, match="a link out of the clip folder"):
        clips.check("out.wav")
    with pytest.raises(BadInputError, match="symbolic links"):
        clips.check("loop.wav")


def test_what_cannot_be_played_says_why(tmp_path: Path) -> None:
    """Each in a few words; nothing blocks and nothing large is read."""
    good = wav.encode(tone(RATE_HZ, 0.1), RATE_HZ)
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.wav").write_text("RIFF? no, this is text")
    (tmp_path / "half.wav").write_bytes(good[:-100])
    (tmp_path / "mp3.wav").write_bytes(riff(RATE_HZ, 1, (85, 0), b"abc"))
    (tmp_path / "silent.wav").write_bytes(riff(RATE_HZ, 1, (1, 16), b""))
    (tmp_path / "folder.wav").mkdir()
    os.mkfifo(tmp_path / "pipe.wav")
    with (tmp_path / "huge.wav").open("wb") as huge:
        huge.write(riff(RATE_HZ, 1, (1, 16), b"", promised=2**31 - 64))
        huge.truncate(2**31)
    with (tmp_path / "long.wav").open("wb") as long:
        long.write(riff(8000, 1, (1, 8), b"", promised=8000 * 601))
        long.truncate(44 + 8000 * 601)
    reasons = {
        "none.wav": "No such file or directory",
        "x" * 256: "File name too long",
        "empty.wav": "the file is empty",
        "text.wav": "not a WAV file",
        "half.wav": "the WAV file is truncated: its data chunk promises 4800 bytes, 4700 are there",
        "mp3.wav": "the WAV file is of an unknown kind (format 85, 0 bits)",
        "silent.wav": "the WAV file holds no samples",
        "folder.wav": "Is a directory",
        "pipe.wav": "a pipe, no file",
        "huge.wav": "2048 MiB; the limit is 256 MiB",
        "long.wav": "601 s long; the limit is 600 s",
    }
    for name, reason in reasons.items():
        with pytest.raises(BadInputError) as caught:
            ClipFolder(tmp_path).check(name)
        assert caught.value.what == reason


def test_a_long_clip_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    """Blocks of a second at most, whatever the file."""
    with (tmp_path / "long.wav").open("wb") as long:
        long.write(riff(48000, 8, (1, 24), b"", promised=48000 * 8 * 3 * 200))
        long.truncate(44 + 48000 * 8 * 3 * 200)
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lengths = [len(block) for block in ClipFolder(tmp_path).samples("long.wav", RATE_HZ)]
    assert sum(lengths) == pytest.approx(200 * RATE_HZ, abs=2)
    assert max(lengths) <= RATE_HZ * 1.1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 64 * 1024


def test_a_clip_that_shrinks_while_it_is_played_ends_with_the_reason(tmp_path: Path) -> None:
    """What was there has been heard."""
    path = tmp_path / "a.wav"
    path.write_bytes(wav.encode(tone(RATE_HZ, 3), RATE_HZ))
    blocks = ClipFolder(tmp_path).samples("a.wav", RATE_HZ)
    assert len(next(blocks)) > 0
    os.truncate(path, 50_000)
    with pytest.raises(BadInputError, match="shorter"):
        list(blocks)


def test_another_version_is_told_from_the_one_before(tmp_path: Path) -> None:
    """Written again or replaced; the same as long as nothing happens to it."""
    clip = tmp_path / "a.wav"
    clip.write_bytes(wav.encode(tone(RATE_HZ, 0.1), RATE_HZ))
    folder = ClipFolder(tmp_path)
    before = folder.version("a.wav")
    assert folder.version("a.wav") == before
    clip.write_bytes(wav.encode(tone(RATE_HZ, 0.2), RATE_HZ))
    os.utime(clip, ns=(before[1], before[1]))
    longer = folder.version("a.wav")
    os.utime(clip, ns=(before[1], before[1] + 1))
    assert len({before, longer, folder.version("a.wav")}) == 3
    with pytest.raises(BadInputError, match="No such file"):
        folder.version("b.wav")
