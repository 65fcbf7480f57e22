"""Recordings from the clip folder, as mono PCM at the engine's rate."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from edged.audio.resample import Resampler
from edged.audio.wav import WavReader
from edged.engine.base import Samples
from edged.errors import BadInputError
from edged.io.wavfile import MAX_WAV_BYTES

_LONGEST_S = 600  # an announcement is no radio programme
_BLOCK_BYTES = 4 << 20  # a second of the widest file there is is 200 GB
_FULL_SCALE = 1.0


class Clips:
    """The WAV files of `folder`, by their names. Raises BadInputError that says why one cannot be played."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self, name: str) -> None:
        """Whether the clip can be played; it is opened, and read as far as its samples."""
        with self._open(name):
            pass

    def samples(self, name: str, rate_hz: int) -> Iterator[Samples]:
        """The clip, its channels mixed, in blocks."""
        with self._open(name) as reader:
            resampler = Resampler(reader.rate_hz, rate_hz)
            # a second: what a stop may have to wait for; however many channels
            block_frames = min(reader.rate_hz, max(1, _BLOCK_BYTES // (4 * reader.channels)))
            while len(block := reader.read(block_frames)):
                yield resampler.feed(_mono(block))
            if len(rest := resampler.feed(np.zeros(0, np.float32), last=True)):
                yield rest

    @contextlib.contextmanager
    def _open(self, name: str) -> Iterator[WavReader]:
        try:
            with self._file(name) as file:
                reader = WavReader(file)
                if reader.seconds > _LONGEST_S:
                    raise BadInputError(f"{reader.seconds:.0f} s long; the limit is {_LONGEST_S} s")
                yield reader
        except OSError as error:
            raise BadInputError(error.strerror or str(error)) from error

    def _file(self, name: str) -> BinaryIO:
        """The file, open. Raises OSError as well."""
        if name in ("", ".", "..") or any(char in name for char in "/\\\0"):
            raise BadInputError("not the name of a file in the clip folder")
        folder = self._folder.resolve()
        path = Path(os.path.realpath(folder / name, strict=True))
        if not path.is_relative_to(folder):
            raise BadInputError("a link out of the clip folder")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a FIFO would keep us waiting for its writer
            raise BadInputError("no regular file")
        if status.st_size > MAX_WAV_BYTES:
            raise BadInputError(f"{status.st_size >> 20} MiB; the limit is {MAX_WAV_BYTES >> 20} MiB")
        return path.open("rb")


def _mono(block: Samples) -> Samples:
    """The mean of the channels of [frames, channels]; what is no number is silence."""
    mean: Samples = block.mean(axis=1, dtype=np.float32)
    return np.nan_to_num(mean, copy=False, posinf=_FULL_SCALE, neginf=-_FULL_SCALE)
