"""What the text front end hands to an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Lang = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Pinyin:
    """How the Han characters spoken[start:end] of a sentence sound: one syllable each, with a tone digit.

    "chong2"; 5 is the neutral tone, ü is written v.
    """

    start: int
    end: int
    syllables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in its spoken form.

    `lang` is the language that carries the sentence (it picks the voice). `spoken` may mix Han text and
    Latin words and holds no digits or symbols any more: only a-z A-Z, Han, single spaces, hyphens and
    apostrophes inside words (forty-five, don't), and , . ! ? ， 。 ！ ？ 、. A capital standing alone is
    a letter to spell (A T M). A space stands wherever Han and Latin meet.
    `pause_ms` is the silence wanted after it. `pinyin` holds the readings that somebody chose, in a lexicon
    or by markup; an engine reads everything else as it knows best.
    """

    lang: Lang
    spoken: str
    pause_ms: int
    pinyin: tuple[Pinyin, ...] = ()


@dataclass(frozen=True, slots=True)
class SpokenText:
    """The spoken form of a whole request, sentence by sentence, and what had to be skipped."""

    sentences: tuple[Sentence, ...]
    warnings: tuple[str, ...] = ()
