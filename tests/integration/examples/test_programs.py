"""The examples that are programs: what they publish, what they wait for, their exit status."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.broker import WAIT_S, Broker, Controller
from tests.integration.cable import Cable
from tests.integration.examples.snippets import (
    CALL,
    accepted_id,
    pasted,
    publish_again,
    request_heard,
    spoken_ids,
    tool,
)
from tests.integration.running_daemon import DEVICE, RunningDaemon

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

SAID, NOT_SAID, NO_ANSWER = 0, 1, 75
_JARS = "/usr/share/java"
Build = Callable[[Path], list[str]]


def _shell(script: Path) -> list[str]:
    return ["sh", str(script)]


def _python(script: Path) -> list[str]:
    return [sys.executable, str(script)]


def _java(source: Path) -> list[str]:
    if not Path(_JARS, "mqtt-client.jar").exists():
        pytest.skip("needs the FuseSource client: tests/integration/examples/install_toolchains.sh")
    return [tool("java"), "-cp", f"{_JARS}/*", str(source)]


def _c_sharp(source: Path) -> list[str]:
    program = source.with_suffix(".exe")
    subprocess.run([tool("mcs"), "-langversion:5", f"-out:{program}", str(source)], check=True)
    return [tool("mono"), str(program)]


class Example:
    """One of the programs."""

    def __init__(self, name: str, build: Build, folder: Path) -> None:
        self._name, self._build, self._folder = name, build, folder

    def start(self, port: int, **changes: object) -> subprocess.Popen[str]:
        """Call ticket A015 to counter 3 through the broker at this port."""
        copy = pasted(self._name, self._folder, port, **changes)  # type: ignore[arg-type]
        return subprocess.Popen([*self._build(copy), "A015", "3"], stderr=subprocess.PIPE, text=True)


@pytest.fixture(
    params=[
        pytest.param(("ticket_call.sh", _shell), id="shell"),
        pytest.param(("ticket_call.py", _python), id="python"),
        pytest.param(("TicketCall.java", _java), id="java", marks=pytest.mark.toolchain),
        pytest.param(("TicketCall.cs", _c_sharp), id="c_sharp", marks=pytest.mark.toolchain),
    ]
)
def example(request: pytest.FixtureRequest, tmp_path: Path) -> Example:
    """Each of them."""
    name, build = request.param
    return Example(name, build, tmp_path)


def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit status and standard error."""
    _, errors = process.communicate(timeout=2 * WAIT_S)
    return process.returncode, errors


def test_a_call_is_said(example: Example, device: RunningDaemon, broker: Broker, desk: Controller) -> None:
    """It asks for what the documentation says, and ends when that has been said."""
    desk.subscribe(f"edged/{DEVICE}/speak")
    assert outcome(example.start(broker.port)) == (SAID, "")
    assert request_heard(desk) == CALL
    device.wait_results(1)
    assert [(r["status"], r["warnings"]) for r in device.results()] == [("finished", [])]


def test_it_tells_why_a_call_was_not_said(example: Example, device: RunningDaemon, broker: Broker) -> None:
    """Any other result is a failure, and the status of the result is shown."""
    device.command("mute", "on")
    status, errors = outcome(example.start(broker.port))
    assert (status, "muted" in errors) == (NOT_SAID, True)


def test_it_waits_for_a_bounded_time(example: Example, broker: Broker) -> None:
    """Nobody answers at a device that was never there."""
    status, errors = outcome(example.start(broker.port, device="attic", patience_s=1))
    assert (status, errors.splitlines()[-1]) == (NO_ANSWER, "no answer from attic")


def test_news_of_a_call_are_not_its_result(
    example: Example, device: RunningDaemon, broker: Broker, desk: Controller
) -> None:
    """A record without a status comes first: it goes on waiting."""
    desk.subscribe(f"edged/{DEVICE}/speak")
    device.command("pause")
    process = example.start(broker.port)
    publish_again(desk)
    device.command("resume")
    assert outcome(process) == (SAID, "")


def test_a_result_that_comes_while_it_is_cut_off_is_not_lost(
    example: Example, device: RunningDaemon, broker: Broker, desk: Controller
) -> None:
    """The connection breaks while it waits: it comes back and learns the result, of the one announcement."""
    desk.subscribe(f"edged/{DEVICE}/event")
    device.command("pause")
    with Cable(broker.port) as cable:
        process = example.start(cable.port)
        request_id = accepted_id(desk)
        cable.pull()
        device.command("resume")
        status, _ = outcome(process)
        assert status == SAID
    device.request(text="the end", id="last")
    assert spoken_ids(desk, "last") == [request_id, "last"]
