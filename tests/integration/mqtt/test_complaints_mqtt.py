"""Faults that users of other systems reported about delivery over MQTT, replayed against edged.

Each name says what went wrong elsewhere; the docstring says what is right, and where it was reported.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.clocked_sink import ClockedSink, poll_until
from edged.io.mqtt import LinkDown, LinkUp, MqttEvent, SessionShared
from tests.integration.broker import WAIT_S, Broker, controller
from tests.integration.cable import Cable
from tests.integration.mqtt.conftest import TOPICS, Device, board, config_for, device
from tests.integration.running_daemon import DEVICE

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

both_versions = pytest.mark.parametrize("version", ["5", "3.1.1"])


def retained(broker: Broker, topic: str) -> dict[str, Any]:
    """What somebody who comes now is told there."""
    with controller(broker) as newcomer:
        newcomer.subscribe(topic)
        message = newcomer.next()
        record: dict[str, Any] = json.loads(message.payload)
        return record


def wait_retained(broker: Broker, topic: str, state: str) -> None:
    """Until a newcomer is told this state."""
    poll_until(lambda: retained(broker, topic)["state"] == state, f"not {state}", WAIT_S)


def test_01_a_retained_announcement_was_repeated_at_every_start(tmp_path: Path, broker: Broker) -> None:
    """Refused once, with one warning (thess/callattendant#43)."""
    with board(tmp_path, broker, is_started=False) as daemon:
        topic = f"edged/{DEVICE}/speak"
        daemon.controller.publish(topic, '{"id":"kept","text":"again"}', is_retained=True)
        for i in range(2):
            daemon.start()
            daemon.speak("Good", id=f"good-{i}")
            assert daemon.result(f"good-{i}")["status"] == "finished"
            daemon.stop()
        assert daemon.result("kept")["code"] == "retained"  # a second one would have failed in result()
        assert daemon.log.read_text().count("refused retained") == 1


@both_versions
def test_02_overlapping_filters_delivered_twice(tmp_path: Path, broker: Broker, version: str) -> None:
    """Device, `all` and group are listened on: one publish is one announcement (mqttjs/MQTT.js#545)."""
    addresses = [f"edged/{DEVICE}", "edged/all", "edged/group/ground"]
    with board(tmp_path, broker, version=version) as daemon:
        for address in addresses:
            daemon.controller.publish(f"{address}/speak", f"by {address}")
        daemon.speak("last", id="last")
        daemon.result("last")
        assert len(daemon.results()) == len(addresses) + 1


@both_versions
def test_03_what_was_not_acknowledged_in_time_was_said_again(
    tmp_path: Path, broker: Broker, version: str
) -> None:
    """The PUBACK is lost with the connection: the broker sends it again (upstage-org/upstage#251).

    With an id and without one, the second arrival is no second announcement.
    """
    with Cable(broker.port) as cable, board(tmp_path, broker, version=version, port=cable.port) as daemon:
        cable.swallow()
        daemon.controller.publish(f"edged/{DEVICE}/speak", "without id")
        daemon.speak("with id", id="one")
        daemon.wait_log("finished")
        cable.pull()
        poll_until(lambda: daemon.log.read_text().count("a duplicate") == 2, "not sent again", WAIT_S)
        daemon.speak("after it", id="two")
        daemon.wait_log("two: finished")
        lines = daemon.log.read_text().splitlines()
        assert sum(line.endswith(": finished") for line in lines) == 3


def test_04_what_was_sent_while_the_client_was_away_never_arrived(tmp_path: Path, broker: Broker) -> None:
    """It does, after a restart of the process, unless its time is over (eclipse/paho#542, #877)."""
    with board(tmp_path, broker) as daemon:
        daemon.stop()
        daemon.speak("for the next start", id="kept")
        daemon.controller.publish(f"edged/{DEVICE}/speak", '{"id":"late","text":"too late"}', expiry_s=1)
        over_s = time.monotonic() + 2.0
        poll_until(lambda: time.monotonic() > over_s, "time stands still", WAIT_S)
        daemon.start()
        assert daemon.result("kept")["status"] == "finished"
        daemon.speak("live", id="live")
        daemon.result("live")
        assert {result["id"] for result in daemon.results()} == {"kept", "live"}


@both_versions
def test_05_after_a_broker_restart_connected_but_deaf(tmp_path: Path, version: str) -> None:
    """Subscribed again when the broker has no session of ours any more (eclipse/mosquitto#2265)."""
    with Broker(tmp_path, is_persistent=False) as broker, board(tmp_path, broker, version=version) as daemon:
        broker.kill()
        daemon.wait_log("the connection broke")
        broker.start()
        poll_until(lambda: daemon.log.read_text().count("connected to") == 2, "not back", WAIT_S)
        poll_until(lambda: is_heard(broker), "deaf", WAIT_S)


def is_heard(broker: Broker) -> bool:
    """A request to the device gets its result."""
    with controller(broker) as kiosk:
        kiosk.subscribe("kiosk/answer")
        kiosk.publish(f"edged/{DEVICE}/speak", "Do you hear me?", reply_topic="kiosk/answer")
        kiosk.subscribe(f"edged/{DEVICE}/result/#")
        return bool(json.loads(kiosk.next().payload)["status"] == "finished")


def test_06_the_listener_died_of_broken_json(tmp_path: Path, broker: Broker) -> None:
    """Each is answered, and the next one is heard (paho#704)."""
    bad = [b'{"text":"abc', b"{", b"\xff\xfe", b'{"text":' + b"[" * 10_000, b'{"text": NaN}', b"{}" * 2]
    with board(tmp_path, broker) as daemon:
        for payload in bad:
            daemon.controller.publish(f"edged/{DEVICE}/speak", payload)
            daemon.controller.publish(f"edged/{DEVICE}/cmd/stop", payload)
        daemon.speak("Good", id="good")
        assert daemon.result("good")["status"] == "finished"
        codes = [result["code"] for result in daemon.results() if result["id"] != "good"]
        assert len(codes) == len(bad)
        assert set(codes) <= {"bad_json", "bad_utf8", "bad_field"}


def test_07_the_network_thread_was_gone_and_nobody_noticed(broker: Broker) -> None:
    """An exception at a connect costs that connection (paho#692, #894)."""
    faults: list[type[MqttEvent]] = [LinkUp, LinkUp]
    with fragile_device(broker, faults) as lobby:
        lobby.up()
        assert (faults, lobby.client.counters.connects) == ([], 3)


def test_07_a_dead_link_is_noticed(broker: Broker) -> None:
    """A broker that says nothing any more: within 1.5 times the keep-alive, and found again afterwards."""
    with device(config_for(broker, keepalive_s=5)) as lobby:
        lobby.up()
        broker.pause()
        silent_since_s = time.monotonic()
        lobby.next(LinkDown)
        assert time.monotonic() - silent_since_s < 1.5 * 5 + 2.0  # a turn, and a busy machine
        broker.kill()
        broker.start()
        lobby.next(LinkUp)


@contextmanager
def fragile_device(broker: Broker, faults: list[type[MqttEvent]]) -> Iterator[Device]:
    """A device whose receiver fails at these events, each once."""
    kept: list[Device] = []

    def deliver(event: MqttEvent) -> None:
        if faults and isinstance(event, faults[0]):
            raise RuntimeError(f"wrong at {faults.pop().__name__}")
        if not isinstance(event, LinkDown):
            kept[0].keep(event)

    lobby = Device(config_for(broker), deliver)
    kept.append(lobby)
    lobby.client.start()
    try:
        yield lobby
    finally:
        lobby.client.stop()


def test_08_a_long_announcement_ended_the_connection(tmp_path: Path, broker: Broker) -> None:
    """Speech for longer than a broker waits for a word of ours, one connection (paho#379, #328)."""
    with (
        ClockedSink() as sink,
        board(tmp_path, broker, settings="speech: {engine: tone}\n", env=sink.env, keepalive_s=5) as daemon,
    ):
        daemon.speak("One two three. " * 5, id="long")
        assert daemon.result("long")["audio_ms"] > 5_000
        assert broker.log.read_text().count(f"as edged-{DEVICE} ") == 1


def test_09_a_crash_between_acknowledgement_and_work_lost_the_message(tmp_path: Path, broker: Broker) -> None:
    """kill -9 right after the publish: every one has its one result in the end (paho#348)."""
    ids = [f"r-{i}" for i in range(20)]
    with board(tmp_path, broker) as daemon:
        for request_id in ids[:10]:
            daemon.speak("Hello", id=request_id)
        daemon.kill()
        for request_id in ids[10:]:
            daemon.speak("Hello", id=request_id)
        daemon.start()
        for request_id in ids:
            result = daemon.result(request_id)
            assert result["status"] == "finished" or result["code"] == "interrupted_by_restart"


@both_versions
def test_10_offline_was_shown_although_it_was_back(tmp_path: Path, broker: Broker, version: str) -> None:
    """The will after a kill, and what a broker remembers (mosquitto#1223, zigbee2mqtt#4854)."""
    topic = f"edged/{DEVICE}/state"
    with board(tmp_path, broker, version=version) as daemon:
        daemon.kill()
        wait_retained(broker, topic, "offline")
        daemon.start()
        wait_retained(broker, topic, "online")
        broker.stop()
        broker.start()
        poll_until(lambda: daemon.log.read_text().count("connected to") == 3, "not back", WAIT_S)
        wait_retained(broker, topic, "online")


def test_11_retained_topics_were_lost_with_the_broker(tmp_path: Path) -> None:
    """State, info, health and discovery are there again, and discovery at Home Assistant's birth.

    (zigbee2mqtt#9629, #32067)
    """
    topics = [f"edged/{DEVICE}/{record}" for record in ("state", "info", "health")]
    discovery = f"homeassistant/device/{DEVICE}/config"
    with Broker(tmp_path, is_persistent=False) as broker, board(tmp_path, broker) as daemon:
        broker.kill()
        daemon.wait_log("the connection broke")
        broker.start()
        poll_until(lambda: daemon.log.read_text().count("connected to") == 2, "not back", WAIT_S)
        for topic in topics:
            assert retained(broker, topic)
        with controller(broker) as hub:
            hub.subscribe("homeassistant/device/+/config")
            assert hub.next().topic == discovery
            hub.publish("homeassistant/status", "online")
            assert hub.next().topic == discovery


@both_versions
def test_12_two_devices_with_one_client_id_kicked_each_other_for_ever(broker: Broker, version: str) -> None:
    """Told by name, and slowed down (emqx#151). mosquitto 2.0 does not say why it ends the connection."""
    config = config_for(broker, version=version)
    with device(config) as first:
        first.client.retain(TOPICS.state, b"state of the first")
        first.up()
        with device(config) as second:
            second.client.retain(TOPICS.state, b"state of the second")
            shared = next_shared(first)
            assert shared.error is not None
            assert "'edged-lobby': two boards share one device.id" in shared.error.what
            next_shared(second)
            # from here on each waits 15 s at least before it comes back
            assert first.client.counters.connects + second.client.counters.connects < 12


def next_shared(lobby: Device) -> SessionShared:
    """The news that somebody else uses our name, among the ups and downs."""
    while not isinstance(event := lobby.events.get(timeout=WAIT_S), SessionShared):
        pass
    return event


def test_12_two_daemons_with_one_device_id_say_so_in_their_state(tmp_path: Path, broker: Broker) -> None:
    """Where `edged fleet` and Home Assistant show it."""
    with board(tmp_path / "a", broker), board(tmp_path / "b", broker) as other:
        other.wait_reason("two boards share one device.id")


@both_versions
def test_13_each_reconnect_added_a_duplicate(broker: Broker, version: str) -> None:
    """After ten of them one publish is one message (domoticz PR#100)."""
    config = config_for(broker, version=version)
    for _ in range(10):
        with device(config) as lobby:
            lobby.up()
    with device(config) as lobby, controller(broker) as kiosk:
        lobby.up()
        kiosk.publish("edged/lobby/speak", "once")
        kiosk.publish("edged/lobby/speak", "the next")
        assert [lobby.message().payload for _ in range(2)] == [b"once", b"the next"]


@pytest.mark.parametrize("trouble", ["stopped", "hung"])
def test_14_stop_never_ended_while_the_broker_was_unreachable(
    tmp_path: Path, broker: Broker, trouble: str
) -> None:
    """Within 10 s, whatever the broker does (meshforge PR#718)."""
    with board(tmp_path, broker) as daemon:
        if trouble == "stopped":
            broker.stop()
            daemon.wait_log("the connection broke")
        else:
            broker.pause()
        begun_s = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - begun_s < 10.0
        if trouble == "hung":
            broker.kill()
