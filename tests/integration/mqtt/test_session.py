"""The session with a real broker: what arrives, what survives, what is told when it does not work."""

from __future__ import annotations

import threading
from pathlib import Path
from queue import Queue
from typing import BinaryIO

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from edged.config.schema import MqttConfig
from edged.io.mqtt import (
    MAX_PACKET_BYTES,
    LinkDown,
    LinkUp,
    Listening,
    Message,
    MqttEvent,
    SubscriptionRefused,
)
from edged.protocol.result import ReplyTo
from tests.integration.broker import WAIT_S, Broker, controller, free_port
from tests.integration.mqtt.conftest import CONNACK, TOPICS, config_for, device, scripted_broker

pytestmark = pytest.mark.broker


def test_a_message_arrives_with_all_that_belongs_to_it(broker: Broker) -> None:
    """Topic, payload, where to answer, what is left of its expiry."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        assert lobby.up() == LinkUp(is_resumed=False)
        kiosk.publish(
            "edged/lobby/speak/high", "你好", reply_topic="kiosk/1", correlation=b"\x00\x01", expiry_s=60
        )
        message = lobby.message()
    assert (message.topic, message.payload.decode()) == ("edged/lobby/speak/high", "你好")
    assert message.reply_to == ReplyTo("kiosk/1", b"\x00\x01")
    assert message.expiry_s is not None
    assert 0 < message.expiry_s <= 60
    assert (message.is_retained, message.delivery.qos, message.delivery.is_redelivery) == (False, 1, False)


def test_controllers_that_speak_mqtt_3_are_heard(broker: Broker) -> None:
    """They have no response topic; everything else is the same."""
    old = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv311)
    with device(config_for(broker)) as lobby:
        lobby.up()
        old.connect(broker.host, broker.port)
        old.loop_start()
        old.publish("edged/lobby/speak", "hello", qos=1).wait_for_publish(WAIT_S)
        message = lobby.message()
        old.disconnect()
        old.loop_stop()
    assert (message.payload, message.reply_to, message.expiry_s) == (b"hello", None, None)


def test_an_answer_carries_the_correlation_data(broker: Broker) -> None:
    """To the sender's own topic, with an expiry, not retained."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.subscribe("kiosk/1")
        lobby.client.publish("kiosk/1", b"done", expiry_s=60, correlation=b"\x07")
        answer = kiosk.next()
    assert answer.payload == b"done"
    assert getattr(answer.properties, "CorrelationData", None) == b"\x07"
    assert getattr(answer.properties, "MessageExpiryInterval", None) == 60
    assert answer.retain is False


def test_a_response_topic_that_cannot_be_published_to_is_ignored(broker: Broker) -> None:
    """The announcement is heard all the same, and the answer does not break the connection."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.publish("edged/lobby/speak", "hi", reply_topic="")
        assert lobby.message().reply_to is None


def test_a_response_topic_that_a_broker_would_end_the_connection_for_is_ignored(broker: Broker) -> None:
    """mosquitto does so behind 200 levels, and again at each reconnect, as the answer is sent again."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        for levels in (101, 100):
            kiosk.publish("edged/lobby/speak", "hi", reply_topic="/".join("a" * levels))
        assert lobby.message().reply_to is None
        assert lobby.message().reply_to is not None


def test_one_publish_is_delivered_once_whatever_filters_match(broker: Broker) -> None:
    """The device, its group and `all` are listened on; each publish comes once, in order."""
    topics = ["edged/all/speak", "edged/group/ground/speak/high", "edged/lobby/speak", "edged/all/cmd/stop"]
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        for topic in topics:
            kiosk.publish(topic, "x")
        kiosk.publish("edged/lobby/speak", "last")
        heard = [lobby.message() for _ in range(len(topics) + 1)]
    assert [message.topic for message in heard[:-1]] == topics
    assert heard[-1].payload == b"last"


def test_messages_sent_while_we_were_away_arrive(broker: Broker) -> None:
    """The broker keeps our session: stopped, published, started, heard."""
    with device(config_for(broker)) as lobby:
        lobby.up()
    with controller(broker) as kiosk:
        kiosk.publish("edged/lobby/speak", "one")
        kiosk.publish("edged/lobby/speak", "two")
    with device(config_for(broker)) as lobby:
        assert lobby.up() == LinkUp(is_resumed=True)
        assert [lobby.message().payload for _ in range(2)] == [b"one", b"two"]


