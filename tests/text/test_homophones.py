"""Characters that can only be read in the way somebody chose."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypinyin.constants import PHRASES_DICT
from pypinyin.contrib.tone_convert import to_tone3

from edged.text.homophones import UNAMBIGUOUS, Respelt, respelt
from edged.text.polyphones import PHRASES
from edged.text.sentence import Pinyin, Sentence

_LISTED = [(char, reading) for reading, chars in UNAMBIGUOUS.items() for char in chars]


def spelt(spoken: str, start: int, pinyin: str) -> Respelt:
    """`spoken` with this pinyin from `start` on."""
    syllables = tuple(pinyin.split())
    chosen = (Pinyin(start, start + len(syllables), syllables),) if syllables else ()
    return respelt(Sentence("zh", spoken, 0, chosen))


@pytest.mark.parametrize(
    ("spoken", "start", "pinyin", "respelt_as"),
    [
        ("去重庆路", 1, "chong2 qing4 lu4", "去虫庆路"),
        ("行长", 0, "hang2 zhang3", "航掌"),
        ("单先生", 0, "shan4", "善先生"),
        ("绿色", 0, "lv4", "虑色"),
        ("三号", 0, "", "三号"),
    ],
)
def test_a_character_with_other_readings_is_replaced(
    spoken: str, start: int, pinyin: str, respelt_as: str
) -> None:
    """By one that sounds right and nothing else; what has no other reading stays, and what nobody chose."""
    assert spelt(spoken, start, pinyin) == Respelt(respelt_as, ())


@pytest.mark.parametrize("pinyin", ["zi5", "dei3", "xyz1"])
def test_a_reading_without_a_homophone_leaves_the_character(pinyin: str) -> None:
    """A neutral tone, a rare syllable, nonsense: told, and the rest of the word is respelt."""
    assert spelt("行得", 0, f"hang2 {pinyin}") == Respelt("航得", (f"得 {pinyin}",))


def test_several_words_of_a_sentence_are_respelt() -> None:
    """Each at its place, whatever is between them."""
    chosen = (Pinyin(0, 1, ("hang2",)), Pinyin(4, 5, ("xing2",)))
    assert respelt(Sentence("zh", "行 A，行", 0, chosen)).spoken == "航 A，形"


def test_a_character_of_the_table_hardly_ever_has_another_reading() -> None:
    """In pypinyin's phrases, and never with a stressed syllable in ours; none is in the table twice."""
    heard: dict[str, Counter[str]] = {}
    for word, readings in PHRASES_DICT.items():
        if len(word) == len(readings) and word not in PHRASES:
            for char, (reading, *_) in zip(word, readings, strict=True):
                heard.setdefault(char, Counter())[to_tone3(reading, v_to_u=False)] += 1
    ours = {pair for word, readings in PHRASES.items() for pair in zip(word, readings, strict=True)}
    for char, reading in _LISTED:
        found = heard.get(char, Counter())
        assert found[reading] >= 0.98 * found.total(), char
        assert all(other in (reading, reading[:-1] + "5") for c, other in ours if c == char), char
    assert len({char for char, _ in _LISTED}) == len(_LISTED)


@given(
    st.text("行长重为一不子A， ", min_size=1),
    st.lists(st.sampled_from([*UNAMBIGUOUS, "zi5", "x1"]), max_size=9),
)
def test_a_text_keeps_its_length(spoken: str, readings: list[str]) -> None:
    """One character for one, so every later place in the sentence still counts."""
    readings = readings[: len(spoken)]
    found = spelt(spoken, 0, " ".join(readings))
    assert len(found.spoken) == len(spoken)
    assert found.spoken[len(readings) :] == spoken[len(readings) :]
    for char, reading in zip(found.spoken, readings, strict=False):
        assert (char in UNAMBIGUOUS.get(reading, "")) == (reading in UNAMBIGUOUS)


def test_every_reading_is_a_syllable_with_a_tone() -> None:
    """ü is written v, as in Sentence; the neutral tone has no character of its own."""
    assert all(re.fullmatch("[a-z]{1,6}[1-4]", reading) for reading in UNAMBIGUOUS)
