"""WAV files from disk."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from edged.audio.wav import WavReader
from edged.errors import BadInputError

MAX_WAV_BYTES = 256 * 1024 * 1024  # 23 minutes of CD-like stereo; no announcement is longer
_HINT = "the path of a WAV file"


@contextlib.contextmanager
def open_wav(path: Path) -> Iterator[WavReader]:
    """A file to be read piece by piece, standing at its first sample.

    Raises BadInputError with the reason and without the name, also while it is read.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            _check(os.fstat(file.fileno()))
            yield WavReader(file)
    except OSError as error:
        raise BadInputError(error.strerror or str(error), _HINT) from error


def _without_waiting(path: str, flags: int) -> int:
    """Opening a pipe waits for its writer otherwise."""
    return os.open(path, flags | os.O_NONBLOCK)


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise BadInputError("a pipe, no file" if stat.S_ISFIFO(status.st_mode) else "no regular file", _HINT)
    if status.st_size > MAX_WAV_BYTES:
        size_mib, limit_mib = status.st_size >> 20, MAX_WAV_BYTES >> 20
        raise BadInputError(f"{size_mib} MiB; the limit is {limit_mib} MiB", "cut it into parts")
