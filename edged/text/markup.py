"""SSML-lite: <say-as>, <sub>, <break>, <phoneme>, <p>, <s> and <speak> in a text.

Any other tag is left to the cleaning pass, which drops it with a warning; what is no well-formed tag is text.
Only the entities that XML itself has are read, so nothing can expand.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from edged.text.alphabet import HAN_RUN

# Bounded, so never quadratic.
_ATTRIBUTE = r"[A-Za-z:-]{1,30}\s?=\s?(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}')"
_NAMES = "speak|say-as|sub|break|phoneme|p|s"
_TAG = re.compile(rf"<(/?)({_NAMES})((?:\s{{1,4}}{_ATTRIBUTE}){{0,8}})\s?(/?)>")
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
_TIME = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)(ms|s)")
_STRENGTHS_MS = {"none": 0, "x-weak": 100, "weak": 200, "medium": 300, "strong": 600, "x-strong": 1000}
_MAX_BREAK_MS = 10_000  # a pause longer than that is a fault in the text, not a wish
_SYLLABLE = re.compile(r"[a-z]{1,6}[1-5]")
_SPELLED = frozenset(("characters", "spell-out", "verbatim", "letters"))
_BY_DIGIT = frozenset(("digits", "telephone"))
_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})")
_MAX_RANK_DIGITS = 15  # below a quadrillion; nothing that is counted has a higher rank


@dataclass(frozen=True, slots=True)
class Plain:
    """Text to be read as any other."""

    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """A pause."""

    ms: int


@dataclass(frozen=True, slots=True)
class Hint:
    """Text whose reading is decided: spelled, by digit, as a rank, or in these syllables."""

    text: str
    how: str
    pinyin: tuple[str, ...] = ()
    by: str = "markup"


Part = Plain | Break | Hint


def parse_markup(text: str) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """The parts of `text`, in order, and a warning for each tag that could not be followed.

    Takes linear time and never raises.
    """
    tags = list(_TAG.finditer(text))
    if not tags:
        return (Plain(text),), ()
    warnings: dict[str, None] = {}
    return tuple(_parts(text, tags, warnings)), tuple(warnings)


def _parts(text: str, tags: list[re.Match[str]], warnings: dict[str, None]) -> Iterator[Part]:
    ends = _closing_tags(tags)
    start = index = 0
    while index < len(tags):
        tag = tags[index]
        yield Plain(_decoded(text[start : tag.start()]))
        start = tag.end()
        closing = ends[index]
        if tag[2] in ("say-as", "sub", "phoneme") and closing is not None:
            inner = _decoded(_TAG.sub("", text[start : tags[closing].start()]))
            yield _read(tag[2], _attributes(tag), inner, warnings)
            start, index = tags[closing].end(), closing
        elif tag[2] == "break":
            yield Break(_break_ms(_attributes(tag), warnings))
        elif tag[2] in ("p", "s"):
            yield Plain("\n")
        elif tag[2] != "speak":
            warnings[f"skipped_markup: {tag[0][:20]}"] = None
        index += 1
    yield Plain(_decoded(text[start:]))


def _closing_tags(tags: list[re.Match[str]]) -> list[int | None]:
    """For each opening tag the index of the next tag that closes its name."""
    following: dict[str, int] = {}
    found: list[int | None] = [None] * len(tags)
    for index in range(len(tags) - 1, -1, -1):
        tag = tags[index]
        if tag[1]:
            following[tag[2]] = index
        elif not tag[4]:
            found[index] = following.get(tag[2])
    return found


def _attributes(tag: re.Match[str]) -> dict[str, str]:
    pairs = (found.partition("=") for found in _ATTRIBUTES.findall(tag[3]))
    return {name.strip().lower(): _decoded(quoted.strip()[1:-1]) for name, _, quoted in pairs}


def _decoded(text: str) -> str:
    return _ENTITY.sub(lambda m: html.unescape(m[0]), text)


def _read(name: str, given: dict[str, str], inner: str, warnings: dict[str, None]) -> Part:
    if name == "sub":
        return Plain(given.get("alias") or inner)
    if name == "phoneme":
        return _phoneme(given, inner, warnings)
    how = given.get("interpret-as", "")
    if how in _SPELLED:
        return Hint(inner, "spell")
    if how in _BY_DIGIT:
        return Hint(inner, "digits")
    rank = inner.strip()
    if how == "ordinal" and rank.isdecimal() and len(rank) <= _MAX_RANK_DIGITS:
        return Hint(rank, "ordinal")
    if how == "date" and (date := _DATE.fullmatch(inner.strip())):
        return Plain("-".join(date.groups()))
    if how not in ("cardinal", "number", "date", "time", "currency", "unit", "address", "fraction"):
        warnings[f"skipped_markup: interpret-as={how!r}"[:60]] = None
    return Plain(inner)


def _phoneme(given: dict[str, str], inner: str, warnings: dict[str, None]) -> Part:
    """Pinyin with tone digits, one syllable for each Han character."""
    syllables = given.get("ph", "").lower().replace("ü", "v").split()
    wanted = len(inner) if HAN_RUN.fullmatch(inner) else 0
    if wanted and len(syllables) == wanted and all(map(_SYLLABLE.fullmatch, syllables)):
        return Hint(inner, "pinyin", tuple(syllables))
    told = f"skipped_markup: ph={given.get('ph', '')!r} (expected chong2 qing4, one a character)"
    warnings[told[:90]] = None
    return Plain(inner)


def _break_ms(given: dict[str, str], warnings: dict[str, None]) -> int:
    if match := _TIME.fullmatch(given.get("time", "").strip()):
        return min(round(float(match[1]) * (1 if match[2] == "ms" else 1000)), _MAX_BREAK_MS)
    strength = given.get("strength", "medium")
    if "time" in given or strength not in _STRENGTHS_MS:
        warnings[f"skipped_markup: break {given}"[:60]] = None
    return _STRENGTHS_MS.get(strength, _STRENGTHS_MS["medium"])
