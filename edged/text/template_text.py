"""The text of a template: words with `{slot}`, `{pause 500}` and `{clip gong.wav}` in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edged.text.content import Clip, Silence

NAME = r"^[A-Za-z][A-Za-z0-9_-]{0,63}$"

_LONGEST_PAUSE_MS = 60_000  # as in a request's segments
_MARKUP = re.compile(r"\{([^{}]*)\}")
_PAUSE = re.compile(r"pause (\d{1,6})")
_CLIP = re.compile(r"clip ([^\s/\\.][^/\\]{0,255})")


@dataclass(frozen=True, slots=True)
class SlotMark:
    """Here goes the value of the slot `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Markup that means nothing."""

    reason: str


Part = str | SlotMark | Silence | Clip


def parse_text(text: str) -> Iterator[Part | Fault]:
    """What `text` consists of, in its order."""
    position = 0
    for match in _MARKUP.finditer(text):
        yield from _words(text[position : match.start()])
        yield _marked(match[1])
        position = match.end()
    yield from _words(text[position:])


def _words(text: str) -> Iterator[Part | Fault]:
    if "{" in text or "}" in text:
        yield Fault(f"a brace without its partner in {text!r}")
    elif text:
        yield text


def _marked(markup: str) -> Part | Fault:
    if re.fullmatch(NAME, markup):
        return SlotMark(markup)
    if (pause := _PAUSE.fullmatch(markup)) and int(pause[1]) <= _LONGEST_PAUSE_MS:
        return Silence(int(pause[1]))
    if clip := _CLIP.fullmatch(markup):
        return Clip(clip[1])
    return Fault(f"{{{markup}}}: expected {{SLOT}}, {{pause MS}} up to {_LONGEST_PAUSE_MS} or {{clip FILE}}")
