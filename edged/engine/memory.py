"""Memory that networks leave behind once they have run."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from pathlib import Path

_MAPS = Path("/proc/self/maps")
_MADV_DONTNEED = 4
_libc = ctypes.CDLL(None)


def release(*folders: Path) -> None:
    """Give the system back what is free, and the pages of the files in `folders` that are mapped.

    OpenVINO maps weights, packs them for the CPU when they are first used, and keeps the mapping, twice the
    memory in all. Whatever is read of it again comes from the disk.
    """
    _libc.malloc_trim(0)
    for start, stop in _mappings(folders):
        # refused (-1) for pages that are locked: they stay, which does no harm
        _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), _MADV_DONTNEED)


def _mappings(folders: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Address ranges into which files of the folders are mapped, shared: nothing of ours is in them."""
    inside = tuple(f"{folder.resolve()}/" for folder in folders)
    for line in _MAPS.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        addresses, mode, _, _, _, *path = line.split(maxsplit=5)
        if path and path[0].startswith(inside) and mode.endswith("s"):
            start, stop = addresses.split("-")
            yield int(start, 16), int(stop, 16)
