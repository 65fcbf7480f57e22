"""What is told about a token."""

from __future__ import annotations

import pytest

from edged.text import rules
from edged.text.front_end import read
from edged.text.tokens import Rule, Token
from edged.text.why import why

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
