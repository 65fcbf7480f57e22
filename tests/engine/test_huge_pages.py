"""Huge pages: what is asked of the kernel, and that memory is the same afterwards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edged.engine.huge_pages import large_allocations, use_huge_pages

MB = 1 << 20
SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def smaps(start: int, stop: int, resident_kb: int, mode: str = "rw-p", inode: int = 0, path: str = "") -> str:
    entry = f"{start:x}-{stop:x} {mode} 00000000 00:00 {inode} {path}"
    return f"{entry}\nSize: 1 kB\nRss: {resident_kb} kB\nPss: 0 kB\n"


def test_whole_huge_pages_inside_a_filled_range_are_chosen() -> None:
    """From the first 2 MB boundary to the last; the ragged ends stay."""
    text = smaps(3 * MB, 9 * MB + 4096, 6 << 10) + smaps(20 * MB, 22 * MB, 2 << 10)
    assert list(large_allocations(text)) == [(4 * MB, 4 * MB), (20 * MB, 2 * MB)]


@pytest.mark.parametrize(
    "other",
    [
        smaps(2 * MB, 10 * MB, 4 << 10),
        smaps(2 * MB, 10 * MB, 8 << 10, inode=17, path="/lib/libx.so"),
        smaps(2 * MB, 10 * MB, 8 << 10, mode="r--p"),
        smaps(2 * MB, 10 * MB, 8 << 10, mode="rw-s"),
        smaps(2 * MB, 10 * MB, 8 << 10, path="[stack]"),
        smaps(3 * MB, 4 * MB, 1 << 10),
    ],
    ids=["half empty", "a file", "read-only", "shared", "the stack", "smaller than a page"],
)
def test_everything_else_is_left_alone(other: str) -> None:
    """Ranges that would grow, belong to files or others, or are too small."""
    assert list(large_allocations(other)) == []


@pytest.mark.skipif(
    not SETTING.exists() or "[never]" in SETTING.read_text(), reason="this kernel gives no huge pages"
)
def test_values_stay_and_pages_are_huge() -> None:
    """32 MB that are in use end up in huge pages with the same content."""
    values = np.arange(32 * MB // 8)
    assert use_huge_pages() >= 16 * MB
    np.testing.assert_array_equal(values, np.arange(32 * MB // 8))
    huge = next(
        line for line in Path("/proc/self/smaps_rollup").read_text().splitlines() if "AnonHuge" in line
    )
    assert int(huge.split()[1]) >= 16 << 10
