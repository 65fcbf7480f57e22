"""Faults that users of other systems have reported with what they kept of speech, replayed on the daemon.

Named for what went wrong elsewhere; the docstrings say what is right, and where it was reported.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.clocked_sink import poll_until
from tests.integration.running_daemon import RunningDaemon
from tests.integration.sound import is_same, sounds_in, spoken

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

TEXT = "Now serving A B."


def say(daemon: RunningDaemon, request_id: str, text: str = TEXT, **fields: Any) -> dict[str, Any]:
    daemon.speak(text, id=request_id, **fields)
    result = daemon.result(request_id)
    assert result["status"] == "finished"
    return result


def phrases(daemon: RunningDaemon) -> list[Path]:
    return sorted((daemon.folder / "cache" / "phrases").glob("*"))


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [({"speed": 0.5}, 2), ({"text": "Now serving A C."}, 1), ({"lang": "zh"}, 1)],
    ids=["pace", "words", "language"],
)
def test_stale_audio_came_from_the_cache(
    recorded: RunningDaemon, fields: dict[str, Any], seconds: float
) -> None:
    """The key covers everything that changes the sound: asked for differently, it is made anew.

    chime_tts#32
    """
    first = say(recorded, "first")
    assert first["cache"] == "miss"
    assert say(recorded, "again")["cache"] == "hit"
    other = say(recorded, "other", **fields)
    assert other["cache"] == "miss"
    assert other["audio_ms"] == pytest.approx(first["audio_ms"] * seconds, rel=0.01)
    once, again, _ = sounds_in(recorded.folder)
    assert is_same(once, spoken(TEXT))
    assert is_same(again, spoken(TEXT))


@pytest.mark.parametrize("wrong", ["True", True, 1, "no", None])
def test_a_word_was_taken_for_a_switch(recorded: RunningDaemon, wrong: object) -> None:
    """`cache` is one of three words; anything else is refused and names what was expected.

    chime_tts#32
    """
    recorded.speak("Hi", id="a", cache=wrong)
    result = recorded.result("a")
    assert (result["status"], result["code"]) == ("rejected", "bad_field")
    assert "cache: expected 'use', 'bypass' or 'pin'" in result["reason"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"x"),
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(b"RIFF" + bytes(100_000)),
        lambda path: path.rename(path.with_name("0" * 64 + ".phrase")),
    ],
    ids=["deleted", "empty", "one byte", "cut", "foreign", "renamed"],
)
def test_a_cleaner_deleted_what_was_to_be_played(
    recorded: RunningDaemon, damage: Callable[[Path], object]
) -> None:
    """What is not whole any more when its turn comes is synthesised again, and replaced.

    mycroft-core#1141
    """
    say(recorded, "first")
    (path,) = phrases(recorded)
    recorded.command("pause")
    recorded.speak(TEXT, id="waiting")
    recorded.wait_stage("waiting", "queued")
    damage(path)
    recorded.command("resume")
    assert recorded.result("waiting")["cache"] == "miss"
    assert path in phrases(recorded)
    assert say(recorded, "last")["cache"] == "hit"
    assert [is_same(sound, spoken(TEXT)) for sound in sounds_in(recorded.folder)] == [True] * 3


def test_a_tiny_quota_silenced_announcements(recorded: RunningDaemon) -> None:
    """More phrases than there is room for: all are heard, those pinned stay, and the room is kept to.

    mycroft-core#1141
    """
    recorded.stop()
    recorded.change_settings("speech: {engine: tone, cache_mb: 1}\n")
    recorded.start()
    assert say(recorded, "pinned", cache="pin")["cache"] == "miss"
    texts = ["".join(letter * 150) for letter in "abc"]  # 12 s and 576 kB each
    for number, text in enumerate(texts):
        recorded.speak(text, id=f"long-{number}", max_duration_ms=1)  # made, kept, and too long to be heard
        assert recorded.result(f"long-{number}")["code"] == "over_budget"
        assert sum(path.stat().st_size for path in phrases(recorded)) <= 1 << 20
    assert say(recorded, "pinned-again")["cache"] == "hit"


def test_a_disk_without_room_silenced_announcements(recorded: RunningDaemon) -> None:
    """What cannot be kept is heard all the same, again and again, and one warning says so.

    openvino#20190, of another cache
    """
    (recorded.folder / "cache").mkdir(exist_ok=True)
    (recorded.folder / "cache" / "phrases").write_text("no folder")
    for request_id in ("a", "b", "c"):
        assert say(recorded, request_id)["cache"] == "miss"
    assert recorded.log.read_text().count("phrase cache: going on without") == 1


def test_an_announcement_was_longer_than_its_window(recorded: RunningDaemon) -> None:
    """All of it keeps to its time, or nothing of it is heard and the result tells how long it would be."""
    result = say(recorded, "fits", chime="key", max_duration_ms=900, repeat=1)  # 60 + 250 + 960
    assert 899 <= result["audio_ms"] <= 900
    (heard,) = sounds_in(recorded.folder)
    assert len(heard) <= 0.9 * 48000
    recorded.speak(TEXT, id="not", max_duration_ms=700)
    refused = recorded.result("not")
    assert (refused["status"], refused["code"]) == ("rejected", "over_budget")
    assert refused["reason"] == "max_duration_ms 700: 768 ms is the shortest it can be"
    assert not refused["audio_ms"]


def test_the_first_call_of_the_day_was_late(recorded: RunningDaemon) -> None:
    """What was preloaded has been made, unheard, when it is called; templates, too."""
    call = {"template": "ticket_call", "vars": {"ticket": "A1", "counter": 3}}
    recorded.command("preload", json.dumps({**call, "cache": "pin"}))
    poll_until(lambda: len(phrases(recorded)) == 2, "it was not made", 30)
    recorded.request(id="a", **call)
    assert recorded.result("a")["cache"] == "hit"
    assert len(sounds_in(recorded.folder)) == 1
