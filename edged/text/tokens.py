"""The scanner both languages share: at each place the first rule that fits reads a token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Read = Callable[[re.Match[str]], str | None]

_CONTEXT_CHARS = 16  # how far back a rule's `after` looks; longer than any context word


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of token is recognised and read.

    `pattern` is matched at the current place and must consume at least one character, with bounded
    repetition (a scan stays linear). `read` returns the spoken form, or None to leave the token to the
    next rule. `after`, if given, must be found at the end of the text before the token. `why` tells a
    technician how the kind is read, where the kind alone does not.
    """

    kind: str
    pattern: re.Pattern[str]
    read: Read
    after: re.Pattern[str] | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of source text, its spoken form, the kind of rule that chose it, and why in a few words.

    `pinyin` is what its Han characters sound like where that was decided here: one syllable each with a
    tone digit ("chong2", 5 for the neutral tone, ü as v).
    """

    text: str
    spoken: str
    kind: str
    why: str = ""
    pinyin: tuple[str, ...] = ()


def rule(
    kind: str, pattern: str, read: Read | str, after: str = "", ignore_case: bool = False, why: str = ""
) -> Rule:
    """A Rule from pattern sources; a string as `read` is the spoken form itself."""
    flags = re.IGNORECASE if ignore_case else 0
    before = re.compile(f"(?:{after})$", flags) if after else None
    reader = _always(read) if isinstance(read, str) else read
    return Rule(kind, re.compile(pattern, flags), reader, before, why)


def _always(spoken: str) -> Read:
    return lambda _: spoken


def _nothing(char: str) -> None:
    """No character of a text without markup has been read already."""


def scan(
    text: str, start: int, end: int, rules: Sequence[Rule], decided: Callable[[str], Token | None] = _nothing
) -> Iterator[Token]:
    """Yield tokens that cover text[start:end]; what no rule reads is dropped to a space.

    `decided` may give the token of a single character that stands for something read already.
    """
    while start < end:
        if token := decided(text[start]):
            yield token
            start += 1
            continue
        token = next(_readings(text, start, end, rules), None) or Token(text[start], " ", "separator")
        yield token
        start += len(token.text)


def _readings(text: str, start: int, end: int, rules: Sequence[Rule]) -> Iterator[Token]:
    for candidate in rules:
        match = candidate.pattern.match(text, start, end)
        if not match:
            continue
        if candidate.after and not candidate.after.search(text[max(0, start - _CONTEXT_CHARS) : start]):
            continue
        spoken = candidate.read(match)
        if spoken is not None:
            yield Token(match[0], spoken, candidate.kind, candidate.why)
