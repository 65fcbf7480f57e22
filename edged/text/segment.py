"""Cut cleaned text into sentences, and spoken sentences into pieces an engine can take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edged.text.abbreviations import NOT_FINAL
from edged.text.alphabet import HAN, HAN_RUN
from edged.text.patterns import URL

# About 10 s of English or 25 s of Chinese: the first sound need not wait for more than that to be made.
# An engine with a limit of its own (Kokoro: 510 phonemes) may cut again.
MAX_CHARS = 120

_SCAN = re.compile(
    rf"(?:{URL}|{NOT_FINAL})"
    rf"|(?P<end>[。!?;]+|\.{{2,}}|\.(?=[\s\"'”’)\]」』》]|$)|(?<=[A-Za-z{HAN}])\.(?=[{HAN}])|\n+)"
)


def split_sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield (body, mark) for each sentence; mark is ".", "!", "?" or "" where the text had none.

    Decimals, times, addresses and abbreviations do not end a sentence; a line break does. Bodies
    without content are yielded too.
    """
    start = 0
    for match in _SCAN.finditer(text):
        if match["end"]:
            yield text[start : match.start()], _mark(match["end"])
            start = match.end()
    yield text[start:], ""


def _mark(end: str) -> str:
    if end.startswith("\n"):
        return ""
    return next((c for c in "?!" if c in end), ".")


def split_long(spoken: str) -> Iterator[str]:
    """Yield `spoken` in pieces of at most MAX_CHARS, cut at a comma, else a space, else anywhere.

    A cut inside running Han leaves a comma behind: a listener hears a pause there, and the pieces
    joined again are cut at the same places.
    """
    start = 0
    while len(spoken) - start > MAX_CHARS:
        piece, used = _cut(spoken[start : start + MAX_CHARS + 1])
        yield piece
        start += used
    yield spoken[start:]


def _cut(window: str) -> tuple[str, int]:
    """The first piece of `window`, MAX_CHARS + 1 characters long, and how many of them it used."""
    comma = max(window.rfind(c, MAX_CHARS // 3, MAX_CHARS) for c in "，、,")
    if comma > 0:
        return window[: comma + 1], comma + (2 if window[comma + 1] == " " else 1)
    space = window.rfind(" ", 1)
    if space > 0:
        return window[:space], space + 1
    if HAN_RUN.match(window, MAX_CHARS - 2):
        return window[: MAX_CHARS - 1] + "，", MAX_CHARS - 1
    return window[:MAX_CHARS], MAX_CHARS
