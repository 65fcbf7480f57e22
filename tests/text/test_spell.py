"""Codes said sign by sign."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.text.content import Words
from edged.text.front_end import to_spoken
from edged.text.reading import read_words
from edged.text.sentence import Lang, SpokenText
from edged.text.spell import by_digit, spelled

CODES = st.text("AIZaiz0129 -+./#@&:_?*,，贵〇½é\n", max_size=30)
PUNCTUATION = re.compile("[ ,，]+")


@pytest.mark.parametrize(
    ("text", "zh", "en"),
    [
        ("CPU", "C P U", "C P U"),
        ("x7-f", "X 七杠 F", "X seven dash F"),
        ("A015", "A 零一五", "A zero one five"),
        ("+86", "加八六", "plus eight six"),
        ("a_b.c@d", "A 下划线 B 点 C 艾特 D", "A underscore B dot C at D"),
        ("#12*", "井号一二星号", "hash one two star"),
        ("1 2，3", "一，二，三", "one , two , three"),
        ("京A-12", "京 A 杠一二", "京 A dash one two"),
        ("😀", "", ""),
        (" ,", "", ""),
    ],
)
def test_spelling_names_every_letter_digit_and_sign(text: str, zh: str, en: str) -> None:
    """A hyphen is a dash, a dot a dot; a space or comma is a pause; 1 is never 幺."""
    assert spelled(text, "zh") == zh
    assert spelled(text, "en") == en


@pytest.mark.parametrize(
    ("code", "zh", "en"),
    [
        ("A015", "A 零一五", "A zero one five"),
        ("a-15", "A 一五", "A one five"),
        ("B2-07", "B 二杠零七", "B two dash zero seven"),
        ("C 012", "C 零一二", "C zero one two"),
        ("12 34", "一二，三四", "one two , three four"),
        ("No.12", "N O 一二", "N O one two"),
        ("(12)", "一二", "one two"),
        ("贵宾008", "贵宾零零八", "贵宾 zero zero eight"),
        ("", "", ""),
    ],
)
def test_a_code_is_said_digit_by_digit(code: str, zh: str, en: str) -> None:
    """Signs are said between digits only, spaces are pauses only there."""
    assert by_digit(code, "zh") == zh
    assert by_digit(code, "en") == en


@pytest.mark.parametrize(
    ("number", "zh"),
    [
        ("13800138000", "幺三八零零幺三八零零零"),
        ("138 0013 8000", "幺三八，零零幺三，八零零零"),
        ("010-65123456", "零幺零，六五幺二三四五六"),
        ("+86 138-0013-8000", "加八六，幺三八，零零幺三，八零零零"),
        ("110", "一一零"),
        ("1234567", "一二三四五六七"),
        ("A13800138000", "A 一三八零零一三八零零零"),
    ],
)
def test_only_the_1_of_a_telephone_number_is_yao(number: str, zh: str) -> None:
    """In a code 1 is 一; in a telephone number it is 幺, and its groups are heard as groups."""
    assert by_digit(number, "zh") == zh
    assert "one" in by_digit(number, "en")


@given(CODES, st.sampled_from(("zh", "en")))
def test_what_is_spelled_is_in_spoken_form(code: str, lang: Lang) -> None:
    """The front end changes nothing of it but spaces and pauses."""
    for read in (spelled, by_digit):
        spoken = read(code, lang)
        again = "".join(sentence.spoken for sentence in to_spoken(spoken, lang).sentences)
        assert PUNCTUATION.sub("", again) == PUNCTUATION.sub("", spoken)


@given(st.text(max_size=50), st.sampled_from(("zh", "en")), st.sampled_from(("spell", "digits")))
def test_no_string_raises(text: str, lang: Lang, how: Literal["spell", "digits"]) -> None:
    """Whatever a controller calls a code."""
    assert isinstance(read_words(Words(text, lang, how)), SpokenText)


def test_words_are_read_as_they_ask() -> None:
    """Plain, spelled and by digit; without a language it is Chinese, as for texts without a clue."""
    assert [
        [sentence.spoken for sentence in read_words(Words("B2-7", lang, how)).sentences]
        for how in ("plain", "spell", "digits")
        for lang in ("auto", "en")
    ] == [
        *(["B 二到七"], ["B two to seven"]),
        *(["B 二杠七"], ["B two dash seven"]),
        *(["B 二杠七"], ["B two dash seven"]),
    ]


def test_what_cannot_be_spelled_is_skipped_with_a_warning() -> None:
    """As in any text."""
    assert read_words(Words("A😀1", "en", "spell")).warnings == ("skipped_symbol: U+1F600",)
    assert read_words(Words("😀", "en", "digits")).sentences == ()
