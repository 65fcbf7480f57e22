"""`check_broker`, as `edged doctor` uses it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from edged.config.schema import MqttConfig
from edged.errors import BrokerError, ConfigError
from edged.io.broker import read_password
from edged.io.visitor import check_broker
from tests.integration.broker import Broker, free_port
from tests.integration.mqtt.conftest import config_for, device

pytestmark = pytest.mark.broker


def test_a_good_broker_passes_and_the_running_device_is_left_alone(broker: Broker) -> None:
    """The check uses a name of its own, so it takes nobody's session over."""
    with device(config_for(broker)) as lobby:
        check_broker(config_for(broker))
        check_broker(config_for(broker))
        assert lobby.client.counters.connects <= 1


def test_no_broker(tmp_path: Path) -> None:
    """Where, what, what to do."""
    with pytest.raises(BrokerError, match="Connection refused") as caught:
        check_broker(MqttConfig(host="127.0.0.1", port=free_port()))
    assert "mqtt.host" in caught.value.hint


def test_an_unknown_host() -> None:
    """A name that resolves to nothing (RFC 6761 reserves .invalid)."""
    with pytest.raises(BrokerError, match=r"broker\.invalid:1883"):
        check_broker(MqttConfig(host="broker.invalid"))


def test_something_that_is_no_broker() -> None:
    """It accepts the connection and says nothing."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(BrokerError, match="silent"),
    ):
        check_broker(MqttConfig(host="127.0.0.1", port=silent.getsockname()[1]))


def test_a_refused_user(tmp_path: Path) -> None:
    """Anonymous where a password is wanted, and with a wrong one."""
    with Broker(tmp_path, users={"lobby": "right"}) as broker:
        with pytest.raises(BrokerError, match="anonymous"):
            check_broker(config_for(broker))
        password = tmp_path / "password"
        password.write_text("wrong")
        with pytest.raises(BrokerError, match="user: 'lobby'"):
            check_broker(config_for(broker, username="lobby", password_file=password))
        password.write_text("right")
        check_broker(config_for(broker, username="lobby", password_file=password))


def test_the_password_comes_from_the_credential(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """systemd's LoadCredential, unless a file is named; a trailing newline is not part of it."""
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert read_password(MqttConfig()) is None
    (tmp_path / "mqtt-password").write_text("from systemd\n")
    assert read_password(MqttConfig()) == "from systemd"
    named = tmp_path / "named"
    named.write_text("from the file\n")
    assert read_password(MqttConfig(password_file=named)) == "from the file"


def test_a_password_file_that_cannot_be_read_is_a_configuration_error(tmp_path: Path) -> None:
    """With the key and the path."""
    with pytest.raises(ConfigError, match=r"mqtt\.password_file = .*nothing"):
        read_password(MqttConfig(password_file=tmp_path / "nothing"))
