"""docs/examples/acl in a real mosquitto: who may do what, and that it is enough for everything."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.integration.broker import WAIT_S, Broker, controller
from tests.integration.mqtt.conftest import board
from tests.integration.running_daemon import DEVICE, EDGED

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "mosquitto.acl"
USERS = ("lobby", "kiosk", "viewer", "homeassistant")
RECORDS = ("edged/lobby/state", "edged/lobby/info", "edged/lobby/health")
REQUESTS = (
    *("edged/lobby/speak", "edged/lobby/speak/high", "edged/lobby/cmd/stop"),
    *("edged/all/speak", "edged/all/cmd/stop", "edged/group/ground/speak", "edged/group/ground/cmd/stop"),
)
ANSWERS = ("edged/lobby/result/a", "edged/lobby/event")
DISCOVERY = "homeassistant/device/lobby/config"
BIRTH = "homeassistant/status"
OTHER = ("edged/gate/state", "edged/gate/result/a", "edged/answer/somebody", "elsewhere")
TOPICS = (*RECORDS, *REQUESTS, *ANSWERS, DISCOVERY, BIRTH, *OTHER)

MAY_WRITE = {
    "lobby": {*RECORDS, *ANSWERS, DISCOVERY, "edged/answer/somebody"},
    "kiosk": {*REQUESTS},
    "viewer": set[str](),
    "homeassistant": {*REQUESTS, DISCOVERY, BIRTH}
    - {"edged/group/ground/speak", "edged/group/ground/cmd/stop"},
}
MAY_READ = {
    "lobby": {*REQUESTS, BIRTH, "edged/lobby/state"},
    "kiosk": {*ANSWERS, "edged/lobby/state", "edged/gate/state", "edged/gate/result/a"},
    "viewer": {*RECORDS, "edged/gate/state"},
    "homeassistant": {DISCOVERY, BIRTH, "edged/lobby/state", "edged/lobby/health", "edged/gate/state"},
}


@contextmanager
def guarded_broker(folder: Path, acl: str) -> Iterator[Broker]:
    """A broker with this list, and one user more who may do everything."""
    path = folder / "acl"
    path.write_text(f"{acl}\nuser tester\ntopic readwrite #\n")
    path.chmod(0o600)
    users = {user: f"password of {user}" for user in (*USERS, "tester")}
    with Broker(folder, users=users, settings=(f"acl_file {path}",)) as broker:
        broker.login = ("tester", users["tester"])
        yield broker


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Broker]:
    """One with the example as it is."""
    with guarded_broker(tmp_path, EXAMPLE.read_text(encoding="utf-8")) as broker:
        yield broker


@pytest.mark.parametrize("user", USERS)
def test_who_may_publish_what(guarded: Broker, user: str) -> None:
    """A controller cannot pose as a board, a board cannot have others speak, a viewer can do nothing."""
    with controller(guarded, login=(user, f"password of {user}")) as client:
        assert {topic for topic in TOPICS if client.may_publish(topic)} == MAY_WRITE[user]


@pytest.mark.parametrize("user", USERS)
def test_who_hears_what(guarded: Broker, user: str) -> None:
    """Texts reach the boards they are meant for and nobody else."""
    with (
        controller(guarded, session="me", login=(user, f"password of {user}")) as client,
        controller(guarded) as tester,
    ):
        client.subscribe("#")
        for topic in TOPICS:
            tester.publish(topic, "x")
        tester.publish("edged/answer/me", "the last one")
        heard = {client.next().topic}
        while "edged/answer/me" not in heard:
            heard.add(client.next().topic)
        assert heard == {*MAY_READ[user], "edged/answer/me"}


def test_with_it_everything_works(tmp_path: Path) -> None:
    """The board is online, is asked by the kiosk, and is seen by the viewer."""
    acl = EXAMPLE.read_text(encoding="utf-8").replace("/lobby/", f"/{DEVICE}/")
    with (
        guarded_broker(tmp_path, acl) as broker,
        board(tmp_path, broker, **login("lobby", tmp_path)) as daemon,
    ):
        said = run_as("kiosk", broker, tmp_path, "say", "--via", "mqtt", "--device", DEVICE, "Hello")
        assert said.returncode == 0, said.stderr
        seen = run_as("viewer", broker, tmp_path, "fleet", "--json")
        (row,) = json.loads(seen.stdout)["devices"]
        assert (row["device"], row["state"], row["engine"]) == (DEVICE, "online", "tone")
        assert "refuses" not in daemon.log.read_text()


def login(user: str, folder: Path) -> dict[str, Any]:
    """The settings by which `user` is let in."""
    password = folder / f"{user}.password"
    password.write_text(f"password of {user}\n")
    return {"username": user, "password_file": str(password)}


def run_as(user: str, broker: Broker, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, with this user's login."""
    config = folder / f"{user}.yaml"
    session = {"host": broker.host, "port": broker.port, **login(user, folder)}
    config.write_text(f"mqtt: {json.dumps(session)}\n")
    command = [EDGED, arguments[0], "--config", str(config), *arguments[1:]]
    return subprocess.run(command, capture_output=True, text=True, timeout=2 * WAIT_S, check=False)
