"""Whether the running player has what keeps it ahead of everything that merely computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil

from edged.cli.findings import Finding, Severity
from edged.errors import DaemonUnreachableError
from edged.io.realtime import Promptness, promptness_of
from edged.io.status_socket import daemon_pid

_PLAYER = "edged.workers.player"


def check_realtime(runtime_dir: Path) -> Iterator[Finding]:
    """Asks the processes themselves: what this user may do says nothing about the service."""
    try:
        children = psutil.Process(daemon_pid(runtime_dir)).children()
        player = next((child for child in children if _PLAYER in child.cmdline()), None)
    except (DaemonUnreachableError, psutil.Error):  # none, or it ends just now
        player = None
    if player is None:
        yield Finding("the player does not run: its priority cannot be seen")
        return
    yield from _findings(promptness_of(player.pid))


def _findings(player: Promptness) -> Iterator[Finding]:
    if player.is_realtime:
        yield Finding("the player has real-time priority")
    else:
        yield Finding(
            "the player has no real-time priority",
            "whatever else computes on this board may cause gaps in speech",
            "LimitRTPRIO=20 in the unit (systemctl edit edged); in a container also the capability SYS_NICE",
            Severity.WARN,
        )
    if player.is_locked:
        yield Finding("the player's memory is locked")
    else:
        yield Finding(
            "the player's memory is not locked",
            "when memory is short it is swapped out, and speech has gaps until it is back",
            "LimitMEMLOCK=infinity in the unit (systemctl edit edged)",
            Severity.WARN if psutil.swap_memory().total else Severity.OK,
        )
