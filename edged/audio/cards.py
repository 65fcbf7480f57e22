"""What the names of PCMs and the contents of the kernel's files about sound say."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CARD = re.compile(r"^ *(\d+) \[(\S+) *\]:", re.MULTILINE)
_PROCESS = re.compile(r"^Tgid:\s*(\d+)", re.MULTILINE)
_OWNER = re.compile(r"^owner_pid\s*:\s*(\d+)", re.MULTILINE)
# KIND:0 KIND:0,1 KIND:CARD=0 KIND:CARD=0,DEV=1
_BY_NUMBER = re.compile(r"^(\w+):(?:CARD=)?(\d+)(?:,(?:DEV=)?(\d+))?$")


def card_ids(cards_file: str) -> dict[int, str]:
    """Number -> id of each card, from /proc/asound/cards."""
    return {int(number): card_id for number, card_id in _CARD.findall(cards_file)}


def card_number(device: str) -> int | None:
    """The card that a PCM name gives by its number; None for every other name."""
    match = _BY_NUMBER.match(device)
    return int(match[2]) if match else None


def stable_name(device: str, ids: Mapping[int, str]) -> str | None:
    """The same PCM by the id of its card, for a name that has its number; None where there is none.

    Numbers are given in the order in which cards are found, so they change with a plug and at a boot.
    """
    match = _BY_NUMBER.match(device)
    if match is None or int(match[2]) not in ids:
        return None
    device_number = f",DEV={match[3]}" if match[3] else ""
    return f"{match[1]}:CARD={ids[int(match[2])]}{device_number}"


def owner_pid(status_file: str) -> int | None:
    """The thread that opened a substream, from its `status` in /proc/asound; None when it is closed."""
    match = _OWNER.search(status_file)
    return int(match[1]) if match else None


def process_of(status_file: str) -> int | None:
    """The process of a thread, from the thread's `status` in /proc; None when it has ended."""
    match = _PROCESS.search(status_file)
    return int(match[1]) if match else None