def test_more_messages_than_the_window_holds_all_arrive(broker: Broker) -> None:
    """Acknowledgements let the next ones in."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        for i in range(100):
            kiosk.publish("edged/lobby/speak", str(i), qos=0 if i % 10 == 9 else 1)
        heard = [int(lobby.message().payload) for _ in range(100)]
    assert sorted(heard) == list(range(100))


def test_state_is_published_again_after_a_broker_lost_everything(tmp_path: Path) -> None:
    """A restarted broker without persistence: we subscribe again and tell our state again."""
    with Broker(tmp_path, is_persistent=False) as broker, device(config_for(broker)) as lobby:
        lobby.client.retain(TOPICS.state, b"online")
        lobby.client.retain(TOPICS.info, b"info")
        lobby.up()
        broker.kill()
        lobby.next(LinkDown)
        broker.start()
        assert lobby.up() == LinkUp(is_resumed=False)
        with controller(broker) as kiosk:
            kiosk.subscribe("edged/lobby/+")
            assert {kiosk.next().payload for _ in range(2)} == {b"online", b"info"}
            kiosk.publish("edged/lobby/speak", "hello again")
            assert lobby.message().payload == b"hello again"


def test_only_the_newest_state_is_published(broker: Broker) -> None:
    """Changes while the broker was away do not arrive late and out of order."""
    with device(config_for(broker)) as lobby:
        lobby.up()
        broker.kill()
        lobby.next(LinkDown)
        for i in range(50):
            lobby.client.retain(TOPICS.state, f"state {i}".encode())
        broker.start()
        lobby.up()
        with controller(broker) as kiosk:
            kiosk.subscribe(TOPICS.state)
            states = [kiosk.next().payload]
            while states[-1] != b"state 49":
                states.append(kiosk.next().payload)
    assert set(states) <= {b"offline", b"state 49"}


def test_results_wait_for_the_broker(broker: Broker) -> None:
    """More than it takes at once: they are kept while it is away and sent in order as fast as it lets us."""
    with controller(broker, session="kiosk") as kiosk:
        kiosk.subscribe("edged/lobby/result/#")
        broker.stop()
        with device(config_for(broker)) as lobby:
            lobby.next(LinkDown)
            for i in range(200):
                lobby.client.publish(f"edged/lobby/result/{i}", str(i).encode())
            broker.start()
            heard = [int(kiosk.next().payload) for _ in range(200)]
    assert heard == list(range(200))


def test_results_that_a_broker_did_not_acknowledge_are_sent_again(broker: Broker) -> None:
    """It hangs, dies, and comes back: nothing is missing."""
    with controller(broker, session="kiosk") as kiosk:
        kiosk.subscribe("edged/lobby/result/#")
        broker.stop()  # which writes the subscription to its disk
        broker.start()
        with device(config_for(broker)) as lobby:
            lobby.up()
            broker.pause()
            for i in range(200):
                lobby.client.publish(f"edged/lobby/result/{i}", str(i).encode())
            broker.kill()
            lobby.next(LinkDown)
            broker.start()
            heard: set[int] = set()
            while len(heard) < 200:
                heard.add(int(kiosk.next().payload))
    assert lobby.client.counters.connects == 2


def test_retained_announcements_are_marked(broker: Broker) -> None:
    """Stored before we came, or retained while we listen: both can be told apart from a live one."""
    with controller(broker) as kiosk:
        kiosk.publish("edged/lobby/speak", "stored", is_retained=True)
        with device(config_for(broker)) as lobby:
            lobby.up()
            assert (lobby.message().is_retained, lobby.client.is_up) == (True, True)
            kiosk.publish("edged/lobby/speak", "live", is_retained=True)
            assert lobby.message().is_retained
            kiosk.publish("edged/lobby/speak", "normal")
            assert not lobby.message().is_retained


def test_a_stored_announcement_comes_once_per_session(broker: Broker) -> None:
    """Reconnecting does not bring it again, so it is warned of once."""
    with controller(broker) as kiosk:
        kiosk.publish("edged/lobby/speak", "stored", is_retained=True)
        with device(config_for(broker)) as lobby:
            lobby.up()
            assert lobby.message().is_retained
        with device(config_for(broker)) as lobby:
            assert lobby.up() == LinkUp(is_resumed=True)
            kiosk.publish("edged/lobby/speak", "live")
            assert lobby.message().payload == b"live"


def test_an_acknowledgement_of_a_lost_connection_is_dropped(broker: Broker) -> None:
    """The broker has sent the message again under the new connection; only that one can be acknowledged."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.publish("edged/lobby/speak", "hi")
        first = lobby.next(Message)
        broker.stop()
        lobby.next(LinkDown)
        broker.start()
        lobby.up()
        second = lobby.next(Message)
        assert second.delivery.is_redelivery
        assert second.delivery.packet_id == first.delivery.packet_id
        lobby.client.ack(first.delivery)
        lobby.client.ack(second.delivery)
    assert lobby.client.counters.stale_acks == 1
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.publish("edged/lobby/speak", "next")
        assert lobby.message().payload == b"next"


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xff\xfe", b'{"text":"abc', b"\x00" * 1000, b"{" * 100_000, b"x" * (MAX_PACKET_BYTES - 1000)],
    ids=["empty", "no UTF-8", "cut off", "zeros", "nested", "as large as allowed"],
)
def test_any_payload_is_handed_on(broker: Broker, payload: bytes) -> None:
    """What it means is decided elsewhere; the network thread goes on."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.publish("edged/lobby/speak", payload)
        assert lobby.message().payload == payload
        kiosk.publish("edged/lobby/speak", "next")
        assert lobby.message().payload == b"next"
        assert lobby.client.is_alive()


def test_a_packet_over_the_announced_size_never_arrives(broker: Broker) -> None:
    """The broker drops it; the next one is heard."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.publish("edged/lobby/speak", b"x" * (MAX_PACKET_BYTES + 1))
        kiosk.publish("edged/lobby/speak", "next")
        assert lobby.message().payload == b"next"


