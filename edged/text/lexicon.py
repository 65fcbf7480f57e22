"""Words that a site wants said its own way: pinyin for Han words, anything else is said instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from edged.text.alphabet import HAN_RUN
from edged.text.clean import clean
from edged.text.problem import Problem

_SYLLABLE = re.compile(r"[a-zü]{1,6}[1-5]")
_LATIN = re.compile("[A-Za-z0-9]")
_MAX_LETTERS = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """How one word is said: with these syllables, or as this text."""

    pinyin: tuple[str, ...] = ()
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A word of the lexicon in a text: text[start:end]."""

    start: int
    end: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words and how they are said; the longest one at a place counts."""

    words: Mapping[str, Entry] = field(default_factory=dict)
    _lengths: Mapping[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lengths: dict[str, set[int]] = {}
        for word in self.words:
            lengths.setdefault(word[0], set()).add(len(word))
        by_first = {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}
        object.__setattr__(self, "_lengths", by_first)

    def find(self, text: str) -> list[Found]:
        """Its words in `text`, from left to right; none inside another Latin word or number."""
        found: list[Found] = []
        place = 0
        while self.words and place < len(text):
            end = next((end for end in self._ends(text, place) if text[place:end] in self.words), place)
            if end > place:
                found.append(Found(place, end, self.words[text[place:end]]))
            place = max(end, place + 1)
        return found

    def _ends(self, text: str, start: int) -> list[int]:
        if start and _LATIN.match(text[start]) and _LATIN.match(text[start - 1]):
            return []
        ends = (start + length for length in self._lengths.get(text[start], ()))
        return [
            end
            for end in ends
            if end <= len(text) and not (_LATIN.match(text[end - 1]) and _LATIN.match(text[end : end + 1]))
        ]


NO_LEXICON: Lexicon = Lexicon()


def read_lexicon(document: Any) -> tuple[Lexicon, list[Problem]]:
    """`document` is `{words: {WORD: HOW}}`. Returns the good words, and every problem of the others."""
    if document == {}:
        return NO_LEXICON, []
    if (
        not isinstance(document, dict)
        or set(document) != {"words"}
        or not isinstance(document["words"], dict)
    ):
        return NO_LEXICON, [Problem((), "expected `words:` and below it WORD: HOW")]
    words: dict[str, Entry] = {}
    problems: list[Problem] = []
    for word, how in document["words"].items():
        plain = clean(word)[0].strip()
        entry = _entry(plain, how)
        if isinstance(entry, str):
            problems.append(Problem(("words", word), entry))
        else:
            words[plain] = entry
    return Lexicon(words), problems


def _entry(word: str, how: Any) -> Entry | str:
    """The entry, or what is wrong with it."""
    if not word or len(word) > _MAX_LETTERS:
        return f"expected a word of 1 to {_MAX_LETTERS} letters"
    if not isinstance(how, str) or not how.strip():
        return "expected pinyin such as chong2 qing4, or what is said instead"
    syllables = how.lower().split()
    if not all(map(_SYLLABLE.fullmatch, syllables)):
        return Entry(instead=how.strip())
    if not HAN_RUN.fullmatch(word):
        return "has pinyin, but is no Han word"
    if len(syllables) != len(word):
        return f"has {len(syllables)} syllables for {len(word)} characters"
    return Entry(pinyin=tuple(syllable.replace("ü", "v") for syllable in syllables))
