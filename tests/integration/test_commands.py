"""Commands on a real daemon: answered, obeyed, and what they set is still set after a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from edged.io.status_socket import read_status
from tests.integration.broker import Broker, Controller, controller
from tests.integration.running_daemon import DEVICE, RunningDaemon

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

ANSWERS = "desk/answers"
LONG = "One two three. " * 20
BIRTH = "homeassistant/status"
DISCOVERY = f"homeassistant/device/{DEVICE}/config"


class Desk:
    """A controller that gives commands and waits for the answer."""

    def __init__(self, client: Controller) -> None:
        self.client = client
        client.subscribe(f"{ANSWERS}/#")

    def command(self, verb: str, payload: str = "") -> dict[str, Any]:
        """Give one; the answer comes to our own topic."""
        self.client.publish(f"edged/{DEVICE}/cmd/{verb}", payload, reply_topic=ANSWERS, correlation=b"7")
        message = self.client.next()
        assert getattr(message.properties, "CorrelationData", None) == b"7"
        answer: dict[str, Any] = json.loads(message.payload)
        assert (answer["verb"], answer["device"]) == (verb, DEVICE)
        return answer


@pytest.fixture
def desk(broker: Broker) -> Iterator[Desk]:
    with controller(broker) as client:
        yield Desk(client)


def wait_state(daemon: RunningDaemon, **fields: Any) -> dict[str, Any]:
    """Hear until the state has these values; gives it."""
    daemon._hear_until(lambda: bool(daemon.states) and fields.items() <= daemon.states[-1].items())
    return daemon.states[-1]


def test_every_verb_is_answered(recorded: RunningDaemon, desk: Desk) -> None:
    """On the command's Response Topic with its Correlation Data, whatever becomes of it."""
    verbs = {
        "stop": "ok", "cancel": "rejected", "skip": "ok", "pause": "ok", "resume": "ok",
        "replay": "rejected", "volume": "rejected", "mute": "rejected", "voices": "ok", "test": "ok",
        "preload": "rejected", "update": "ok", "dance": "rejected", "reload": "ok",
    }  # fmt: skip
    assert {verb: desk.command(verb)["status"] for verb in verbs} == verbs


def test_the_answers_can_be_followed_live(recorded: RunningDaemon, broker: Broker, desk: Desk) -> None:
    """On the event topic, also of those who gave no Response Topic."""
    with controller(broker) as other:
        other.subscribe(f"edged/{DEVICE}/event")
        desk.client.publish(f"edged/{DEVICE}/cmd/volume", "30", qos=0)
        told = json.loads(other.next().payload)
    assert (told["verb"], told["status"]) == ("volume", "ok")


def test_what_is_set_survives_a_crash(recorded: RunningDaemon, desk: Desk) -> None:
    """Volume, mute and voice are those of before, in the state and in what is done."""
    desk.command("volume", "30")
    desk.command("mute", "on")
    assert desk.command("voices", "tone")["data"]["default"] == {"zh": "tone", "en": "tone"}
    wait_state(recorded, volume=30, muted=True, voice="tone")
    recorded.kill()
    recorded.start()
    wait_state(recorded, state="online", volume=30, muted=True, voice="tone")
    recorded.speak("Hello", id="a")
    assert recorded.result("a")["status"] == "muted"
    desk.command("mute", "off")
    recorded.speak("Hello", id="b")
    assert recorded.result("b")["status"] == "finished"


def test_a_reload_by_command_is_one_by_signal(recorded: RunningDaemon, desk: Desk) -> None:
    """A bad file is refused with its reason and changes nothing; a good one takes over."""
    recorded.change_settings("speech: {engine: tine}\n")
    refused = desk.command("reload")
    assert refused["status"] == "failed"
    assert "speech.engine = 'tine'" in refused["reason"]
    good = recorded.config.read_text().replace("tine", "tone")
    recorded.config.write_text(good.replace("mqtt: {", "mqtt: {username: edged, password_file: nowhere, "))
    assert "mqtt.password_file" in desk.command("reload")["reason"]
    recorded.change_settings("speech: {engine: tone, max_text_chars: 5}\n")
    recorded.states.clear()
    assert desk.command("reload")["status"] == "ok"
    wait_state(recorded, state="warming")
    recorded.speak("Hello there", id="long")
    assert recorded.result("long")["code"] == "too_long"


