"""One child kept running."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from edged.config.schema import Config
from edged.text.content import Words
from edged.workers.messages import Message, Speak, SynthEnd, SynthReady
from edged.workers.supervisor import Supervisor

DEADLINE_S = 30.0
TONE = Config.model_validate({"speech": {"engine": "tone"}})


class Heard:
    """What a supervisor reports, to be waited for."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.losses = 0
        self._changed = asyncio.Event()

    def frame(self, message: Message, _payload: bytes) -> None:
        self.messages.append(message)
        self._changed.set()

    def lost(self) -> None:
        self.losses += 1
        self._changed.set()

    def count(self, kind: type[Message]) -> int:
        return sum(isinstance(message, kind) for message in self.messages)

    async def wait(self, is_there: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not is_there():
                self._changed.clear()
                await self._changed.wait()


def synth_children() -> list[psutil.Process]:
    """Ours; fixtures of other tests have children of their own."""
    children = psutil.Process(os.getpid()).children()
    return [child for child in children if "edged.workers.synth" in child.cmdline()]


def own_child() -> psutil.Process:
    (child,) = synth_children()
    return child


def test_a_killed_child_is_reported_once_and_comes_back() -> None:
    """After the loss a new process takes its place and works."""

    async def scenario() -> None:
        heard = Heard()
        supervisor = Supervisor("edged.workers.synth", TONE, heard.frame, heard.lost)
        running = asyncio.create_task(supervisor.run())
        await heard.wait(lambda: heard.count(SynthReady) == 1)
        first = own_child()
        first.send_signal(signal.SIGKILL)
        await heard.wait(lambda: heard.count(SynthReady) == 2)
        assert heard.losses == 1
        assert own_child().pid != first.pid
        supervisor.send(Speak(job_id="a", pieces=(Words("Hello"),)))
        await heard.wait(lambda: heard.count(SynthEnd) == 1)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(scenario())
    assert not synth_children()


def test_a_hanging_child_can_be_killed() -> None:
    """`kill` ends even a child that is stopped and reads nothing."""

    async def scenario() -> None:
        heard = Heard()
        supervisor = Supervisor("edged.workers.synth", TONE, heard.frame, heard.lost)
        running = asyncio.create_task(supervisor.run())
        await heard.wait(lambda: heard.count(SynthReady) == 1)
        own_child().send_signal(signal.SIGSTOP)
        supervisor.kill()
        await heard.wait(lambda: heard.count(SynthReady) == 2)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(scenario())


def test_a_child_that_talks_nonsense_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is, it is not our protocol: the process is replaced, main goes on."""
    (tmp_path / "babbler.py").write_text(
        "import socket, sys\n"
        "sock = socket.socket(fileno=int(sys.argv[2]))\n"
        "sock.sendall(b'Segmentation fault, core dumped, have a nice day')\n"
        "sock.recv(1 << 20), sock.recv(1 << 20)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def scenario() -> None:
        heard = Heard()
        supervisor = Supervisor("babbler", TONE, heard.frame, heard.lost)
        running = asyncio.create_task(supervisor.run())
        await heard.wait(lambda: heard.losses == 2)
        assert heard.messages == []
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(scenario())


def test_a_child_that_keeps_ending_is_restarted_ever_more_slowly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After the waits it is given, in their order; the last one counts from then on."""
    (tmp_path / "mayfly.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def scenario() -> None:
        heard = Heard()
        supervisor = Supervisor("mayfly", TONE, heard.frame, heard.lost, back_off_s=(0.0, 0.1, 0.2))
        running = asyncio.create_task(supervisor.run())
        await heard.wait(lambda: heard.losses == 4)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(scenario())
    waits = [line.rpartition("restarting in ")[2] for line in caplog.messages]
    assert waits == ["0.0 s", "0.1 s", "0.2 s", "0.2 s"]


def test_a_child_that_dies_while_it_is_written_to_is_only_restarted() -> None:
    """A write into its dead socket is how its end shows first: no reason for main to end."""

    async def scenario() -> None:
        heard = Heard()
        supervisor = Supervisor("edged.workers.synth", TONE, heard.frame, heard.lost)
        running = asyncio.create_task(supervisor.run())
        for life in range(1, 4):
            await heard.wait(lambda life=life: heard.count(SynthReady) == life)  # type: ignore[misc]
            own_child().send_signal(signal.SIGKILL)
            for _ in range(200):  # more than a socket takes unread
                supervisor.send(Speak(job_id="a", pieces=(Words("Hello" * 1000),)))
                await asyncio.sleep(0)
            await heard.wait(lambda life=life: heard.losses == life)  # type: ignore[misc]
        assert not running.done()
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(scenario())


def test_what_is_sent_without_a_child_is_dropped() -> None:
    """Between two lives there is nobody to hear; the loss has told so."""
    heard = Heard()
    Supervisor("edged.workers.synth", TONE, heard.frame, heard.lost).send(
        Speak(job_id="a", pieces=(Words("Hello"),))
    )
    assert heard.messages == []
