"""What is told about a token."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.text import rules
from edged.text.alphabet import HAN_RUN
from edged.text.front_end import read
from edged.text.lexicon import Entry, Lexicon
from edged.text.style import DEFAULT, Style
from edged.text.tokens import Rule, Token
from edged.text.why import Explained, explained, why

_RULES = {candidate.kind: candidate for candidate in (*rules.ZH, *rules.EN, *rules.EN_SHOUTED)}


@pytest.mark.parametrize("kind", sorted(_RULES))
def test_every_kind_has_a_reason(kind: str) -> None:
    """A technician never sees a bare name of a rule."""
    told = why(Token("1", "one", kind))
    assert told
    assert told != kind or _is_told_by_each_rule(kind)


def _is_told_by_each_rule(kind: str) -> bool:
    every: tuple[Rule, ...] = (*rules.ZH, *rules.EN)
    return all(candidate.why for candidate in every if candidate.kind == kind)


def test_a_rule_may_have_its_own_reason() -> None:
    """It comes before that of its kind."""
    (sentence,) = read("重2-3kg", "zh").sentences
    assert why(sentence.tokens[-1]) == "a quantity from one to another"


def test_the_tokens_are_the_text() -> None:
    """Nothing of a text without symbols is missing between its tokens."""
    text = "请A015号到3号窗口"
    (sentence,) = read(text).sentences
    assert "".join(token.text for token in sentence.tokens) == text


def test_tokens_go_to_the_piece_where_they_are_heard() -> None:
    """A long sentence is cut into pieces, and its tokens with it."""
    found = read("请A015号到3号窗口，" * 30).sentences
    assert len(found) > 2
    for sentence in found:
        letters = [c for token in sentence.tokens for c in token.spoken if c.isalpha()]
        assert letters == [c for c in sentence.sentence.spoken if c.isalpha()]


def explain(text: str, style: Style = DEFAULT) -> list[Explained]:
    found = read(text, style=style)
    return [item for tokens in explained(found.sentences) for item in tokens]


def test_a_token_tells_the_readings_of_its_characters_and_each_choice_among_them() -> None:
    """行 is hang2 in one place and xing2 in another."""
    assert explain("请到支行步行街3号") == [
        Explained(
            Token("请到支行步行街", "请到支行步行街", "han"),
            ("qing3", "dao4", "zhi1", "hang2", "bu4", "xing2", "jie1"),
            "as written; phrase dictionary: 支行 zhi1 hang2; phrase dictionary: 步行 bu4 xing2",
        ),
        Explained(Token("3", "三", "number"), ("san1",), why(Token("3", "三", "number"))),
        Explained(Token("号", "号", "han"), ("hao4",), "as written"),
    ]


def test_a_word_is_told_by_every_token_it_is_made_of() -> None:
    """1 and 行 are one word."""
    one, row = explain("1行")
    assert one.why.endswith("; phrase dictionary: 一行 yi4 hang2")
    assert (row.pinyin, row.why) == (("hang2",), "as written; phrase dictionary: 一行 yi4 hang2")


def test_a_word_that_comes_again_is_told_once() -> None:
    """The reasons stay readable."""
    (item,) = explain("支行到支行")
    assert item.why == "as written; phrase dictionary: 支行 zhi1 hang2"


def test_what_a_lexicon_decides_is_told_once() -> None:
    """Its word is a token, with the lexicon as its reason."""
    lexicon = Lexicon({"行号": Entry(pinyin=("xing2", "hao4"))})
    (item,) = explain("行号", Style(lexicon=lexicon))
    assert (item.pinyin, item.why) == (("xing2", "hao4"), "lexicon: xing2 hao4")


def test_what_is_not_chinese_has_no_pinyin() -> None:
    """Neither a Latin word nor a mark."""
    assert not any(item.pinyin for item in explain("Gate 12, please"))


def test_a_token_that_reaches_into_the_next_sentence_keeps_its_readings() -> None:
    """A long run is cut to fit the engine, and is one token."""
    text = "三号" * 100
    assert len(read(text).sentences) > 1
    assert [item.pinyin for item in explain(text)] == [("san1", "hao4") * 100]


_PART = st.sampled_from(
    ["支行", "A015", "3号，", "行", "。", " ", "Gate 12 ", "😀", "￥1.5", "<s>", "为10", "重"]
)


@settings(deadline=None)  # the first text loads the dictionary
@given(st.text(max_size=80) | st.lists(_PART, max_size=200).map("".join))
def test_every_han_character_has_its_reading(text: str) -> None:
    """As many readings as the spoken form has Han characters, token by token."""
    for item in explain(text):
        assert len(item.pinyin) == len("".join(HAN_RUN.findall(item.token.spoken)))
