"""The life of a child process, with a child made for the purpose."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from edged.config.schema import Config, DeviceConfig
from edged.workers.child import Beat, set_cpus, spawned
from edged.workers.frames import FrameSocket
from edged.workers.messages import CancelSpeak, Heartbeat, SetThreads

CONFIG = Config(device=DeviceConfig(id="counter-3"))
PATIENCE_S = 20.0

# says its configuration and its pid, sends every message back, hangs when told to cancel
ECHO = """
import os, signal
from edged.workers.child import run_child
from edged.workers.messages import CancelSpeak

def main(channel, frames, config):
    print("on standard output")
    channel.send(CancelSpeak(job_id=f"{config.device.id} {os.getpid()}"))
    for frame in frames:
        channel.send(frame.message)
        while isinstance(frame.message, CancelSpeak):
            signal.pause()

run_child(main)
"""


@pytest.fixture(autouse=True)
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m echo_child` runs ECHO."""
    (tmp_path / "echo_child.py").write_text(ECHO)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def greeting(channel: FrameSocket) -> tuple[str, psutil.Process]:
    """What the child was configured as, and the child."""
    message = next(channel.frames()).message
    assert isinstance(message, CancelSpeak)
    device, pid = message.job_id.split()
    return device, psutil.Process(int(pid))


def test_a_child_is_configured_and_leaves_with_its_channel() -> None:
    """It gets the whole configuration, answers, and is gone when the channel is."""
    with spawned("echo_child", CONFIG, PATIENCE_S) as channel:
        device, process = greeting(channel)
        channel.send(SetThreads(threads=3))
        assert next(channel.frames()).message == SetThreads(threads=3)
    assert device == "counter-3"
    assert not process.is_running()


def test_a_child_that_does_not_leave_is_killed() -> None:
    """Closing the channel is a request; after two seconds it is an order."""
    with spawned("echo_child", CONFIG, PATIENCE_S) as channel:
        _, process = greeting(channel)
        channel.send(CancelSpeak(job_id="hang"))
        next(channel.frames())
    assert not process.is_running()


# starts the child, makes it hang, says its pid, and waits to be killed
PARENT = """
import signal
from edged.config.schema import Config
from edged.workers.child import spawned
from edged.workers.messages import CancelSpeak

with spawned("echo_child", Config(), 20) as channel:
    print(next(channel.frames()).message.job_id.split()[-1], flush=True)
    channel.send(CancelSpeak(job_id="hang"))
    next(channel.frames())
    print("hung", flush=True)
    signal.pause()
"""


def test_a_hung_child_dies_with_its_parent() -> None:
    """kill -9 of the daemon takes along a child that cannot see its channel close."""
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        assert parent.stdout.readline() == "hung\n"
        parent.kill()
    psutil.wait_procs([child], timeout=PATIENCE_S)
    # where nobody reaps orphans (PID 1 of a plain container), the dead one stays as a zombie
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_a_silent_child_is_noticed() -> None:
    """Nothing heard for the time given: TimeoutError instead of waiting for ever."""
    with pytest.raises(TimeoutError), spawned("echo_child", CONFIG, silent_s=0.001) as channel:
        next(channel.frames())


def test_our_standard_output_stays_clean(capfd: pytest.CaptureFixture[str]) -> None:
    """What a child prints, or a library in it, goes to standard error."""
    with spawned("echo_child", CONFIG, PATIENCE_S) as channel:
        greeting(channel)
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "on standard output" in printed.err


def start_raw() -> tuple[subprocess.Popen[str], socket.socket]:
    """The child without the first message."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "echo_child", "--fd", str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True)
    theirs.close()
    return process, ours


def test_anything_before_the_configuration_ends_the_child() -> None:
    """A child that has not been configured does nothing."""
    process, channel = start_raw()
    with channel:
        FrameSocket(channel).send(SetThreads(threads=1))
        _, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert "expected configure first, got set_threads" in complaint


def test_a_channel_closed_before_the_configuration_is_no_error() -> None:
    """Main may die at any moment."""
    process, channel = start_raw()
    channel.close()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


def test_beats_are_at_most_one_a_second() -> None:
    """It may be called as often as convenient; a heartbeat says what the thread does and its memory."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        beat = Beat(FrameSocket(theirs))
        for doing in ("loading", "speaking", "idle"):
            beat(doing)
        theirs.close()
        (message,) = [frame.message for frame in FrameSocket(ours).frames()]
    assert isinstance(message, Heartbeat)
    assert message.doing == "loading"
    assert message.rss_mb > 1


@pytest.fixture
def affinity() -> Iterator[set[int]]:
    """Our own CPUs, restored afterwards."""
    before = os.sched_getaffinity(0)
    yield before
    os.sched_setaffinity(0, before)


def test_a_process_is_kept_to_its_cpus(affinity: set[int]) -> None:
    """The set is applied; an empty one restricts nothing."""
    set_cpus("")
    assert os.sched_getaffinity(0) == affinity
    set_cpus(str(min(affinity)))
    assert os.sched_getaffinity(0) == {min(affinity)}


def test_cpus_that_are_not_there_do_not_silence_the_board(
    affinity: set[int], caplog: pytest.LogCaptureFixture
) -> None:
    """A set made for another board is worth a warning."""
    with caplog.at_level(logging.WARNING):
        set_cpus("1023")
    assert os.sched_getaffinity(0) == affinity
    assert "cannot run on CPUs 1023" in caplog.text
