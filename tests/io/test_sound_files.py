"""Who plays on the cards here, from a copy of the kernel's files."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from edged.io.sound_files import holders, is_sound_server, read_cards, warn_about_number


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """Card 0 is held by a thread of PulseAudio twice, card 1 by aplay, card 2 by nobody."""
    put(tmp_path, "asound/cards", " 0 [PCH            ]: HDA\n 1 [Device         ]: USB\n")
    put(tmp_path, "asound/card0/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 830\n")
    put(tmp_path, "asound/card0/pcm3p/sub0/status", "state: RUNNING\nowner_pid   : 830\n")
    put(tmp_path, "asound/card1/pcm0p/sub0/status", "state: XRUN\nowner_pid   : 900\n")
    put(tmp_path, "asound/card1/pcm0c/sub0/status", "state: RUNNING\nowner_pid   : 999\n")
    put(tmp_path, "asound/card2/pcm0p/sub0/status", "closed\n")
    put(tmp_path, "830/status", "Name:\talsa-sink\nTgid:\t812\n")
    put(tmp_path, "812/comm", "pulseaudio\n")
    put(tmp_path, "900/status", "Name:\taplay\nTgid:\t900\n")
    put(tmp_path, "900/comm", "aplay\n")
    return tmp_path


def put(proc: Path, name: str, text: str) -> None:
    path = proc / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_holders_are_named(proc: Path) -> None:
    """The process, not the thread; each once; those who record are none."""
    assert holders(proc) == ("pulseaudio (process 812)", "aplay (process 900)")


def test_a_process_of_another_user(proc: Path) -> None:
    """A hardened service may not see it: its number is better than nothing."""
    (proc / "900/comm").unlink()
    (proc / "900/status").unlink()
    assert holders(proc)[1] == "process 900"


def test_a_machine_without_sound(tmp_path: Path) -> None:
    """No files, no cards, no holders."""
    assert holders(tmp_path) == ()
    assert read_cards(tmp_path) == {}


def test_sound_servers_are_known(proc: Path) -> None:
    """They share the card: the way out is another one than for a program that does not."""
    assert [is_sound_server(holder) for holder in holders(proc)] == [True, False]


def test_a_card_by_number_is_warned_about(proc: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With the name to use instead."""
    warn_about_number("plughw:1,0", proc)
    assert "plughw:CARD=Device,DEV=0" in caplog.text


def test_a_number_of_no_card_is_warned_about(proc: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What the card will be called is not known."""
    warn_about_number("hw:7", proc)
    assert "there is no card 7 now" in caplog.text


def test_a_stable_name_is_not_warned_about(proc: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is said."""
    with caplog.at_level(logging.DEBUG):
        warn_about_number("plughw:CARD=PCH", proc)
    assert not caplog.text
