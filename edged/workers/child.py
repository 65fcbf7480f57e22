"""How a child process is started, what it does first and last, and how it says it is alive.

`run_child` is the whole life of a child; `spawned` drives one from a command line without the daemon.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

import psutil

from edged.config.schema import Config
from edged.core.cpus import parse_cpu_set
from edged.workers.frames import Frame, FrameError, FrameSocket
from edged.workers.messages import Configure, Heartbeat

HEARTBEAT_S = 1.0
_EXIT_WAIT_S = 2.0  # a child lets go of its device in well under a second, or is stuck in it
_PR_SET_PDEATHSIG = 1
_STDERR = 2

# Matrices here are small: numpy's threads would wait for each other, spinning, at the cost of a core each,
# and OpenVINO has its own.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}

ChildMain = Callable[[FrameSocket, Iterator[Frame], Config], None]

log = logging.getLogger(__name__)


class Beat:
    """Sends a Heartbeat whenever called, at most once a second; call it from the thread that works."""

    def __init__(self, channel: FrameSocket) -> None:
        self._channel = channel
        self._process = psutil.Process()
        self._due_s = 0.0

    def __call__(self, doing: str) -> None:
        """Say what this thread is doing. Raises OSError when main is gone."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return
        self._due_s = now_s + HEARTBEAT_S
        rss_mb = self._process.memory_info().rss / 1e6
        self._channel.send(Heartbeat(doing=doing, rss_mb=round(rss_mb, 1)))


def run_child(main: ChildMain) -> NoReturn:
    """Run `python -m MODULE --fd N`: take Configure from the channel, call `main`, exit.

    `main(channel, frames, config)` returns when `frames` ends, that is when the daemon closed the
    channel or died. SIGINT is ignored (Ctrl-C reaches the whole terminal group, the daemon decides),
    SIGTERM raises SystemExit in `main`.
    """
    parser = argparse.ArgumentParser(description="A worker process of edged; started by the daemon only.")
    parser.add_argument("--fd", type=int, required=True, help="inherited socket to the daemon")
    sock = socket.socket(fileno=parser.parse_args().fd)
    _die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    channel = FrameSocket(sock)
    frames = channel.frames()
    try:
        main(channel, frames, _configuration(frames))
    except (BrokenPipeError, ConnectionResetError):
        log.info("the daemon is gone")
    sys.exit(0)


def child_environment() -> dict[str, str]:
    """The environment that a child is started in: ours, and what must be set before it imports numpy."""
    return {**os.environ, **_ONE_THREAD}


def set_cpus(cpus: str) -> None:
    """Run this process on the CPUs of a set such as `0-2,5`; empty: no restriction.

    CPUs this board does not have are worth a warning, not a silent board.
    """
    if not cpus:
        return
    try:
        os.sched_setaffinity(0, parse_cpu_set(cpus))
    except OSError as error:
        log.warning("cannot run on CPUs %s (%s); running on all", cpus, error.strerror)


@contextlib.contextmanager
def spawned(module: str, config: Config, silent_s: float) -> Iterator[FrameSocket]:
    """Start `python -m module` as a configured child and give the channel to it.

    A child that says nothing for `silent_s` hangs: the channel raises TimeoutError. At the end the
    channel is closed, which is what tells a child to go; one that does not is killed. Its standard
    output goes to our standard error: our own output stays clean.
    """
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", module, "--fd", str(theirs.fileno())]
    ours.settimeout(silent_s)
    with ours, theirs:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=_STDERR,
            pass_fds=[theirs.fileno()],
            env=child_environment(),
            start_new_session=True,
        )
        theirs.close()
        try:
            channel = FrameSocket(ours)
            channel.send(Configure(config=config))
            yield channel
        finally:
            ours.close()
            _reap(process)


def _reap(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_EXIT_WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _configuration(frames: Iterator[Frame]) -> Config:
    first = next(frames, None)
    if first is None:
        sys.exit(0)  # the daemon went away before it had anything to say
    if not isinstance(first.message, Configure):
        raise FrameError(f"expected configure first, got {first.message.type}")
    config = first.message.config
    logging.basicConfig(
        stream=sys.stderr, level=config.log.level.upper(), format="%(name)s: %(levelname)s: %(message)s"
    )
    return config


def _die_with_parent() -> None:
    """SIGKILL when the parent thread dies: a child hung in a device call would not see the channel close."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
