"""What holds for every string whatsoever."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.text.alphabet import HAN
from edged.text.front_end import Reading, to_spoken
from edged.text.segment import MAX_CHARS

_SPOKEN = re.compile(f"[A-Za-z{HAN}][A-Za-z{HAN} ,.!?，。！？、'-]*")
_LANGS = st.sampled_from(("auto", "zh", "en"))

# Any code point at all, surrogates included, mixed with what kiosks really send.
_ANY_TEXT = st.text(st.characters(), max_size=200)
_KIOSK_FRAGMENTS = (
    "A015|3号|窗口|Gate|12|¥12.50|$1,000.5|-5|℃|2026-11-30|11/30|9:30|PM|p.m.|。|，|,|.|!|?| |\n|-|~|ATM|"
    "OPEN|the|is|No.|Mr.|e.g.|&|@|#|*|%|(|)|'|\"|“|1,2|v1.2|2个|第|/|kg|h|²|^3|😀|\u200b|é|\u0301|www.a.cn|a@b.cn|"
    "U.S.|...|……|；|:|α|½|_|<b>|<|中文|a|don't|Wi-Fi|USB-C|１２|·|+86|138|电话|Nov|30|th|年|月|元|CPU|HELLO|、"
)
_FRAGMENTS = _KIOSK_FRAGMENTS.split("|")
_KIOSK_TEXT = st.lists(st.sampled_from(_FRAGMENTS), max_size=40).map("".join)


def _spoken(text: str, lang: Reading) -> list[str]:
    return [s.spoken for s in to_spoken(text, lang).sentences]


@given(_ANY_TEXT | _KIOSK_TEXT, _LANGS)
def test_only_letters_han_and_light_punctuation_come_out(text: str, lang: Reading) -> None:
    """No string raises, and no digit, symbol or over-long sentence reaches the engine."""
    for spoken in _spoken(text, lang):
        assert _SPOKEN.fullmatch(spoken)
        assert len(spoken) <= MAX_CHARS


@settings(max_examples=300)
@given(_ANY_TEXT | _KIOSK_TEXT, _LANGS)
def test_reading_the_result_again_changes_nothing(text: str, lang: Reading) -> None:
    """The spoken form is a fixed point, however its sentences were cut."""
    spoken = _spoken(text, lang)
    assert _spoken(" ".join(spoken), lang) == spoken


_PLAIN = st.text(st.sampled_from("abcxyzABCXYZ请到窗口办理业务 ，。,.\n"), max_size=400)


@given(_PLAIN, _LANGS)
def test_no_letter_and_no_han_is_lost(text: str, lang: Reading) -> None:
    """Every letter and every Han character of plain text is spoken, in order."""
    spoken = iter("".join(_spoken(text, lang)).lower())
    assert all(char in spoken for char in text.lower() if char.isalpha())


@given(_ANY_TEXT)
def test_what_is_not_spoken_is_warned_of(text: str) -> None:
    """A text of letters the voices do not have either speaks or warns: nothing vanishes silently."""
    result = to_spoken(text)
    assert result.sentences or result.warnings or not re.search(f"[A-Za-z0-9{HAN}]", text)


@given(st.lists(st.integers(0, 10**15), min_size=1, max_size=6))
def test_no_number_of_a_list_is_dropped(numbers: list[int]) -> None:
    """ "3 4 1835" is three numbers: as many readings as there are numbers."""
    spoken = "".join(_spoken("、".join(f"{n}号" for n in numbers), "zh"))
    assert spoken.count("号") == len(numbers)
    assert not re.search("(^|、)号", spoken)


_UNITS = ["1", "a", "A", "中", " ", "😀", "\u0301\u0327", "Mr. ", "<b", "1-", "中AA BB CC", "A015号，"]


@pytest.mark.parametrize("unit", _UNITS)
def test_a_hundred_kilobytes_of_one_thing_are_read(unit: str) -> None:
    """Nothing recurses or gives up on a long text: it is read like ten repetitions of it, only longer."""
    short, long = to_spoken(unit * 10), to_spoken(unit * (100_000 // len(unit)))
    assert bool(long.sentences) == bool(short.sentences)
    assert bool(long.warnings) == bool(short.warnings)
    assert len(long.sentences) >= len(short.sentences)


def test_the_last_sentence_has_no_pause_and_others_have() -> None:
    """Silence separates sentences; a request ends with its last sample of speech."""
    pauses = [s.pause_ms for s in to_spoken("你好。再见。Bye.").sentences]
    assert pauses == [600, 600, 0]


def test_a_sentence_is_spoken_in_its_own_language() -> None:
    """The language of each sentence follows its words, and one without words follows its neighbour."""
    assert [s.lang for s in to_spoken("请等候。Please wait. 12.").sentences] == ["zh", "en", "en"]
    assert [s.lang for s in to_spoken("12. Please wait.").sentences] == ["en", "en"]
    assert [s.lang for s in to_spoken("Please wait", "zh").sentences] == ["zh"]
