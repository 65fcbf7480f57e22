"""`edged fleet` with a real broker."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from edged.protocol.state import DeviceState, State
from tests.integration.broker import WAIT_S, Broker, Controller, controller, free_port
from tests.integration.running_daemon import EDGED

pytestmark = pytest.mark.broker


@pytest.fixture
def kiosk(broker: Broker) -> Iterator[Controller]:
    with controller(broker) as running:
        yield running


def config_file(folder: Path, port: int) -> Path:
    path = folder / "edged.yaml"
    path.write_text(f"mqtt: {{host: 127.0.0.1, port: {port}}}\n")
    return path


def fleet(config: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [EDGED, "fleet", "--config", str(config), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)


def retain(kiosk: Controller, name: str, state: DeviceState) -> None:
    payload = State(state=state, version="0.2").encode()
    kiosk.publish(f"edged/{name}/state", payload, is_retained=True)


def test_every_device_is_in_the_document(broker: Broker, kiosk: Controller, tmp_path: Path) -> None:
    """More than the broker sends in one window, present and absent; garbage is a warning."""
    names = [f"board-{i:02}" for i in range(60)]
    for i, name in enumerate(names):
        retain(kiosk, name, DeviceState.OFFLINE if i % 3 == 0 else DeviceState.ONLINE)
    kiosk.publish("edged/broken/state", b"\xff{", is_retained=True)
    kiosk.publish("edged/broken/health", b'{"temperature_c": "warm"}', is_retained=True)
    done = fleet(config_file(tmp_path, broker.port), "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert [device["device"] for device in document["devices"]] == [*names, "broken"]
    assert [d["device"] for d in document["devices"] if d["state"] == "offline"] == names[::3]
    assert done.stderr == "warning: edged/broken/state: not JSON\n"


def test_no_devices_are_an_empty_table(broker: Broker, tmp_path: Path) -> None:
    """Not an error."""
    done = fleet(config_file(tmp_path, broker.port))
    assert done.returncode == 0
    assert "0 devices" in done.stdout


def test_no_broker_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """As for every command that needs one."""
    done = fleet(config_file(tmp_path, free_port()))
    assert done.returncode == 69
    assert "mqtt.port" in done.stderr


def read_until(stream: IO[str], text: str) -> str:
    """Lines up to the one with this text."""
    lines = ""
    while text not in lines:
        line = stream.readline()
        assert line, lines
        lines += line
    return lines


def test_watching_shows_changes_and_survives_the_broker(
    broker: Broker, kiosk: Controller, tmp_path: Path
) -> None:
    """A device goes, the broker goes and comes back, another device comes."""
    retain(kiosk, "gate-7", DeviceState.ONLINE)
    command = [EDGED, "fleet", "--config", str(config_file(tmp_path, broker.port)), "--watch"]
    env: dict[str, Any] = {"TTY_COMPATIBLE": "1", "COLUMNS": "200", "LINES": "50"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as watching:
        assert watching.stdout is not None
        try:
            read_until(watching.stdout, "gate-7")
            retain(kiosk, "gate-7", DeviceState.OFFLINE)
            read_until(watching.stdout, "offline")
            broker.stop()
            read_until(watching.stdout, "the connection broke")
            broker.start()
            with controller(broker) as other:
                retain(other, "gate-8", DeviceState.ONLINE)
            read_until(watching.stdout, "gate-8")
        finally:
            watching.kill()
