"""The Node-RED flow, imported into a Node-RED whose inject node is pressed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from benchmarks.clocked_sink import poll_until
from tests.integration.broker import WAIT_S, Broker, Controller, free_port
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

pytestmark = [pytest.mark.broker, pytest.mark.alsa, pytest.mark.toolchain]

FLOW = "ticket_call.node-red.json"
_START_S = 2 * WAIT_S  # it reads a few hundred files


class NodeRed:
    """A Node-RED with the flow in it."""

    def __init__(self, port: int, log: Path) -> None:
        self._port, self._log = port, log

    def press(self) -> None:
        """The button of the inject node."""
        button = Request(f"http://127.0.0.1:{self._port}/inject/press", data=b"", method="POST")
        urlopen(button, timeout=WAIT_S).close()

    def shown_ids(self) -> list[str]:
        """The ids of the records that the flow has shown, in their order."""
        return re.findall(r"\[debug:[^]]*\] \n\{\n  id: '([^']+)'", self._log.read_text())

    def wait_log(self, words: str, deadline_s: float = WAIT_S) -> None:
        """Until its log has these words."""
        poll_until(lambda: words in self._log.read_text(), f"no {words!r} in {self._log}", deadline_s)


@contextmanager
def node_red(flow: Path) -> Iterator[NodeRed]:
    """Starts one that is connected to the broker of this flow."""
    program, port, log = tool("node-red"), free_port(), flow.with_suffix(".log")
    settings = {
        "uiHost": "127.0.0.1",
        "uiPort": port,
        "flowFile": str(flow),
        "telemetry": {"enabled": False, "updateNotification": False},
    }
    (flow.parent / "settings.js").write_text(f"module.exports = {json.dumps(settings)};\n")
    # beside it lies the Node.js it asks for, which may be newer than that of the system
    path = os.pathsep.join((str(Path(program).parent), os.environ["PATH"]))
    with log.open("wb") as out:
        process = subprocess.Popen(
            [program, "--userDir", str(flow.parent)], stdout=out, stderr=out, env={**os.environ, "PATH": path}
        )
    try:
        running = NodeRed(port, log)
        running.wait_log("Connected to broker", _START_S)
        yield running
    finally:
        process.terminate()
        process.wait(WAIT_S)


def test_a_call_is_said(device: RunningDaemon, broker: Broker, desk: Controller, tmp_path: Path) -> None:
    """It asks for what the documentation says; the result goes the way of `said`, no other does."""
    desk.subscribe(f"edged/{DEVICE}/speak")
    with node_red(pasted(FLOW, tmp_path, broker.port)) as running:
        running.press()
        assert request_heard(desk) == CALL
        running.wait_log("[debug:said]")
    device.wait_results(1)
    assert [(r["status"], r["warnings"]) for r in device.results()] == [("finished", [])]


def test_a_call_that_is_not_said_goes_another_way(
    device: RunningDaemon, broker: Broker, tmp_path: Path
) -> None:
    """Any other result goes the way of `not said`."""
    device.command("mute", "on")
    with node_red(pasted(FLOW, tmp_path, broker.port)) as running:
        running.press()
        running.wait_log("[debug:not said]")


def test_it_waits_for_a_bounded_time(broker: Broker, tmp_path: Path) -> None:
    """Nobody answers at a device that was never there."""
    with node_red(pasted(FLOW, tmp_path, broker.port, device="attic", patience_s=1)) as running:
        running.press()
        running.wait_log("[debug:no answer]")


def test_each_call_has_a_wait_of_its_own(device: RunningDaemon, broker: Broker, tmp_path: Path) -> None:
    """The answer ends that of its call: one that was not said is not reported as unanswered as well."""
    device.command("mute", "on")
    with node_red(pasted(FLOW, tmp_path, broker.port, patience_s=5)) as running:
        running.press()
        running.wait_log("[debug:not said]")
        device.kill()
        running.press()
        running.press()
        poll_until(lambda: len(running.shown_ids()) >= 3, "a call is not reported", WAIT_S)
        shown = running.shown_ids()
        assert len(shown) == len(set(shown)) == 3


def test_news_of_a_call_are_not_its_result(
    device: RunningDaemon, broker: Broker, desk: Controller, tmp_path: Path
) -> None:
    """A record without a status comes first, and goes nowhere."""
    desk.subscribe(f"edged/{DEVICE}/speak")
    device.command("pause")
    with node_red(pasted(FLOW, tmp_path, broker.port)) as running:
        running.press()
        publish_again(desk)
        device.command("resume")
        running.wait_log("[debug:said] \n{\n  id:")
        assert len(running.shown_ids()) == 1


def test_a_result_that_comes_while_it_is_cut_off_is_not_lost(
    device: RunningDaemon, broker: Broker, desk: Controller, tmp_path: Path
) -> None:
    """The connection breaks while it waits: it comes back and learns the result, of the one announcement."""
    desk.subscribe(f"edged/{DEVICE}/event")
    device.command("pause")
    with Cable(broker.port) as cable, node_red(pasted(FLOW, tmp_path, cable.port)) as running:
        running.press()
        request_id = accepted_id(desk)
        cable.pull()
        device.command("resume")
        running.wait_log("[debug:said]")
    device.request(text="the end", id="last")
    assert spoken_ids(desk, "last") == [request_id, "last"]
