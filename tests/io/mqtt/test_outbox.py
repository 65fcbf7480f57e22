"""What is sent, when, and what is let go of."""

from __future__ import annotations

from typing import Any, cast

from paho.mqtt.client import Client, MQTTMessageInfo

from edged.config.schema import MqttConfig
from edged.io.mqtt.dialect import Dialect
from edged.io.mqtt.outbox import Outbox, Outgoing


class FakeClient:
    """Takes publishes; with `takes` it is full after so many, as paho is when the kernel takes no more."""

    def __init__(self, takes: int | None = None) -> None:
        self.sent: list[tuple[str, bytes, int, bool]] = []
        self._takes = takes

    def want_write(self) -> bool:
        return self._takes is not None and len(self.sent) >= self._takes

    def publish(
        self, topic: str, payload: bytes, *, qos: int, retain: bool, properties: Any
    ) -> MQTTMessageInfo:
        self.sent.append((topic, payload, qos, retain))
        return MQTTMessageInfo(len(self.sent))


def outbox() -> Outbox:
    box = Outbox(Dialect(MqttConfig()))
    box.connected(None, None)
    return box


def send(box: Outbox, client: FakeClient) -> list[str]:
    return box.send(cast(Client, client))


def test_as_many_are_in_flight_as_the_broker_allows() -> None:
    """The next one goes when one has been confirmed."""
    box, client = outbox(), FakeClient()
    box.connected(receive_maximum=2, max_packet_bytes=None)
    for name in "abc":
        box.put(Outgoing(name, b"x", receipt=name))
    send(box, client)
    assert [topic for topic, *_ in client.sent] == ["a", "b"]
    assert box.confirmed(1) == "a"
    send(box, client)
    assert [topic for topic, *_ in client.sent] == ["a", "b", "c"]
    assert not box.is_empty


def test_a_thousand_stages_wait_and_the_rest_are_forgotten() -> None:
    """And they never stand before a result."""
    box, client = outbox(), FakeClient()
    for i in range(5000):
        box.put_live(Outgoing("event", b"%d" % i, qos=0))
    box.put(Outgoing("result", b"done"))
    send(box, client)
    assert client.sent[0] == ("result", b"done", 1, False)
    assert client.sent[1:] == [("event", b"%d" % i, 0, False) for i in range(4000, 5000)]


def test_stages_of_an_earlier_connection_are_not_sent() -> None:
    """They are worth nothing later."""
    box, client = outbox(), FakeClient()
    box.put_live(Outgoing("event", b"old", qos=0))
    box.connected(None, None)
    send(box, client)
    assert client.sent == []


def test_a_broker_that_does_not_read_gets_no_more_stages() -> None:
    """paho would keep them without a bound."""
    box, client = outbox(), FakeClient(takes=3)
    for i in range(10):
        box.put_live(Outgoing("event", b"%d" % i, qos=0))
    send(box, client)
    assert len(client.sent) == 3


def test_the_oldest_results_give_way_and_are_counted() -> None:
    """22 000 are kept: a queue of 10 000 stopped at once, each with a Response Topic, loses none."""
    box, client = outbox(), FakeClient()
    for i in range(22_003):
        box.put(Outgoing(str(i), b"x"))
    send(box, client)
    assert client.sent[0][0] == "3"
    assert box.dropped == 3


def test_retained_records_go_again_at_every_connect_and_only_the_newest() -> None:
    """Also an empty one, which clears the topic."""
    box, client = outbox(), FakeClient()
    box.put_retained("state", b"old")
    box.put_retained("state", b"new")
    box.put_retained("gone", b"")
    send(box, client)
    box.connected(None, None)
    send(box, client)
    assert sorted(client.sent) == sorted([("state", b"new", 1, True), ("gone", b"", 1, True)] * 2)


def test_what_is_too_large_for_the_broker_is_given_up() -> None:
    """With its receipt, so that nobody waits for it; what follows is sent."""
    box, client = outbox(), FakeClient()
    box.connected(receive_maximum=None, max_packet_bytes=1000)
    box.put(Outgoing("large", b"x" * 1000, receipt="large"))
    box.put(Outgoing("small", b"x" * 900, receipt="small"))
    assert send(box, client) == ["large"]
    assert [topic for topic, *_ in client.sent] == ["small"]
    assert box.dropped == 1
