"""WAV files from disk: what is wrong with one is said with its name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edged.audio import wav
from edged.errors import BadInputError
from edged.io.wavfile import MAX_WAV_BYTES, read_wav


def test_a_file_is_read(tmp_path: Path) -> None:
    """What was encoded comes back."""
    path = tmp_path / "ding dong.wav"
    path.write_bytes(wav.encode(np.zeros(10, np.float32), 24000))
    assert len(read_wav(path).samples) == 10


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The message holds the path and the reason."""
    with pytest.raises(BadInputError, match=r"none\.wav: No such file"):
        read_wav(tmp_path / "none.wav")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """A directory is told from a damaged file."""
    with pytest.raises(BadInputError, match="Is a directory"):
        read_wav(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """What the parser found is said together with the path."""
    path = tmp_path / "song.wav"
    path.write_bytes(b"ID3 this is an mp3")
    with pytest.raises(BadInputError, match=r"song\.wav: not a WAV file"):
        read_wav(path)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    """Gigabytes are refused by their size, before any of it is in memory."""
    path = tmp_path / "huge.wav"
    with path.open("wb") as file:
        file.truncate(MAX_WAV_BYTES + 1)
    with pytest.raises(BadInputError, match="the limit is 256 MiB"):
        read_wav(path)
