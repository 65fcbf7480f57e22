"""Weights in pages of 2 MB instead of 4 kB.

Every step of a generative network reads all of its weights once. With 4 kB pages a tenth of that time goes
into looking up where each page is. Linux gives huge pages on its own only where an administrator set
`transparent_hugepage/enabled` to `always`; Debian's default is `madvise`.
"""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Iterator
from pathlib import Path

_log = logging.getLogger(__name__)

_SMAPS = Path("/proc/self/smaps")
_HUGE_BYTES = 2 << 20
_MADV_HUGEPAGE = 14
_MADV_COLLAPSE = 25  # Linux 6.1
# A range that is hardly used would grow to its full size.
_RESIDENT_PART = 0.9
_libc = ctypes.CDLL(None)


def use_huge_pages() -> int:
    """Move this process's large allocations into huge pages; returns the bytes that were.

    For after networks were compiled and run once, when their weights lie where they stay. Takes a second per
    gigabyte. Where the kernel does not do it, everything stays as it is.
    """
    moved = sum(size for start, size in large_allocations(_SMAPS.read_text()) if _collapse(start, size))
    _log.info("%d MB in huge pages", moved >> 20)
    return moved


def _collapse(start: int, size: int) -> bool:
    arguments = ctypes.c_void_p(start), ctypes.c_size_t(size)
    return not _libc.madvise(*arguments, _MADV_HUGEPAGE) and not _libc.madvise(*arguments, _MADV_COLLAPSE)


def large_allocations(smaps: str) -> Iterator[tuple[int, int]]:
    """Start and bytes of what huge pages can hold of each anonymous, well-filled range."""
    start = stop = 0
    for line in smaps.splitlines():
        name, *fields = line.split()
        if name == "Rss:":
            first = -(-start // _HUGE_BYTES) * _HUGE_BYTES
            size = (stop - first) // _HUGE_BYTES * _HUGE_BYTES
            if size > 0 and int(fields[0]) << 10 >= _RESIDENT_PART * (stop - start):
                yield first, size
        elif not name.endswith(":"):
            mode, _, _, inode, *path = fields
            anonymous = mode.startswith("rw") and mode.endswith("p") and inode == "0"
            usable = anonymous and not (path and path[0].startswith("[stack"))
            start, stop = (int(part, 16) for part in name.split("-")) if usable else (0, 0)
