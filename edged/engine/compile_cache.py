"""Keeps the compile cache honest.

OpenVINO rejects a blob of another version or with a broken head, but takes one with a flipped bit in its
weights for good and computes noise with it. So each blob has a note of its SHA-256 beside it, and one that
does not match its note, or has none, is removed: the network is compiled again.
"""

from __future__ import annotations

import hashlib
import logging
from functools import cache
from pathlib import Path

_log = logging.getLogger(__name__)

# The largest model takes 2 GB, and is one of the newest. OpenVINO never removes what older models left.
_MOST_BYTES = 3 << 30
_BLOBS = "*.blob"
_NOTE = ".sha256"


def drop_damaged(cache_dir: Path) -> None:
    """Remove the blobs that are not what `note_new` saw. Each is read once in the life of the process."""
    for blob in cache_dir.glob(_BLOBS):
        if _noted(blob) != _digest_of(blob):
            _log.warning("compile cache: %s is damaged or was not finished; compiling again", blob)
            _remove(blob)


def note_new(cache_dir: Path) -> None:
    """Vouch for the blobs that have been written since `drop_damaged`, in place of others perhaps."""
    for blob in cache_dir.glob(_BLOBS):
        if _noted(blob) != _digest_of(blob):
            _note(blob).write_text(_digest_of(blob), encoding="ascii")


def prune(cache_dir: Path, most_bytes: int = _MOST_BYTES) -> None:
    """Remove the oldest blobs beyond `most_bytes`; whoever needs one again compiles again."""
    kept_bytes = 0
    for blob in sorted(cache_dir.glob(_BLOBS), key=lambda path: path.stat().st_mtime_ns, reverse=True):
        kept_bytes += blob.stat().st_size
        if kept_bytes > most_bytes:
            _log.info("compile cache: %s is among the oldest of more than is kept", blob)
            _remove(blob)


def _remove(blob: Path) -> None:
    blob.unlink(missing_ok=True)
    _note(blob).unlink(missing_ok=True)


def _note(blob: Path) -> Path:
    return blob.with_name(blob.name + _NOTE)


def _noted(blob: Path) -> str:
    note = _note(blob)
    return note.read_text(encoding="ascii", errors="replace") if note.is_file() else ""


def _digest_of(blob: Path) -> str:
    state = blob.stat()
    return _sha256(blob, state.st_mtime_ns, state.st_size)


@cache
def _sha256(blob: Path, _mtime_ns: int, _size: int) -> str:
    with blob.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
