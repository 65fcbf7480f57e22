"""WAV files from disk: what is no file, or too long, is refused before it is read."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from edged.audio import wav
from edged.errors import BadInputError
from edged.io.wavfile import MAX_WAV_BYTES, open_wav

GOOD = wav.encode(np.zeros(10, np.float32), 24000)


def reason(path: Path) -> str:
    with pytest.raises(BadInputError) as caught, open_wav(path):
        pass
    assert caught.value.hint
    return caught.value.what


def test_a_file_is_read(tmp_path: Path) -> None:
    """What was encoded comes back."""
    (tmp_path / "ding dong.wav").write_bytes(GOOD)
    with open_wav(tmp_path / "ding dong.wav") as reader:
        assert [len(block) for block in reader.mono_blocks()] == [10]


def test_what_is_no_wav_file_says_what_it_is(tmp_path: Path) -> None:
    """A pipe that nobody writes to included: nothing waits for it."""
    (tmp_path / "song.wav").write_bytes(b"ID3 this is an mp3")
    os.mkfifo(tmp_path / "pipe.wav")
    assert reason(tmp_path / "none.wav") == "No such file or directory"
    assert reason(tmp_path) == "Is a directory"
    assert reason(tmp_path / "pipe.wav") == "a pipe, no file"
    assert reason(Path("/dev/zero")) == "no regular file"
    assert reason(tmp_path / "song.wav") == "not a WAV file"


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """Gigabytes are refused by their size, whatever is in them."""
    with (tmp_path / "huge.wav").open("wb") as file:
        file.write(GOOD)
        file.truncate(2**31)
    assert reason(tmp_path / "huge.wav") == f"2048 MiB; the limit is {MAX_WAV_BYTES >> 20} MiB"


def test_a_file_that_shrinks_under_the_reader_ends_with_the_reason(tmp_path: Path) -> None:
    """It is no silence."""
    path = tmp_path / "a.wav"
    path.write_bytes(wav.encode(np.zeros(100_000, np.float32), 24000))
    with pytest.raises(BadInputError, match="shorter"), open_wav(path) as reader:  # noqa: PT012 - the reading
        os.truncate(path, 30_000)
        list(reader.mono_blocks())
