"""Web and mail addresses, spelled the way one reads them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from edged.text.letters import spell

_PART = re.compile("[A-Za-z]+|[0-9]+|.")
_SAID_AS_WORDS = frozenset(("com", "net", "org", "edu", "gov"))
_SPELLED_UP_TO = 3  # letters: www, cn, de


def read_address(address: str, by_digit: Callable[[str], str], names: Mapping[str, str]) -> str:
    """`address` part by part: words, short labels spelled, digits one by one, symbols by `names`."""
    bare = re.sub("^https?://", "", address)
    return " ".join(_read_part(part, by_digit, names) for part in _PART.findall(bare))


def _read_part(part: str, by_digit: Callable[[str], str], names: Mapping[str, str]) -> str:
    if part.isdigit():
        return by_digit(part)
    if part.isalpha():
        short = len(part) <= _SPELLED_UP_TO and part.lower() not in _SAID_AS_WORDS
        return spell(part) if short or part.isupper() else part
    return names.get(part, " ")
