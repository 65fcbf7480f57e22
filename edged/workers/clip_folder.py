"""Recordings from the clip folder, as mono PCM at the engine's rate."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from edged.audio.resample import Resampler
from edged.audio.wav import WavReader
from edged.engine.base import Samples
from edged.errors import BadInputError
from edged.io.wavfile import open_wav

Version = tuple[Path, int, int]

_LONGEST_S = 600  # an announcement is no radio programme


class ClipFolder:
    """The WAV files of `folder`, by their names. Raises BadInputError that says why one cannot be played."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self, name: str) -> None:
        """Whether the clip can be played; it is opened, and read as far as its samples."""
        with self._open(name):
            pass

    def samples(self, name: str, rate_hz: int) -> Iterator[Samples]:
        """The clip as it was recorded, its channels mixed, in blocks."""
        with self._open(name) as reader:
            resampler = Resampler(reader.rate_hz, rate_hz)
            for block in reader.mono_blocks():
                yield resampler.feed(block)
            if len(rest := resampler.feed(np.zeros(0, np.float32), last=True)):
                yield rest

    def version(self, name: str) -> Version:
        """Another one whenever it is another file, or has been written to."""
        path = self._path(name)
        try:
            status = path.stat()
        except OSError as error:
            raise BadInputError(error.strerror or str(error)) from error
        return path, status.st_mtime_ns, status.st_size

    @contextlib.contextmanager
    def _open(self, name: str) -> Iterator[WavReader]:
        with open_wav(self._path(name)) as reader:
            if reader.seconds > _LONGEST_S:
                raise BadInputError(f"{reader.seconds:.0f} s long; the limit is {_LONGEST_S} s")
            yield reader

    def _path(self, name: str) -> Path:
        if name in ("", ".", "..") or any(char in name for char in "/\\\0"):
            raise BadInputError("not the name of a file in the clip folder")
        folder = self._folder.resolve()
        try:
            path = Path(os.path.realpath(folder / name, strict=True))
        except OSError as error:
            raise BadInputError(error.strerror or str(error)) from error
        if not path.is_relative_to(folder):
            raise BadInputError("a link out of the clip folder")
        return path
