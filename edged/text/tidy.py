"""Last pass on one sentence: one way to space and to punctuate it."""

from __future__ import annotations

import re

from edged.text.alphabet import HAN, HAN_RUN

_SPACES = re.compile(r"\s+")
_PAUSES = re.compile(" ?[，、,][ ，、,]*")
_SCRIPT_CHANGE = re.compile(f"(?<=[{HAN}])(?=[A-Za-z])|(?<=[A-Za-z])(?=[{HAN}])")
_CHINESE_MARKS = {".": "。", "!": "！", "?": "？", ",": "，"}


def tidy(spoken: str) -> str:
    """Single spaces, one pause mark at a time in the script before it, a space where the script changes.

    No punctuation is left at either end; the closing mark is `close`'s business.
    """
    spoken = _SPACES.sub(" ", spoken).strip()
    spoken = _SCRIPT_CHANGE.sub(" ", spoken)
    return _PAUSES.sub(_pause, spoken).strip(" ，、,")


def _pause(match: re.Match[str]) -> str:
    if not HAN_RUN.fullmatch(match.string[match.start() - 1 : match.start()]):
        return ", "
    return "、" if match[0].strip()[0] == "、" else "，"


def close(spoken: str, mark: str) -> str:
    """`spoken` with its closing mark (".", "!", "?", "," or none) in the script of its last character."""
    return spoken + (_CHINESE_MARKS.get(mark, "") if HAN_RUN.fullmatch(spoken[-1]) else mark)
