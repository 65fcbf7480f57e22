"""How the Han characters of a sentence are read.

Words and their readings come from pypinyin's phrase dictionary and our additions to it (`polyphones`). It
takes 0.3 s and 60 MB to load: only what speaks or explains Chinese imports this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pypinyin import Style, lazy_pinyin, load_phrases_dict, load_single_dict
from pypinyin.contrib.tone_convert import to_tone
from pypinyin.seg import mmseg

from edged.text.alphabet import HAN
from edged.text.polyphones import CONTEXT, PHRASES, SINGLES
from edged.text.sentence import Sentence

By = Literal["lexicon or markup", "phrase dictionary", "context", "ordinary reading"]

_TONES_BY_PLACE = frozenset("一不")  # no reading of theirs is a choice: sandhi decides

# Han characters with nothing but spaces between them: words are looked for across the spaces.
_RUN = re.compile(rf"[{HAN}]+(?: +[{HAN}]+)*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence, with one reading for each of its characters and what decided them.

    `start` is the place of its first character in the sentence. A reading is pinyin with a tone digit, as in
    dictionaries ("chong2", 5 for the neutral tone, ü as v), "" for a character that has none.
    """

    han: str
    start: int
    readings: tuple[str, ...]
    by: By


def words(sentence: Sentence) -> Iterator[Word]:
    """The words of all Han characters of `sentence`, in order."""
    chosen = {
        pinyin.start + i: syllable
        for pinyin in sentence.pinyin
        for i, syllable in enumerate(pinyin.syllables)
    }
    for run in _RUN.finditer(sentence.spoken):
        places = [place for place in range(run.start(), run.end()) if sentence.spoken[place] != " "]
        yield from _words("".join(run[0].split(" ")), places, chosen)


def _words(han: str, places: Sequence[int], chosen: Mapping[int, str]) -> Iterator[Word]:
    _load_dictionary()
    by_context = {match.start(): reading for pattern, reading in CONTEXT for match in pattern.finditer(han)}
    index = 0
    for word in mmseg.seg.cut(han):
        readings, by = _looked_up(word)
        if len(word) == 1 and index in by_context:
            readings, by = [by_context[index]], "context"
        here = places[index : index + len(word)]
        if not chosen.keys().isdisjoint(here):
            readings = [chosen.get(place, reading) for place, reading in zip(here, readings, strict=True)]
            by = "lexicon or markup"
        yield Word(word, here[0], tuple(readings), by)
        index += len(word)


def was_a_choice(word: Word) -> bool:
    """Whether the dictionary had to choose for `word`.

    A character in it is read otherwise than alone, or is one of those that our phrases read in several ways.
    """
    if word.by == "lexicon or markup":
        return False
    pairs = [pair for pair in zip(word.han, word.readings, strict=True) if pair[0] not in _TONES_BY_PLACE]
    return any(reading != ordinary(char) or char in _polyphones() for char, reading in pairs)


@cache
def _polyphones() -> frozenset[str]:
    """What our phrases read in another way than alone, unstressed syllables left out."""
    readings = ((c, r) for word, read in PHRASES.items() for c, r in zip(word, read, strict=True))
    return frozenset(c for c, reading in readings if reading[-1] != "5" and reading != ordinary(c))


@cache
def _load_dictionary() -> None:
    """Add our readings to pypinyin's process-wide dictionary, once."""
    load_phrases_dict({word: [[to_tone(r)] for r in readings] for word, readings in PHRASES.items()})
    load_single_dict({ord(c): to_tone(reading) for c, reading in SINGLES.items()})


def _looked_up(word: str) -> tuple[list[str], By]:
    readings = _pinyin(word)
    if len(word) > 1 and len(readings) == len(word):
        return readings, "phrase dictionary"
    return [ordinary(char) for char in word], "ordinary reading"


def ordinary(char: str) -> str:
    """How `char` is read outside every known word; "" when it has no reading."""
    _load_dictionary()
    return "".join(_pinyin(char))


def _pinyin(word: str) -> list[str]:
    return lazy_pinyin([word], style=Style.TONE3, v_to_u=False, neutral_tone_with_five=True, errors="ignore")
