"""Faults that users of other announcement systems have reported, replayed against the whole daemon.

Named for what went wrong elsewhere; the docstrings say what is right, and where it was reported.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.clocked_sink import ClockedSink
from tests.integration.running_daemon import DEVICE, RunningDaemon
from tests.integration.sound import (
    FADE_FRAMES,
    RATE_HZ,
    is_beginning,
    is_same,
    recorded_sound,
    sounds_in,
    spoken,
)

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

LONG = "One two three. " * 20  # 23 s
NEXT = "Next please."
GAP_FRAMES = RATE_HZ * 3 // 4  # longer than the pause between two sentences
DEADLINE_S = 60.0
# the null sink takes samples in blocks of this length and says that they are played when it takes them
SINK_BLOCK_S = 0.010


def test_there_was_no_way_to_stop_speech(daemon: RunningDaemon, sink: ClockedSink) -> None:
    """A stop in mid-sentence: silence with a fade, `cancelled`, and nothing of the rest is heard.

    rhasspy#117
    """
    with sink.record() as recording:
        daemon.speak(LONG, id="long")
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        daemon.command("stop")
        heard = recorded_sound(recording.until_silent(2 * RATE_HZ, DEADLINE_S))
    assert daemon.result("long")["status"] == "cancelled"
    assert is_beginning(heard, spoken(LONG))
    loudest = np.abs(heard).max()
    assert np.abs(heard[-FADE_FRAMES // 4 :]).max() < loudest / 4


@pytest.mark.parametrize("repeat", [1, 3])
def test_a_stop_cut_one_sentence_and_the_next_one_started(
    daemon: RunningDaemon, sink: ClockedSink, repeat: int
) -> None:
    """A stop ends the announcement with all its sentences and repeats; what is heard next is the next one.

    hermes-agent#70955
    """
    five = "One two three four. " * 5
    with sink.record() as recording:
        daemon.speak(five, id="five", repeat=repeat)
        daemon.speak(NEXT, id="next")
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        daemon.command("stop")
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert daemon.result("five")["status"] == "cancelled"
    assert daemon.result("next")["status"] == "finished"
    last = spoken(NEXT)
    assert is_same(heard[-len(last) :], last)
    before = heard[: -len(last)]
    assert is_beginning(np.trim_zeros(before, "b"), spoken(five))


def test_a_fixed_time_limit_killed_long_speech(recorded: RunningDaemon) -> None:
    """Two minutes of speech are said to their end.

    rhasspy#62, snips-issues#171
    """
    text = "One two three. " * 120
    recorded.speak(text, id="long")
    result = recorded.result("long")
    assert result["status"] == "finished"
    assert result["audio_ms"] > 120_000
    (heard,) = sounds_in(recorded.folder)
    assert is_same(heard, spoken(text))


def test_a_fixed_time_limit_killed_long_speech_in_real_time(daemon: RunningDaemon, sink: ClockedSink) -> None:
    """Longer than the ten seconds that killed it elsewhere, on a card that keeps time.

    rhasspy#62, snips-issues#171
    """
    text = "One two three. " * 11
    with sink.record() as recording:
        daemon.speak(text, id="long")
        result = daemon.result("long")
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert result["status"] == "finished"
    assert result["audio_ms"] > 12_000
    assert is_same(heard, spoken(text))


def test_finished_was_reported_before_the_sound_ended(daemon: RunningDaemon, sink: ClockedSink) -> None:
    """At `finished` all of it has been heard, so a controller can chain: the second begins after it.

    rhasspy#345, EchoMuse PR#196
    """
    first, second = "The first one.", "And the second."
    with sink.record() as recording:
        daemon.speak(first, id="first", ack="finished")
        daemon.result("first")
        told_s = time.monotonic()
        daemon.speak(second, id="second", ack="finished")
        daemon.result("second")
        whole = recording.until_silent(GAP_FRAMES, DEADLINE_S)
    heard = recorded_sound(whole)
    began = int(np.flatnonzero(whole.any(axis=1))[0])
    assert recording.heard_at_s(began + len(spoken(first))) <= told_s + SINK_BLOCK_S
    assert is_same(heard[: len(spoken(first))], spoken(first))
    assert is_same(heard[-len(spoken(second)) :], spoken(second))
    gap = heard[len(spoken(first)) : -len(spoken(second))]
    assert is_same(gap, np.zeros_like(gap))


def test_finished_fired_twice_on_a_stop(daemon: RunningDaemon) -> None:
    """However often and however it is stopped, one result; the harness fails at a second one.

    linux-voice-assistant PR#256
    """
    daemon.speak(LONG, id="long")
    daemon.wait_stage("long", "speaking")
    for payload in ("", "current", '{"id": "long"}', "all"):
        daemon.command("stop", payload)
    assert daemon.result("long")["status"] == "cancelled"
    daemon.speak(NEXT, id="next")
    assert daemon.result("next")["status"] == "finished"
    assert len(daemon.results()) == 2


def test_a_muted_device_reported_finished(recorded: RunningDaemon) -> None:
    """What is not heard is `muted`; an emergency is heard all the same, and everything is when unmuted.

    rhasspy-speakers-cli#11
    """
    recorded.command("mute", "true")
    recorded.speak("Unheard", id="unheard")
    recorded.speak("Fire alarm", id="fire", priority="emergency")
    assert recorded.result("unheard")["status"] == "muted"
    assert recorded.result("fire")["status"] == "finished"
    recorded.command("mute", "false")
    recorded.speak(NEXT, id="next")
    assert recorded.result("next")["status"] == "finished"
    fire, heard = sounds_in(recorded.folder)
    assert is_same(fire, spoken("Fire alarm"))
    assert is_same(heard, spoken(NEXT))


def test_muting_in_mid_speech_reported_finished(daemon: RunningDaemon, sink: ClockedSink) -> None:
    """It falls silent, and says so.

    rhasspy-speakers-cli#11
    """
    with sink.record() as recording:
        daemon.speak(LONG, id="long")
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        daemon.command("mute", '{"muted": true}')
        heard = recorded_sound(recording.until_silent(2 * RATE_HZ, DEADLINE_S))
    assert daemon.result("long")["status"] == "muted"
    assert is_beginning(heard, spoken(LONG))


def test_of_messages_in_quick_succession_only_the_last_was_heard(recorded: RunningDaemon) -> None:
    """All of them, in their order.

    esphome/voice-pe#323
    """
    texts = ["First", "Second", "Third", "Fourth"]
    for text in texts:
        recorded.speak(text, id=text)
    assert [recorded.result(text)["status"] for text in texts] == ["finished"] * 4
    heard = sounds_in(recorded.folder)
    assert len(heard) == 4
    assert all(is_same(sound, spoken(text)) for sound, text in zip(heard, texts, strict=True))


def test_a_full_queue_stayed_silent_for_days(recorded: RunningDaemon) -> None:
    """A flood: each gets a result, the refused ones a code, the state says so, and it heals by itself.

    esphome/voice-pe#643
    """
    held = 101  # a hundred wait, and one would be spoken
    recorded.command("pause")
    for number in range(200):
        recorded.speak(f"Number {number}", id=f"n{number}")
    recorded.wait_results(200 - held)
    assert recorded.wait_state("degraded")["queue"] == held
    recorded.command("resume")
    recorded.wait_results(200)
    ended = [recorded.result(f"n{number}") for number in range(200)]
    assert [result["status"] for result in ended] == ["finished"] * held + ["rejected"] * (200 - held)
    assert {result["code"] for result in ended[held:]} == {"queue_full"}
    assert len(sounds_in(recorded.folder)) == held
    recorded.wait_state("online")
    recorded.speak(NEXT, id="next")
    assert recorded.result("next")["status"] == "finished"


@pytest.mark.parametrize("is_paused", [False, True], ids=["speaking", "paused"])
def test_the_lock_of_an_announcement_was_never_released(daemon: RunningDaemon, is_paused: bool) -> None:
    """It lives no longer than the player: when that dies in mid-speech, the next one is spoken.

    music-assistant#4051
    """
    daemon.speak(LONG, id="long")
    daemon.wait_stage("long", "speaking")
    if is_paused:
        daemon.command("pause")
        daemon.wait_stage("long", "paused")
    daemon.child("player").kill()
    result = daemon.result("long")
    assert (result["status"], result["code"]) == ("failed", "audio_lost")
    if is_paused:
        daemon.command("resume")
    daemon.speak(NEXT, id="next")
    assert daemon.result("next")["status"] == "finished"


def kill_player(daemon: RunningDaemon) -> None:
    daemon.child("player").kill()
    assert daemon.result("quiet")["code"] == "audio_lost"


def stop(daemon: RunningDaemon) -> None:
    daemon.command("stop")
    assert daemon.result("quiet")["status"] == "cancelled"


def interrupt(daemon: RunningDaemon) -> None:
    daemon.speak("Fire", id="fire", priority="emergency", volume=20)
    assert daemon.result("quiet")["status"] == "interrupted"
    assert daemon.result("fire")["status"] == "finished"


def kill_main(daemon: RunningDaemon) -> None:
    daemon.kill()
    daemon.start()
    assert daemon.result("quiet")["code"] == "interrupted_by_restart"


@pytest.mark.parametrize("end", [stop, interrupt, kill_player, kill_main])
def test_the_volume_stayed_down_afterwards(
    daemon: RunningDaemon, sink: ClockedSink, end: Callable[[RunningDaemon], None]
) -> None:
    """After one with a volume of its own, ended in whatever way, the next is as loud as the device is set.

    chime_tts#118
    """
    daemon.command("volume", "50")
    with sink.record() as recording:
        daemon.speak(LONG, id="quiet", volume=40)
        recording.until_heard(RATE_HZ // 2, DEADLINE_S)
        quiet = recorded_sound(recording.samples())
        end(daemon)
        daemon.speak(NEXT, id="next")
        daemon.result("next")
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    assert abs(np.abs(quiet).max() - np.abs(spoken(LONG)).max() * 0.2**3) < 2
    at_half = np.trim_zeros(np.rint(spoken(NEXT) / 8).astype(np.int32))
    assert is_same(heard[-len(at_half) :], at_half)


def test_of_two_tickets_called_at_once_the_second_overrode_the_first(recorded: RunningDaemon) -> None:
    """Both, in their order, each of them twice.

    mrf345/FQM#138
    """
    for ticket in ("A015", "B016"):
        recorded.request(
            id=ticket,
            template="ticket_call",
            vars={"ticket": ticket, "counter": 3},
            lang="en",
            repeat=2,
            repeat_gap_ms=500,
        )
    assert [recorded.result(ticket)["status"] for ticket in ("A015", "B016")] == ["finished"] * 2
    heard = sounds_in(recorded.folder)
    calls = [
        spoken(f"Ticket {ticket}, please proceed to counter three")
        for ticket in ("A zero one five", "B zero one six")
    ]
    assert len(heard) == 2
    for sound, call in zip(heard, calls, strict=True):
        assert is_same(sound[: len(call)], call)
        assert is_same(sound[-len(call) :], call)
        gap = sound[len(call) : -len(call)]
        assert len(gap) >= RATE_HZ // 2
        assert is_same(gap, np.zeros_like(gap))


def test_the_counter_was_not_voiced_and_a_new_call_interrupted(
    daemon: RunningDaemon, sink: ClockedSink
) -> None:
    """Ticket and counter are said; a call that comes meanwhile waits for its turn.

    novosga#78
    """
    first, second = ({"ticket": "A1", "counter": 3}, {"ticket": "A2", "counter": 4})
    with sink.record() as recording:
        daemon.request(id="first", template="ticket_call", vars=first, lang="en")
        daemon.wait_stage("first", "speaking")
        daemon.request(id="second", template="ticket_call", vars=second, lang="en")
        assert daemon.result("first")["status"] == "finished"
        assert daemon.result("second")["status"] == "finished"
        heard = recorded_sound(recording.until_silent(GAP_FRAMES, DEADLINE_S))
    calls = [
        spoken("Ticket A one, please proceed to counter three"),
        spoken("Ticket A two, please proceed to counter four"),
    ]
    assert is_same(heard[: len(calls[0])], calls[0])
    assert is_same(heard[-len(calls[1]) :], calls[1])


@pytest.mark.parametrize("topic", ["speak", "speak/high"])
def test_plain_text_could_not_be_published(recorded: RunningDaemon, topic: str) -> None:
    """`mosquitto_pub -m hello` is all it takes.

    talkkonnect#64, billy-b#5
    """
    broker = recorded.broker
    where = ["-h", broker.host, "-p", str(broker.port), "-t", f"edged/{DEVICE}/{topic}"]
    subprocess.run(["mosquitto_pub", *where, "-m", "hello"], check=True)
    recorded.wait_results(1)
    (result,) = recorded.results()
    (heard,) = sounds_in(recorded.folder)
    assert (result["status"], result["warnings"]) == ("finished", [])
    assert is_same(heard, spoken("hello"))
