"""What is sent when it cannot all be sent: too large, or with nobody there."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.io.mqtt import Delivered
from tests.integration.broker import Broker, controller
from tests.integration.mqtt.conftest import TOPICS, config_for, device

pytestmark = pytest.mark.broker


def test_a_result_larger_than_the_broker_allows_is_dropped_alone(tmp_path: Path) -> None:
    """The broker would end the connection, and again at each resend: it is counted, and what follows arrives.

    Its receipt is given up, so that no later process tries again for ever.
    """
    with (
        Broker(tmp_path, settings=("max_packet_size 2000",)) as broker,
        device(config_for(broker)) as lobby,
        controller(broker) as kiosk,
    ):
        lobby.up()
        kiosk.subscribe("edged/lobby/#")
        lobby.client.publish("edged/lobby/result/a", b"x" * 2000, receipt="a")
        lobby.client.retain(TOPICS.info, b"x" * 2000)
        lobby.client.publish("edged/lobby/result/b", b"x" * 1500, receipt="b")
        assert kiosk.next().topic == "edged/lobby/result/b"
        assert {lobby.next(Delivered).receipt for _ in range(2)} == {"a", "b"}
        assert (lobby.client.counters.connects, lobby.client.counters.dropped) == (1, 2)


def test_live_stages_are_sent_without_ceremony(broker: Broker) -> None:
    """QoS 0, not retained."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.subscribe("edged/lobby/event")
        for i in range(100):
            lobby.client.tell("edged/lobby/event", str(i).encode())
        heard = [kiosk.next() for _ in range(100)]
    assert [int(message.payload) for message in heard] == list(range(100))
    assert {(message.qos, message.retain) for message in heard} == {(0, False)}
