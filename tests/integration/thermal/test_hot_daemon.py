"""The whole daemon on a faked board: heat is published, limits speech, and passes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.broker import WAIT_S, Broker, Controller, controller
from tests.integration.running_daemon import DEVICE, EDGED

from .fakesys import FakeSysfs

pytestmark = pytest.mark.broker

CONFIG = f"""
device: {{id: {DEVICE}}}
audio: {{device: "null"}}
speech: {{engine: tone}}
thermal: {{warm_c: 80, hot_c: 90, critical_c: 98, poll_s: 0.1}}
paths: {{state_dir: state, cache_dir: cache, runtime_dir: run}}
"""


class HotBoard:
    """A daemon whose sensors we set, and the controller that hears and asks it."""

    def __init__(self, sysfs: FakeSysfs, client: Controller) -> None:
        self._sysfs = sysfs
        self._client = client

    def heat_to(self, temperature_c: float, level: str) -> None:
        """Set the sensors and wait until the daemon has published this level."""
        self._sysfs.set(temperature_c)
        while self._next("health")["thermal"] != level:
            pass

    def result_of(self, request_id: str, priority: str) -> dict[str, Any]:
        """Ask for an announcement and wait for its result."""
        request = {"id": request_id, "text": "Number 12, please.", "priority": priority}
        self._client.publish(f"edged/{DEVICE}/speak", json.dumps(request))
        return self._next(f"result/{request_id}")

    def wait_online(self) -> None:
        """Until it can speak."""
        while self._next("state")["state"] != "online":
            pass

    def _next(self, topic: str) -> dict[str, Any]:
        """The next record on `topic`; fails when the board falls silent."""
        while (message := self._client.next()).topic != f"edged/{DEVICE}/{topic}":
            pass
        record: dict[str, Any] = json.loads(message.payload)
        return record


@pytest.fixture
def board(tmp_path: Path) -> Iterator[HotBoard]:
    """A cool board with a broker on loopback and sine tones into nothing."""
    sysfs = FakeSysfs(tmp_path)
    sysfs.add_chip("coretemp", 47, 46)
    config = tmp_path / "edged.yaml"
    run = sysfs.command(EDGED, "run", "--config", str(config))
    with Broker(tmp_path) as broker, controller(broker) as client:
        client.subscribe(f"edged/{DEVICE}/#")
        config.write_text(CONFIG + f"mqtt: {{host: {broker.host}, port: {broker.port}}}\n")
        with subprocess.Popen(run) as daemon:
            try:
                board = HotBoard(sysfs, client)
                board.wait_online()
                yield board
                daemon.terminate()
                assert daemon.wait(WAIT_S) == 0
            finally:
                daemon.kill()


def test_the_published_level_follows_the_sensors(board: HotBoard) -> None:
    """Through all levels and back while the daemon runs."""
    board.heat_to(82, "warm")
    board.heat_to(92, "hot")
    board.heat_to(99, "critical")
    board.heat_to(84, "warm")
    board.heat_to(60, "nominal")


def test_a_critical_board_speaks_only_what_is_urgent(board: HotBoard) -> None:
    """Normal requests are refused as overheated, urgent ones are spoken; cooled down, all are again."""
    board.heat_to(99, "critical")
    assert board.result_of("normal-1", "normal")["code"] == "overheated"
    assert board.result_of("high-1", "high")["status"] == "finished"
    assert board.result_of("emergency-1", "emergency")["status"] == "finished"
    board.heat_to(50, "nominal")
    assert board.result_of("normal-2", "normal")["status"] == "finished"
