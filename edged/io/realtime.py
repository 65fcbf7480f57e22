"""Real-time priority and locked memory: what keeps a player ahead of everything that merely computes."""

from __future__ import annotations

import ctypes
import os
import resource
from dataclasses import dataclass
from pathlib import Path

PRIORITY = 10  # above all ordinary processes, below the kernel's interrupt threads (50)
_MCL_CURRENT, _MCL_FUTURE, _MCL_ONFAULT = 1, 2, 4  # <sys/mman.h>


@dataclass(frozen=True, slots=True)
class Promptness:
    """What a process has: a real-time policy, and pages that are never swapped out."""

    is_realtime: bool
    is_locked: bool


def be_prompt() -> Promptness:
    """Take what this process is allowed to; it works without, less surely."""
    return Promptness(_take_priority(), _lock_memory())


def promptness_of(pid: int) -> Promptness:
    """What another process has. Raises OSError when there is none of this number."""
    status = Path(f"/proc/{pid}/status").read_text()
    locked_kb = next((line.split()[1] for line in status.splitlines() if line.startswith("VmLck:")), "0")
    return Promptness(os.sched_getscheduler(pid) == os.SCHED_RR, locked_kb != "0")


def _take_priority() -> bool:
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(PRIORITY))
    except PermissionError:
        return False
    return True


def _lock_memory() -> bool:
    """Keep every page that has been touched once.

    Only where there is no limit: below one, a later allocation that exceeds it would fail. Locking pages
    that are never touched (stacks of threads, the libraries' tables) would take memory for nothing.
    """
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] != resource.RLIM_INFINITY:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.mlockall(_MCL_CURRENT | _MCL_FUTURE | _MCL_ONFAULT) == 0)
