"""A site's own words."""

from __future__ import annotations

from typing import Any

import pytest

from edged.text.front_end import read, to_spoken
from edged.text.lexicon import NO_LEXICON, Entry, Lexicon, read_lexicon
from edged.text.sentence import Pinyin
from edged.text.style import Style


def lexicon(**words: str) -> Style:
    found, problems = read_lexicon({"words": words})
    assert problems == []
    return Style(lexicon=found)


def test_a_han_word_keeps_its_text_and_gets_its_syllables() -> None:
    """The engine is told how it sounds, and a technician why."""
    (found,) = read("请到重庆路", "auto", lexicon(重庆路="chong2 qing4 lü4")).sentences
    assert found.sentence.spoken == "请到重庆路"
    assert found.sentence.pinyin == (
        Pinyin(2, 3, ("chong2",)),
        Pinyin(3, 4, ("qing4",)),
        Pinyin(4, 5, ("lv4",)),
    )
    assert found.tokens[-1].why == "lexicon: chong2 qing4 lv4"


def test_any_other_word_is_said_instead() -> None:
    """A brand by its Chinese name, a name by a respelling."""
    style = lexicon(KFC="肯德基", Kokoro="koh-koh-roh")
    assert [s.spoken for s in to_spoken("请到KFC", "auto", style).sentences] == ["请到肯德基"]
    assert [s.spoken for s in to_spoken("This is Kokoro.", "auto", style).sentences] == [
        "This is koh-koh-roh."
    ]


@pytest.mark.parametrize("text", ["KFCX", "XKFC", "KFC2"])
def test_a_word_inside_another_one_is_left_alone(text: str) -> None:
    """Latin words end where letters and digits end."""
    assert NO_LEXICON.find(text) == []
    assert lexicon(KFC="肯德基").lexicon.find(text) == []


def test_the_longest_word_counts() -> None:
    """And what follows it is looked at next."""
    words = Lexicon({"行": Entry(("xing2",)), "行长": Entry(("hang2", "zhang3"))})
    assert [found.entry.pinyin for found in words.find("行长行")] == [("hang2", "zhang3"), ("xing2",)]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("hang2", "has 1 syllables for 2 characters"),
        ("", "expected pinyin such as chong2 qing4, or what is said instead"),
        (["hang2"], "expected pinyin such as chong2 qing4, or what is said instead"),
    ],
)
def test_a_wrong_entry_leaves_the_others(how: Any, reason: str) -> None:
    """All problems at once, each at its word."""
    found, problems = read_lexicon({"words": {"行长": how, "重庆": "chong2 qing4"}})
    assert [(problem.where, problem.reason) for problem in problems] == [(("words", "行长"), reason)]
    assert list(found.words) == ["重庆"]


@pytest.mark.parametrize("document", [[], {"word": {}}, {"words": []}, "words"])
def test_another_shape_is_no_lexicon(document: Any) -> None:
    """One problem tells what is expected."""
    found, problems = read_lexicon(document)
    assert (found, len(problems)) == (NO_LEXICON, 1)


def test_pinyin_is_for_han_words() -> None:
    """An English word cannot be said in syllables of Chinese."""
    _, problems = read_lexicon({"words": {"abc": "chong2"}})
    assert problems[0].reason == "has pinyin, but is no Han word"


def test_a_long_text_is_searched_in_linear_time() -> None:
    """Every place is looked at once for each length of word."""
    words = Lexicon({"重" * n: Entry(instead="x") for n in range(2, 60)})
    assert len(words.find("重" * 59_000)) == 1000
