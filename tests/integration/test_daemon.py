"""The whole daemon: real mosquitto, real libasound, three real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clocked_sink import ClockedSink
from edged.audio import wav
from edged.engine.base import SynthJob
from edged.engine.tone import ToneEngine
from edged.text.front_end import to_spoken
from tests.integration.broker import WAIT_S, Broker
from tests.integration.running_daemon import DEVICE, EDGED, RunningDaemon, running_daemon, wait_gone

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

# synthesis is held back to 2 s ahead of playback, so that a long text keeps both children busy
TONE = "speech: {engine: tone, max_ahead_s: 2}\n"
# 20 sentences of 10 tones: 23 s of sound
LONG = "One two three. " * 20


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    with Broker(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def sink() -> Iterator[ClockedSink]:
    with ClockedSink() as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path, broker: Broker, sink: ClockedSink) -> Iterator[RunningDaemon]:
    """A daemon that plays tones in real time."""
    with running_daemon(tmp_path, broker, sink.env, TONE) as running:
        yield running


@pytest.fixture
def recorded(tmp_path: Path, broker: Broker) -> Iterator[RunningDaemon]:
    """A daemon that plays tones into WAV files, one an announcement, faster than real time."""
    heard = tmp_path / "heard.wav"
    # ALSA_CONFIG_PATH takes a space for the end of a name, and tests run in any folder
    with tempfile.TemporaryDirectory(dir="/tmp") as plain:
        asound = Path(plain) / "asound.conf"
        asound.write_text(
            "pcm.silence { type null }\n"
            f'pcm.!default {{ type file slave.pcm silence file "{heard}" format wav truncate false }}\n'
        )
        with running_daemon(tmp_path, broker, {"ALSA_CONFIG_PATH": str(asound)}, TONE) as running:
            yield running


def spoken_samples(text: str) -> np.ndarray:
    job = SynthJob("a", to_spoken(text).sentences, {"zh": "tone", "en": "tone"})
    return np.concatenate([chunk.samples for chunk in ToneEngine().synthesize(job)])


def test_what_is_published_is_what_is_heard(recorded: RunningDaemon) -> None:
    """A request goes through all three processes and comes out of ALSA as the engine made it, at 48 kHz."""
    text = "请A015号到3号窗口。Gate 12 is open."
    recorded.speak(text, id="a")
    result = recorded.result("a")
    heard = wav.decode((recorded.folder / "heard.wav").read_bytes())
    expected = spoken_samples(text)
    assert result["status"] == "finished"
    assert (result["voice"], result["device"], result["warnings"]) == ("tone", DEVICE, [])
    assert abs(result["audio_ms"] - len(expected) / 24) < 2
    assert heard.rate_hz == 48000
    # two samples of 48 kHz for one of 24 kHz; every second one lies on the original, but for the filter
    ours, theirs = expected, heard.mono()[: 2 * len(expected) : 2]
    assert np.corrcoef(ours[: len(theirs)], theirs)[0, 1] > 0.999


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
