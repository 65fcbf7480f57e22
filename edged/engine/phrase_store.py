"""Phrases on disk: one file each, and none that is trusted unread.

A file is a header (magic, rate, SHA-256 of all the rest) and int16 samples: 64 MiB hold 23 minutes of 24 kHz
speech. They are not forced to the disk: what a power failure cuts off fails its checksum. Memory keeps none,
the kernel's page cache does that already.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edged.engine.base import Samples

_log = logging.getLogger(__name__)

_HEADER = struct.Struct("<8sI32s")  # magic, rate in Hz, digest
_MAGIC = b"edphrs01"
_FULL_SCALE = 32767
_PHRASE, _PINNED = ".phrase", ".pinned"
_KEPT_SHARE = 7 / 8  # of a clear-out, so that not every phrase that comes needs one


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file of the folder; `used_ns` is when it was last of use."""

    path: Path
    size: int
    used_ns: int


class PhraseStore:
    """Phrases of one rate in `folder`, at most `most_bytes`; the least recently used go first.

    One that is pinned stays: when pinned ones leave no room, nothing more is kept. A disk that is full or
    refuses is told once, and whatever it does not keep is simply not there.
    """

    def __init__(self, folder: Path, most_bytes: int, rate_hz: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._rate_hz = rate_hz
        self._room = 0  # bytes; when they are used up the folder is looked at
        self._has_complained = False

    def get(self, key: str) -> Samples | None:
        """The phrase as mono float32 [n]; None when there is none that is whole."""
        for path in (self._path(key, _PINNED), self._path(key, _PHRASE)):
            samples = self._read(key, path)
            if samples is not None:
                with contextlib.suppress(OSError):  # a read-only disk has phrases all the same
                    os.utime(path)
                return samples
        return None

    def put(self, key: str, samples: Samples, *, is_pinned: bool) -> None:
        """Keep a phrase, in place of one that is not whole."""
        data = self._encoded(key, samples)
        pinned = self._path(key, _PINNED)
        partial = self._path(key, f".{os.getpid()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._makes_room(len(data)):
                partial.write_bytes(data)
                partial.replace(pinned if is_pinned or pinned.exists() else self._path(key, _PHRASE))
        except OSError as error:
            self._complain(error)
            with contextlib.suppress(OSError):
                partial.unlink()

    def pin(self, key: str) -> None:
        """Keep for good what `get` found."""
        try:
            self._path(key, _PHRASE).replace(self._path(key, _PINNED))
        except FileNotFoundError:
            return  # it is pinned already
        except OSError as error:
            self._complain(error)

    def _path(self, key: str, suffix: str) -> Path:
        return self._folder / f"{key}{suffix}"

    def _read(self, key: str, path: Path) -> Samples | None:
        try:
            with path.open("rb") as file:
                data = file.read(self._most_bytes)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain(error)
            return None
        if data[: _HEADER.size] != self._header(key, data[_HEADER.size :]):
            _log.warning("phrase cache: %s is damaged; synthesising it again", path)
            return None
        return np.frombuffer(data, "<i2", offset=_HEADER.size).astype(np.float32) / np.float32(_FULL_SCALE)

    def _encoded(self, key: str, samples: Samples) -> bytes:
        body = np.rint(np.clip(samples, -1, 1) * _FULL_SCALE).astype("<i2").tobytes()
        return self._header(key, body) + body

    def _header(self, key: str, body: bytes) -> bytes:
        """The key is part of it: a phrase is no other's, whatever its file is called."""
        return _HEADER.pack(_MAGIC, self._rate_hz, hashlib.sha256(key.encode() + body).digest())

    def _makes_room(self, size: int) -> bool:
        """Whether a file of `size` bytes may be written; files of less use are removed for it."""
        if size > self._room:
            self._room = self._most_bytes - self._clear_out(size)
        if size > self._room:
            return False
        self._room -= size
        return True

    def _clear_out(self, size: int) -> int:
        """Remove what was not of use for longest, until `size` more bytes fit. Returns how many are left."""
        entries = self._entries()
        left = sum(entry.size for entry in entries)
        for entry in sorted(entries, key=lambda entry: entry.used_ns):
            if left + size <= self._most_bytes * _KEPT_SHARE:
                break
            if entry.path.suffix != _PINNED:
                entry.path.unlink(missing_ok=True)
                left -= entry.size
        return left

    def _entries(self) -> list[_Entry]:
        """Every file of the folder: also those that were not finished."""
        entries = []
        for path in self._folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another process has removed it
                status = path.stat()
                entries.append(_Entry(path, status.st_size, status.st_mtime_ns))
        return entries

    def _complain(self, error: OSError) -> None:
        if not self._has_complained:
            _log.warning("phrase cache: going on without: %s", error)
            self._has_complained = True
