"""What `edged doctor` says of the player's priority and memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edged.cli.findings import Finding, Severity
from edged.cli.realtime_check import check_realtime
from edged.errors import DaemonUnreachableError
from edged.io.status_socket import daemon_pid

# A daemon that only has a socket and a child called like the player, which does what it is told.
_DAEMON = """\
import socket, subprocess, sys
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen()
code = "import os, sys; exec(sys.argv[2]); print(flush=True); sys.stdin.read()"
child = subprocess.Popen([sys.executable, "-c", code, "edged.workers.player", sys.argv[2]],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(flush=True)
sys.stdin.read()
child.stdin.close()
child.wait()
"""
Board = Callable[[str], list[Finding]]


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    """`board(code)`: the findings while a player runs that has executed this."""
    daemons: list[subprocess.Popen[bytes]] = []

    def run(code: str) -> list[Finding]:
        socket = str(tmp_path / "status.sock")
        daemon = subprocess.Popen(
            [sys.executable, "-c", _DAEMON, socket, code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        daemons.append(daemon)
        assert daemon.stdout
        daemon.stdout.readline()
        assert daemon_pid(tmp_path) == daemon.pid
        return list(check_realtime(tmp_path))

    yield run
    for daemon in daemons:
        daemon.communicate()


def test_an_ordinary_player_is_warned_about(board: Board) -> None:
    """With what follows from it, and how a service is allowed more."""
    priority, memory = board("")
    assert priority.severity == Severity.WARN
    assert "LimitRTPRIO" in priority.fix
    assert "not locked" in memory.what
    assert "LimitMEMLOCK" in memory.fix


def test_what_the_player_has_is_told(board: Board) -> None:
    """A process that has taken what it could."""
    code = "from edged.io.realtime import be_prompt; be_prompt()"
    priority, _ = board(f"import resource; {code}")
    if "no real-time" in priority.what:
        pytest.skip("this machine allows no real-time priority")
    assert priority == Finding("the player has real-time priority")


def test_without_a_daemon_nothing_is_claimed(tmp_path: Path) -> None:
    """What this user may do says nothing about the service."""
    (finding,) = check_realtime(tmp_path)
    assert finding.severity == Severity.OK
    assert "does not run" in finding.what
    with pytest.raises(DaemonUnreachableError):
        daemon_pid(tmp_path)