@pytest.mark.parametrize("kinds", [[Message], [LinkUp], [Message, LinkDown]], ids=str)
def test_a_fault_in_the_receiver_costs_a_connection_not_the_thread(
    broker: Broker, kinds: list[type[MqttEvent]]
) -> None:
    """Whatever it fails at, the unacknowledged message comes again after the reconnect."""
    faults = list(kinds)
    heard: Queue[Message] = Queue()
    listening = threading.Event()

    def deliver(event: MqttEvent) -> None:
        if faults and isinstance(event, faults[0]):
            raise RuntimeError(f"wrong at {faults.pop(0).__name__}")
        if isinstance(event, Listening):
            listening.set()
        if isinstance(event, Message):
            heard.put(event)

    with device(config_for(broker), deliver) as lobby, controller(broker) as kiosk:
        assert listening.wait(WAIT_S)
        kiosk.publish("edged/lobby/speak", "hi")
        assert heard.get(timeout=WAIT_S).payload == b"hi"
        assert faults == []
        assert lobby.client.counters.connects == 2


def test_a_broker_that_comes_later_is_found(tmp_path: Path) -> None:
    """Absent at the start: told once with what to check, and tried again until it is there."""
    port = free_port()
    with device(MqttConfig(host="127.0.0.1", port=port)) as lobby:
        error = lobby.next(LinkDown).error
        assert "Connection refused" in error.what
        assert "mqtt.host" in error.hint
        assert not lobby.client.is_up
        with Broker(tmp_path, port=port):
            lobby.up()
            assert lobby.client.is_up


def test_a_wrong_password_is_told_with_the_user_and_the_key(tmp_path: Path) -> None:
    """And the thread lives on to try again slowly."""
    password = tmp_path / "password"
    password.write_text("wrong\n")
    with Broker(tmp_path, users={"lobby": "right"}) as broker:
        with device(config_for(broker, username="lobby", password_file=password)) as lobby:
            error = lobby.next(LinkDown).error
            assert "Not authorized (user: 'lobby')" in error.what
            assert "mqtt.password_file" in error.hint
            assert lobby.client.is_alive()
        password.write_text("right\n")
        with device(config_for(broker, username="lobby", password_file=password)) as lobby:
            lobby.up()


def test_a_corrected_password_is_used_without_a_restart(tmp_path: Path) -> None:
    """The file is read at each connect."""
    port = free_port()
    password = tmp_path / "password"
    password.write_text("wrong\n")
    config = MqttConfig(host="127.0.0.1", port=port, username="lobby", password_file=password)
    with device(config) as lobby:
        lobby.next(LinkDown)
        password.write_text("right\n")
        with Broker(tmp_path, users={"lobby": "right"}, port=port):
            lobby.up()


def test_a_session_taken_over_in_silence_is_a_hint(broker: Broker) -> None:
    """Two boards cloned from one image: some brokers just cut the connection, so we say what it may be."""
    with device(config_for(broker)) as first:
        first.up()
        with device(config_for(broker)) as second:
            second.up()
            error = first.next(LinkDown).error
    assert "the connection broke" in error.what
    assert "another client connect as 'edged-lobby'" in error.hint


def test_stop_ends_without_a_broker() -> None:
    """Nobody answers, the thread ends all the same."""
    with device(MqttConfig(host="127.0.0.1", port=free_port())) as lobby:
        lobby.next(LinkDown)
        lobby.client.publish("edged/lobby/result/x", b"never sent")
    assert not lobby.client.is_alive()


