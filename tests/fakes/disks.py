"""Real small and read-only disks for tests that run as root; others skip."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def tmpfs(folder: Path, size_bytes: int) -> Iterator[Path]:
    """`folder` as a file system of its own of this size."""
    folder.mkdir(parents=True, exist_ok=True)
    options = f"size={size_bytes},mode=755"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"needs the right to mount: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def make_read_only(mounted: Path) -> None:
    """Remount a disk of `tmpfs` read-only."""
    subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