def test_a_reload_forgets_nothing(daemon: RunningDaemon, desk: Desk) -> None:
    """The pause goes on, what waits goes on waiting, and what was heard can be said again."""
    daemon.speak("Heard", id="heard")
    daemon.result("heard")
    desk.command("pause")
    daemon.speak("Hello", id="a")
    wait_state(daemon, paused=True, queue=1)
    daemon.states.clear()
    desk.command("reload")
    wait_state(daemon, state="warming")
    wait_state(daemon, state="online", paused=True, queue=1)
    desk.command("resume")
    assert daemon.result("a")["status"] == "finished"
    assert desk.command("replay", "heard")["status"] == "ok"


def test_what_was_missed_is_said_again(recorded: RunningDaemon, desk: Desk) -> None:
    """As a new announcement with a result of its own."""
    recorded.speak("Hello", id="a")
    recorded.result("a")
    again = desk.command("replay")["data"]["id"]
    first, second = recorded.result("a"), recorded.result(again)
    assert second["status"] == "finished"
    assert second["audio_ms"] == first["audio_ms"]


def test_the_doctor_looks_while_speech_goes_on(recorded: RunningDaemon, desk: Desk) -> None:
    """It runs beside the daemon, and its report is that of the command line."""
    desk.client.publish(f"edged/{DEVICE}/cmd/doctor", "", reply_topic=ANSWERS)
    recorded.speak("Hello", id="a")
    assert recorded.result("a")["status"] == "finished"
    answer = json.loads(desk.client.next().payload)
    assert answer["status"] == "ok"
    assert {"cpu", "audio", "openvino"} <= {section["name"] for section in answer["data"]["sections"]}


def test_quiet_hours_are_kept_by_the_clock(recorded: RunningDaemon) -> None:
    """All day long here; an emergency is spoken."""
    recorded.change_settings('speech: {engine: tone}\nqueue: {quiet_hours: "00:00-00:00"}\n')
    recorded.reload()
    recorded.wait_log("quiet hours begin")
    recorded.speak("Hello", id="a")
    recorded.speak("Fire", id="b", priority="emergency")
    assert recorded.result("a")["status"] == "muted"
    assert recorded.result("b")["status"] == "finished"


def test_integrations_stayed_unavailable_after_the_hub_restarted(
    recorded: RunningDaemon, broker: Broker
) -> None:
    """Home Assistant, started after us at a broker that lost everything, finds the device at its birth."""
    with controller(broker) as client:
        client.subscribe(DISCOVERY)
        assert json.loads(client.next().payload)["dev"]["name"] == DEVICE
        client.publish(DISCOVERY, b"", is_retained=True)
        assert client.next().payload == b""
        client.publish(BIRTH, "online")
        found = json.loads(client.next().payload)
    assert {"speak", "stop", "volume", "mute", "voice_zh", "problem"} <= set(found["cmps"])


def test_without_discovery_the_record_goes_away(recorded: RunningDaemon, broker: Broker) -> None:
    """And nobody is deaf to its own topics for it."""
    recorded.change_settings("speech: {engine: tone}\nhomeassistant: {discovery: false}\n")
    with controller(broker) as client:
        client.subscribe(DISCOVERY)
        assert client.next().payload
        recorded.reload()
        while client.next().payload:
            pass
    recorded.speak("Hello", id="a")
    assert recorded.result("a")["status"] == "finished"


def test_the_status_shows_what_waits_and_what_became_of_it(daemon: RunningDaemon, desk: Desk) -> None:
    """Of the running daemon, over its local socket."""
    daemon.speak(LONG, id="long")
    daemon.speak("Next", id="next", key="gate")
    wait_state(daemon, id="long", queue=1)
    document = read_status(daemon.folder / "run")
    (waiting,) = document["queue"]
    assert (waiting["id"], waiting["key"]) == ("next", "gate")
    desk.command("stop", "all")
    daemon.result("next")
    daemon.result("long")
    document = read_status(daemon.folder / "run")
    assert {result["id"]: result["status"] for result in document["results"]} == {
        "long": "cancelled",
        "next": "cancelled",
    }
