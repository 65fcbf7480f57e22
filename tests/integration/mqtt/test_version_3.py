"""The device itself speaking MQTT 3.1.1, for brokers that know no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.io.mqtt import Delivered, LinkDown, LinkUp, Message
from edged.io.visitor import check_broker
from tests.integration.broker import Broker, controller, free_port
from tests.integration.mqtt.conftest import TOPICS, config_for, device, scripted_broker

pytestmark = pytest.mark.broker


def test_requests_results_and_records(broker: Broker) -> None:
    """All that does not need MQTT 5: no response topic, no expiry, results on their own topic."""
    with device(config_for(broker, version="3.1.1")) as lobby, controller(broker) as kiosk:
        assert lobby.up() == LinkUp(is_resumed=False)
        kiosk.publish("edged/lobby/speak", "hi", reply_topic="kiosk/1", correlation=b"1", expiry_s=60)
        message = lobby.message()
        assert (message.payload, message.reply_to, message.expiry_s) == (b"hi", None, None)
        kiosk.subscribe("edged/lobby/#")
        lobby.client.publish("edged/lobby/result/a", b"done", expiry_s=60, correlation=b"1", receipt="a")
        assert kiosk.next().payload == b"done"
        assert lobby.next(Delivered) == Delivered("a")
        lobby.client.retain(TOPICS.state, b"online")
        assert kiosk.next().payload == b"online"


def test_the_session_is_kept(broker: Broker) -> None:
    """`clean session` is off: what came meanwhile is heard, and what was not acknowledged comes again."""
    config = config_for(broker, version="3.1.1")
    with controller(broker) as kiosk:
        with device(config) as lobby:
            lobby.up()
            kiosk.publish("edged/lobby/speak", "first")
            assert not lobby.next(Message).delivery.is_redelivery
        kiosk.publish("edged/lobby/speak", "second")
        with device(config) as lobby:
            assert lobby.next(LinkUp) == LinkUp(is_resumed=True)
            first, second = lobby.message(), lobby.message()
    assert (first.payload, first.delivery.is_redelivery) == (b"first", True)
    assert (second.payload, second.delivery.is_redelivery) == (b"second", False)


def test_a_broker_that_forgot_everything_is_told_again(tmp_path: Path) -> None:
    """Subscriptions and retained records."""
    with (
        Broker(tmp_path, is_persistent=False) as broker,
        device(config_for(broker, version="3.1.1")) as lobby,
    ):
        lobby.client.retain(TOPICS.state, b"online")
        lobby.up()
        broker.kill()
        lobby.next(LinkDown)
        broker.start()
        assert lobby.up() == LinkUp(is_resumed=False)
        with controller(broker) as kiosk:
            kiosk.subscribe(TOPICS.state)
            assert kiosk.next().payload == b"online"
            kiosk.publish("edged/lobby/speak", "hello again")
            assert lobby.message().payload == b"hello again"


def test_a_stored_announcement_comes_once_per_process(broker: Broker) -> None:
    """3.1.1 sends what is retained at every subscription: a resumed session is not subscribed again."""
    with controller(broker) as kiosk:
        kiosk.publish("edged/lobby/speak", "stored", is_retained=True)
        with device(config_for(broker, version="3.1.1")) as lobby:
            lobby.up()
            assert lobby.message().is_retained
            broker.stop()
            lobby.next(LinkDown)
            broker.start()
            assert lobby.up() == LinkUp(is_resumed=True)
        with controller(broker) as other, device(config_for(broker, version="3.1.1")) as lobby:
            lobby.up()
            assert lobby.message().is_retained
            other.publish("edged/lobby/speak", "live")
            assert lobby.message().payload == b"live"


def test_the_check_speaks_it_too(broker: Broker) -> None:
    """`edged doctor`."""
    check_broker(config_for(broker, version="3.1.1"))


def test_a_broker_that_knows_no_5_is_told_with_the_key_to_change() -> None:
    """Its refusal is in the form of MQTT 3.1.1."""
    with scripted_broker() as server, device(config_for(server)) as lobby, server.accept()[0] as connection:
        connection.recv(4096)
        connection.sendall(b"\x20\x02\x00\x01")  # CONNACK: unacceptable protocol version
        error = lobby.next(LinkDown).error
    assert "Unsupported protocol version" in error.what
    assert "mqtt.version" in error.hint


def test_a_broker_that_knows_no_3_1_1_is_not_talked_to_in_something_older() -> None:
    """Told, and tried again as configured: MQTT 3.1 cuts client ids off after 23 characters."""
    with scripted_broker() as server, device(config_for(server, version="3.1.1")) as lobby:
        for _ in range(2):
            with server.accept()[0] as connection:
                assert b"\x00\x04MQTT\x04" in connection.recv(4096)  # CONNECT: name and level of 3.1.1
                connection.sendall(b"\x20\x02\x00\x01")
        assert "mqtt.version" in lobby.next(LinkDown).error.hint


def test_a_wrong_password_is_told(tmp_path: Path) -> None:
    """3.1.1 has codes of its own for it."""
    password = tmp_path / "password"
    password.write_text("wrong")
    with Broker(tmp_path, users={"lobby": "right"}, port=free_port()) as broker:
        config = config_for(broker, version="3.1.1", username="lobby", password_file=password)
        with device(config) as lobby:
            error = lobby.next(LinkDown).error
    assert "(user: 'lobby')" in error.what
    assert "mqtt.password_file" in error.hint
