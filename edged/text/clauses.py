"""How much of a text that is still growing can be spoken already."""

from __future__ import annotations

import re

from edged.text.abbreviations import NOT_FINAL
from edged.text.alphabet import HAN
from edged.text.patterns import URL

_TAG = r"<[A-Za-z/!][^<>]{0,300}(?:>|\Z)"
# What markup decides the reading of, with its closing tag: that may not be here yet.
_ELEMENT = (
    r"<(?P<name>say-as|sub|phoneme)\s[^<>]{0,300}(?<!/)>[^<]{0,300}(?:</(?P=name)>|(?:</[a-z-]{0,7})?\Z)"
)
# Never cut inside: an address, an abbreviation, a tag that may not be complete yet.
_WHOLE = rf"{URL}|{NOT_FINAL}|{_ELEMENT}|{_TAG}"
_CLOSERS = r"[\"'”’)\]」』》）]*+"
# An ASCII mark inside "1,250" or "a?b=c" ends nothing.
_BEFORE_WORDS = rf"(?={_CLOSERS}(?:\s|[{HAN}]))"
# A full stop waits for two more characters: "No. A1" and "9 p.m. today" go on.
_FULL_STOP = rf"\.{{2,}}+|\.(?={_CLOSERS}\s+\S\S)|(?<=[A-Za-z{HAN}])\.(?=[{HAN}])"
_SENTENCE = rf"[。！？；]++|[!?;]++{_BEFORE_WORDS}|{_FULL_STOP}|\n++"
# Full-width digits have full-width thousands.
_COMMA = rf"(?<![０-９])，|，(?![０-９])|,{_BEFORE_WORDS}"
_SCAN = re.compile(rf"{_WHOLE}|(?:(?P<sentence>{_SENTENCE})|(?P<comma>{_COMMA})){_CLOSERS}(?=.)", re.DOTALL)
_AT_COMMA = re.compile(rf"[，,]{_CLOSERS}\Z")


def complete(text: str) -> int:
    """How many characters of `text` are whole clauses, whatever follows.

    They end at the last end of a sentence, else at the last comma. The mark counts once something follows
    it: "3." may become "3.5", and more marks or a closing quote may come.
    """
    sentence = comma = 0
    for match in _SCAN.finditer(text):
        if match["sentence"]:
            sentence = match.end()
        elif match["comma"]:
            comma = match.end()
    return sentence or comma


def ends_at_comma(clause: str) -> bool:
    """Whether the sentence goes on after a clause that was cut off."""
    return _AT_COMMA.search(clause) is not None
