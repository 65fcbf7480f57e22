"""What every module that reads or writes model files needs: errors with a way out, space, digests."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from edged.errors import StorageError


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of the file's content. Raises OSError when it cannot be read to its end."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of the block into a StorageError that names the file and the way out."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        hint = (
            "free some space, or use another disk: --models-dir DIR"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else "use a folder you have access to (--models-dir DIR), or run as its owner"
        )
        raise StorageError(f"{where}: {error.strerror}", hint) from error


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raise StorageError, naming both figures, when the disk of `folder` has less than this free."""
    with storage_errors(folder):
        free_bytes = shutil.disk_usage(folder).free
    if free_bytes < needed_bytes:
        raise StorageError(
            f"{folder}: {needed_bytes / 1e6:.0f} MB needed, {free_bytes / 1e6:.0f} MB free",
            "free some space, or use another disk: --models-dir DIR",
        )