def test_stop_ends_with_a_broker_that_is_silent() -> None:
    """It accepts the connection and says nothing, as a hung broker does."""
    with scripted_broker() as silent, device(config_for(silent)) as lobby, silent.accept()[0] as connection:
        connection.recv(1)
        lobby.client.stop()
        assert not lobby.client.is_alive()


def test_the_last_words_arrive(broker: Broker) -> None:
    """What was queued right before the stop is sent, and the will is not."""
    with controller(broker) as kiosk:
        kiosk.subscribe("edged/lobby/#")
        with device(config_for(broker)) as lobby:
            lobby.up()
            for i in range(50):
                lobby.client.publish(f"edged/lobby/result/{i}", b"cut off")
            lobby.client.retain(TOPICS.state, b"stopping")
        heard = {kiosk.next().topic for _ in range(51)}
    assert heard == {TOPICS.state, *(f"edged/lobby/result/{i}" for i in range(50))}


def test_counters_count(broker: Broker) -> None:
    """For the health record."""
    with device(config_for(broker)) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.subscribe("answers")
        kiosk.publish("edged/lobby/speak", "hi")
        lobby.message()
        lobby.client.publish("answers", b"x")
        kiosk.next()
    counters = lobby.client.counters
    assert (counters.connects, counters.received, counters.published) == (1, 1, 1)


def test_being_deaf_is_told() -> None:
    """A broker may accept us and refuse the subscriptions (its access list): the filters are named."""
    reasons = bytes([1, *[0x87] * (len(TOPICS.filters) - 1)])  # the first granted, the others not authorised
    with scripted_broker() as server, device(config_for(server)) as lobby, server.accept()[0] as connection:
        connection.recv(4096)  # CONNECT
        connection.sendall(CONNACK)
        packet_id = connection.recv(4096)[3:5]  # SUBSCRIBE: type, length (two bytes), packet id
        connection.sendall(bytes([0x90, 3 + len(reasons)]) + packet_id + b"\x00" + reasons)
        lobby.next(LinkUp)
        assert lobby.next(SubscriptionRefused).filters == TOPICS.filters[1:]


def packet_types(stream: BinaryIO, last: int) -> list[int]:
    """Types of the packets that come, up to the first of type `last`."""
    types: list[int] = []
    while not types or types[-1] != last:
        types.append(stream.read(1)[0] >> 4)
        length = shift = 0
        while (digit := stream.read(1)[0]) & 0x80:
            length, shift = length | (digit & 0x7F) << shift, shift + 7
        stream.read(length | digit << shift)
    return types


def test_no_more_publishes_are_in_flight_than_the_broker_allows() -> None:
    """Its Receive Maximum is a promise of ours: a broker may cut off who breaks it."""
    publish, puback = 3, 4
    with scripted_broker() as server, device(config_for(server)) as lobby, server.accept()[0] as connection:
        for i in range(5):
            lobby.client.publish("r", str(i).encode())
        connection.recv(4096)
        connection.sendall(b"\x20\x06\x00\x00\x03\x21\x00\x02")  # CONNACK with Receive Maximum 2
        connection.sendall(b"\x32\x07\x00\x01t\x00\x09\x00x")  # PUBLISH on t, QoS 1, packet id 9
        lobby.next(LinkUp)
        message = lobby.next(Message)
        stream = connection.makefile("rb")
        for _ in range(2):
            packet_types(stream, last=publish)
        lobby.client.ack(message.delivery)
        assert packet_types(stream, last=puback) == [puback]
        connection.sendall(b"\x40\x02\x00\x03")  # PUBACK of packet 3; 1 and 2 were SUBSCRIBE
        assert packet_types(stream, last=publish) == [publish]


def test_a_session_taken_over_is_named_when_the_broker_says_so() -> None:
    """MQTT 5 has a reason for it, and trying again at once would only take the session back."""
    with scripted_broker() as server, device(config_for(server)) as lobby, server.accept()[0] as connection:
        connection.recv(4096)
        connection.sendall(CONNACK)
        lobby.next(LinkUp)
        connection.sendall(b"\xe0\x01\x8e")  # DISCONNECT: session taken over
        error = lobby.next(LinkDown).error
    assert "another client connected as 'edged-lobby'" in error.what
    assert "device.id" in error.hint


def test_nonsense_from_the_broker_costs_a_connection_not_the_thread() -> None:
    """A packet that is none: the next connection is tried."""
    with scripted_broker() as server, device(config_for(server)) as lobby:
        with server.accept()[0] as connection:
            connection.recv(4096)
            connection.sendall(b"\x20\x05\x00\x00\x02\xfe\xfe" + b"\x30\x03\xff\xff\xff")
            lobby.next(LinkDown)
        with server.accept()[0] as connection:
            connection.recv(4096)
            connection.sendall(CONNACK)
            lobby.next(LinkUp)
