"""The whole daemon: real mosquitto, real libasound, three real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clocked_sink import ClockedSink
from tests.integration.broker import WAIT_S, Broker
from tests.integration.running_daemon import DEVICE, EDGED, RunningDaemon, wait_gone
from tests.integration.sound import RATE_HZ, is_beginning, is_same, recorded_sound, sounds_in, spoken

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

# 20 sentences of 10 tones: 23 s of sound
LONG = "One two three. " * 20


def test_what_is_published_is_what_is_heard(recorded: RunningDaemon) -> None:
    """A request goes through all three processes and comes out of ALSA as the engine made it, at 48 kHz."""
    text = "请A015号到3号窗口。Gate 12 is open."
    recorded.speak(text, id="a")
    result = recorded.result("a")
    (heard,) = sounds_in(recorded.folder)
    assert result["status"] == "finished"
    assert (result["voice"], result["device"], result["warnings"]) == ("tone", DEVICE, [])
    assert abs(result["audio_ms"] - len(heard) * 1000 / RATE_HZ) < 500  # but for the pause at the end
    assert is_same(heard, spoken(text))


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ('{"id":"x","text":"abc', "bad_json"),
        (b'{"id":"x","text":"\xff"}', "bad_utf8"),
        ('{"id":"x","text":""}', "empty"),
        ('{"id":"x","text":"   "}', "empty"),
        ('{"id":"x","text":"☃☃"}', "empty"),
        ('{"id":"x","text":"%s"}' % ("long " * 2000), "too_long"),
        ('{"id":"x","text":5}', "bad_field"),
        ('{"id":"x","text":"a","speed":"fast"}', "bad_field"),
        ('{"id":"x y","text":"a"}', "bad_field"),
    ],
    ids=["broken json", "not utf-8", "empty", "blank", "symbols", "10000 chars", "number", "type", "id"],
)
def test_bad_input_is_answered_and_loses_nothing_else(
    recorded: RunningDaemon, payload: bytes | str, code: str
) -> None:
    """A stable code for every bad request, and the next good one is spoken."""
    recorded.controller.publish(f"edged/{DEVICE}/speak", payload)
    recorded.speak("Good", id="good")
    assert recorded.result("good")["status"] == "finished"
    bad = [result for result in recorded.results() if result["id"] != "good"]
    assert [(result["status"], result["code"]) for result in bad] == [("rejected", code)]


def test_clearing_a_retained_topic_asks_for_nothing(recorded: RunningDaemon) -> None:
    """What is retained is refused aloud; the empty message that clears it has no result."""
    topic = f"edged/{DEVICE}/speak"
    recorded.controller.publish(topic, '{"id":"kept","text":"again and again"}', is_retained=True)
    assert recorded.result("kept")["code"] == "retained"
    recorded.controller.publish(topic, b"", is_retained=True)
    recorded.speak("Good", id="good")
    assert recorded.result("good")["status"] == "finished"
    assert {result["id"] for result in recorded.results()} == {"kept", "good"}


def test_unknown_voice_is_spoken_with_a_warning(recorded: RunningDaemon) -> None:
    """Never silence because of a name."""
    recorded.speak("Hello", id="a", voice="nobody")
    result = recorded.result("a")
    assert (result["status"], result["voice"]) == ("finished", "tone")
    assert result["warnings"] == ["voice_fallback: nobody"]


def test_bare_text_is_spoken(recorded: RunningDaemon) -> None:
    """`mosquitto_pub -m hello` just works; the id given to it is in the result."""
    recorded.controller.publish(f"edged/{DEVICE}/speak", "hello")
    recorded.wait_results(1)
    (result,) = recorded.results()
    assert result["status"] == "finished"


def test_a_stop_ends_the_whole_announcement(daemon: RunningDaemon) -> None:
    """All sentences of the current id end, its result says so, and what waits is spoken."""
    daemon.speak(LONG, id="long")
    daemon.speak("Next", id="next")
    daemon.wait_speaking("long")
    daemon.command("stop")
    assert daemon.result("long")["status"] == "cancelled"
    assert daemon.result("next")["status"] == "finished"


def test_a_pause_holds_everything(daemon: RunningDaemon, sink: ClockedSink) -> None:
    """The current announcement falls silent and goes on at the resume; what waits goes on waiting."""
    text = "One two three. " * 3
    with sink.record() as recording:
        daemon.speak(text, id="a")
        recording.until_heard(RATE_HZ // 2, WAIT_S)
        daemon.command("pause")
        before = recorded_sound(recording.until_silent(RATE_HZ, WAIT_S))
        daemon.wait_stage("a", "paused")
        daemon.speak("Next", id="next")
        daemon.command("resume")
        assert daemon.result("a")["status"] == "finished"
        assert daemon.result("next")["status"] == "finished"
        heard = recorded_sound(recording.until_silent(RATE_HZ, WAIT_S))
    assert is_beginning(before, spoken(text))
    rest = len(spoken(text)) - len(before)  # what had not begun to fade
    resumed = heard[: -len(spoken("Next"))]
    assert is_same(heard[-len(spoken("Next")) :], spoken("Next"))
    assert is_same(np.trim_zeros(resumed, "b")[-rest:], spoken(text)[-rest:])


def test_an_emergency_is_spoken_in_a_pause(daemon: RunningDaemon) -> None:
    """It ends the paused announcement; the queue stays paused until the resume."""
    daemon.speak(LONG, id="long")
    daemon.wait_stage("long", "speaking")
    daemon.command("pause")
    daemon.wait_stage("long", "paused")
    daemon.speak("Next", id="next")
    daemon.speak("Fire", id="fire", priority="emergency")
    assert daemon.result("long")["status"] == "interrupted"
    assert daemon.result("fire")["status"] == "finished"
    assert not any(result["id"] == "next" for result in daemon.results())
    daemon.command("resume")
    assert daemon.result("next")["status"] == "finished"


@pytest.mark.parametrize(("worker", "code"), [("synth", "engine_crashed"), ("player", "audio_lost")])
def test_a_killed_child_fails_its_announcement_and_comes_back(
    daemon: RunningDaemon, worker: str, code: str
) -> None:
    """kill -9 in mid-sentence: the documented result, then speech works again."""
    daemon.speak(LONG, id="long")
    daemon.wait_speaking("long")
    child = daemon.child(worker)
    child.kill()
    result = daemon.result("long")
    assert (result["status"], result["code"]) == ("failed", code)
    daemon.speak("Again", id="again")
    assert daemon.result("again")["status"] == "finished"
    assert daemon.child(worker).pid != child.pid
    wait_gone(child)


def test_a_killed_main_loses_nothing_and_repeats_nothing(daemon: RunningDaemon) -> None:
    """kill -9 of main: what was being said is reported, what waited is said, nothing is left over."""
    daemon.speak(LONG, id="long")
    daemon.speak("Waited", id="waited")
    daemon.wait_sounding(LONG, "long")
    children = [daemon.child("synth"), daemon.child("player")]
    daemon.kill()
    wait_gone(*children)
    daemon.start()
    long = daemon.result("long")
    assert (long["status"], long["code"]) == ("failed", "interrupted_by_restart")
    assert daemon.result("waited")["status"] == "finished"


def test_requests_published_while_it_was_away_are_spoken(recorded: RunningDaemon) -> None:
    """The broker keeps them for our session; a clean stop says offline."""
    assert recorded.stop() == 0
    recorded.wait_state("offline")
    recorded.speak("Welcome back", id="a")
    recorded.start()
    assert recorded.result("a")["status"] == "finished"


def test_a_stop_of_the_service_leaves_no_process(daemon: RunningDaemon) -> None:
    """SIGTERM in mid-sentence: the announcement ends with a result, both children go, status 0."""
    daemon.speak(LONG, id="long")
    daemon.wait_speaking("long")
    children = [daemon.child("synth"), daemon.child("player")]
    assert daemon.stop() == 0
    wait_gone(*children)
    assert daemon.result("long")["code"] == "interrupted_by_restart"


def test_a_reload_takes_over_between_announcements(daemon: RunningDaemon) -> None:
    """SIGHUP does not cut off what is being said; what waits is said with the new configuration."""
    daemon.speak("One two three. " * 3, id="before")
    daemon.speak("Hello there", id="after")
    daemon.wait_speaking("before")
    daemon.change_settings("speech: {engine: tone, max_text_chars: 5}\n")
    daemon.reload()
    assert daemon.result("before")["status"] == "finished"
    assert daemon.result("after")["status"] == "finished"
    daemon.speak("Hello there", id="long")
    assert daemon.result("long")["code"] == "too_long"


def test_a_stop_outranks_a_reload_that_waits(daemon: RunningDaemon) -> None:
    """SIGTERM after SIGHUP in mid-announcement ends the process; it does not start over."""
    daemon.speak(LONG, id="long")
    daemon.wait_speaking("long")
    daemon.reload()
    daemon.wait_log("takes over after the current announcement")
    assert daemon.stop() == 0
    assert daemon.result("long")["code"] == "interrupted_by_restart"


def test_a_reload_cannot_undo_a_stop(daemon: RunningDaemon) -> None:
    """SIGHUP while SIGTERM is being obeyed: the process ends all the same."""
    daemon.speak(LONG, id="long")
    daemon.wait_speaking("long")
    daemon.terminate()
    daemon.reload()
    assert daemon.wait_ended() == 0


def test_a_device_that_is_renamed_leaves_no_ghost(recorded: RunningDaemon, broker: Broker) -> None:
    """The state retained under its old name says that it is gone."""
    recorded.write_config(recorded.config.read_text().replace(f"id: {DEVICE}", "id: lobby"), "")
    recorded.reload()
    assert recorded.wait_state("offline")["state"] == "offline"


def test_a_result_the_broker_never_got_is_sent_by_the_next_process(
    daemon: RunningDaemon, broker: Broker
) -> None:
    """Finished while the broker was away, then kill -9: exactly one result, when both are back."""
    daemon.speak("One two three. " * 2, id="a")
    daemon.wait_speaking("a")
    broker.stop()
    daemon.wait_log("a: finished")
    daemon.kill()
    broker.start()
    daemon.start()
    assert daemon.result("a")["status"] == "finished"
    for once_more in ("b", "c"):  # a second "a" would be an error
        daemon.speak("Hello", id=once_more)
        assert daemon.result(once_more)["status"] == "finished"
        assert daemon.stop() == 0
        daemon.start()


def test_a_bad_reload_changes_nothing(recorded: RunningDaemon) -> None:
    """A typo in the file is logged with its line; speech goes on as before."""
    recorded.change_settings("speech: {engine: tine}\n")
    recorded.reload()
    recorded.wait_log("reload refused", "speech.engine = 'tine'")
    recorded.speak("Hello", id="a")
    assert recorded.result("a")["status"] == "finished"


def test_status_tells_state_and_health(recorded: RunningDaemon) -> None:
    """`edged status --json` asks the running daemon, over its local socket."""
    command = [EDGED, "status", "--json", "--config", str(recorded.config)]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert document["state"]["state"] == "online"
    assert set(document["health"]["rss_mb"]) == {"main", "synth", "player"}
    recorded.stop()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 69
    assert "no daemon answers" in done.stderr


def test_a_second_daemon_is_refused(recorded: RunningDaemon) -> None:
    """With the same folders it would fight the first one for journal, device and session."""
    command = [EDGED, "run", "--config", str(recorded.config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT_S)
    assert done.returncode == 75
    assert "another edged runs" in done.stderr
    recorded.speak("Hello", id="a")
    assert recorded.result("a")["status"] == "finished"


def test_a_hanging_child_is_replaced(recorded: RunningDaemon) -> None:
    """A player that is stopped dead in its tracks is killed; main, MQTT and the queue go on."""
    player = recorded.child("player")
    player.send_signal(signal.SIGSTOP)
    recorded.speak("Hello", id="a")
    assert recorded.result("a")["code"] == "audio_lost"
    wait_gone(player)
    recorded.speak("Again", id="b")
    assert recorded.result("b")["status"] == "finished"


def test_without_a_broker_it_waits_for_one(tmp_path: Path, broker: Broker, sink: ClockedSink) -> None:
    """No broker at the start is no reason to end: it connects when there is one."""
    broker.stop()
    config = tmp_path / "edged.yaml"
    config.write_text(
        f"device: {{id: {DEVICE}}}\nmqtt: {{port: {broker.port}, host: {broker.host}}}\n"
        "paths: {state_dir: s, runtime_dir: r, cache_dir: c, models_dir: m}\nspeech: {engine: tone}\n"
    )
    env = {**os.environ, **sink.env}
    with subprocess.Popen([EDGED, "run", "--config", config], stderr=subprocess.PIPE, env=env) as process:
        assert process.stderr is not None
        assert any(b"Connection refused" in line for line in process.stderr)
        broker.start()
        assert any(b"connected to" in line for line in process.stderr)
        process.terminate()
        process.stderr.read()
        assert process.wait(WAIT_S) == 0
