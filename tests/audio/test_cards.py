"""The kernel's files about sound, and names of PCMs."""

from __future__ import annotations

import pytest

from edged.audio.cards import card_ids, card_number, owner_pid, process_of, stable_name

CARDS = """\
 0 [PCH            ]: HDA-Intel - HDA Intel PCH
                      HDA Intel PCH at 0x6001120000 irq 141
 1 [Device         ]: USB-Audio - USB Audio Device
                      C-Media Electronics Inc. USB Audio Device at usb-0000:00:14.0-2, full speed
10 [Loopback       ]: Loopback - Loopback
                      Loopback 1
"""


def test_cards_have_ids() -> None:
    """The id in brackets, without its padding."""
    assert card_ids(CARDS) == {0: "PCH", 1: "Device", 10: "Loopback"}
    assert card_ids("--- no soundcards ---\n") == {}
    assert card_ids("") == {}


@pytest.mark.parametrize(
    ("device", "better"),
    [
        ("hw:0", "hw:CARD=PCH"),
        ("plughw:1,0", "plughw:CARD=Device,DEV=0"),
        ("hw:CARD=1,DEV=3", "hw:CARD=Device,DEV=3"),
        ("sysdefault:10", "sysdefault:CARD=Loopback"),
    ],
)
def test_a_number_has_a_stable_name(device: str, better: str) -> None:
    """The kind and the device are kept."""
    assert stable_name(device, card_ids(CARDS)) == better


@pytest.mark.parametrize(
    "device", ["default", "plughw:CARD=PCH", "hw:CARD=PCH,DEV=0", "speaker_0", "hw:PCH,0"]
)
def test_other_names_are_stable(device: str) -> None:
    """There is nothing to warn about."""
    assert card_number(device) is None
    assert stable_name(device, card_ids(CARDS)) is None


def test_a_card_that_is_not_there_has_no_name() -> None:
    """Its number is known all the same."""
    assert card_number("hw:7") == 7
    assert stable_name("hw:7", card_ids(CARDS)) is None


def test_who_opened_a_substream() -> None:
    """A closed one has nobody."""
    assert owner_pid("state: RUNNING\nowner_pid   : 8123\ntrigger_time: 12.3\n") == 8123
    assert owner_pid("closed\n") is None
    assert owner_pid("") is None


def test_the_process_of_a_thread() -> None:
    """The kernel notes the thread that opened the card."""
    assert process_of("Name:\talsa-sink\nUmask:\t0022\nTgid:\t812\nPid:\t830\n") == 812
    assert process_of("") is None
