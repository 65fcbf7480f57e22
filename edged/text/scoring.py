"""How well a text was understood: what a recogniser wrote down, compared with what was said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pypinyin import lazy_pinyin

from edged.text.front_end import to_spoken
from edged.text.sentence import Lang

# The same numeral in another word.
_SAME_NUMERAL = str.maketrans({"两": "二", "幺": "一", "〇": "零"})
_BETWEEN_DIGITS = re.compile(r"(?<=\d)(?=\d)")
_JOINT = re.compile(r"(?<=[\dA-Z])[-.,:]+ ?(?=[\dA-Z])")
_POINT = re.compile(r"(?<=\d)\.(?=\d\d(?!\d))")
_UNIT = {"zh": re.compile(r"[A-Za-z]|[^\W\d_a-zA-Z]+"), "en": re.compile(r"[a-z]+(?:'[a-z]+)?")}


@dataclass(frozen=True, slots=True)
class Score:
    """Edit distance between the units said and heard, and how many were said."""

    errors: int
    units: int

    @property
    def percent(self) -> float:
        """Errors per hundred units."""
        return 100 * self.errors / self.units


def score(said: str, heard: str, lang: Lang) -> Score:
    """Compare the spoken form `said` with the recogniser's text.

    A recogniser writes numbers as it likes: 15 may be fifteen or one five, 3-4-1835 three numbers, 9.30 a
    time. It is taken at the best of these.
    """
    reference = units(spoken_form(said, lang), lang)
    distances = (edit_distance(reference, units(spoken_form(text, lang), lang)) for text in _spellings(heard))
    return Score(min(distances), len(reference))


def _spellings(heard: str) -> Iterator[str]:
    """`heard`, with its digits as numbers and one by one, and with the marks among them read or not."""
    for text in (heard, _POINT.sub(":", heard), _JOINT.sub(" ", heard)):
        yield text
        yield _BETWEEN_DIGITS.sub(" ", text)


def total(scores: Sequence[Score]) -> Score:
    """All scores as one: long prompts weigh more."""
    return Score(sum(s.errors for s in scores), sum(s.units for s in scores))


def spoken_form(text: str, lang: Lang) -> str:
    """`text` without digits and symbols, as it is read out."""
    return " ".join(sentence.spoken for sentence in to_spoken(text, lang).sentences)


def units(spoken: str, lang: Lang) -> list[str]:
    """What is compared: pinyin syllables without tones and single letters, or lower-case words."""
    if lang == "zh":
        found = _UNIT["zh"].findall(spoken.translate(_SAME_NUMERAL))
        return [unit.lower() for part in found for unit in lazy_pinyin(part)]
    words = ["zero" if w == "oh" else w for w in _UNIT["en"].findall(spoken.lower().replace("’", "'"))]
    return [w for w, before in zip(words, ["", *words], strict=False) if (before, w) != ("hundred", "and")]


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """The least number of insertions, deletions and substitutions that turn `a` into `b`."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]
