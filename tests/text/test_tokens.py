"""The scanner and the rules given to it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.text import patterns, rules
from edged.text.clean import clean
from edged.text.tokens import Rule, rule, scan

_RULES = {"zh": rules.ZH, "en": rules.EN, "en shouted": rules.EN_SHOUTED}

# Each of these succeeds with the first character it takes, so it is never tried twice on the same text.
_UNBOUNDED = (patterns.DIGITS, patterns.HAN_TEXT, patterns.WORD, patterns.REPEATED_SYMBOL, patterns.PAUSE)
_UNBOUNDED_REPEAT = re.compile(r"(?<!\\)(?:[+*]|\{\d+,\})")
_CHARACTER_CLASS = re.compile(r"\[(?:\\.|[^\]\\])*\]")


@given(st.text(), st.sampled_from(sorted(_RULES)))
def test_tokens_cover_the_text_in_order(text: str, rules: str) -> None:
    """No stretch of the text is left out or read twice."""
    body, _ = clean(text)
    assert "".join(token.text for token in scan(body, 0, len(body), _RULES[rules])) == body


def test_the_first_rule_that_fits_wins_and_may_pass() -> None:
    """A reading of None leaves the token to the next rule; a context must stand just before."""
    rules = (
        rule("pass", "a", lambda _: None),
        rule("after b", "a", "one", after="b"),
        rule("any", ".", "two"),
    )
    kinds = [token.kind for token in scan("aba", 0, 3, rules)]
    assert kinds == ["any", "any", "after b"]


def test_text_no_rule_reads_is_a_gap() -> None:
    """What is left over separates words instead of joining them."""
    assert [token.spoken for token in scan("a-a", 0, 3, (rule("a", "a", "A"),))] == ["A", " ", "A"]


@pytest.mark.parametrize("language", sorted(_RULES))
def test_every_rule_does_a_bounded_amount_of_work(language: str) -> None:
    """A scan is linear: a rule either repeats a bounded number of times or can not fail once begun."""
    offenders = [r.pattern.pattern for r in _RULES[language] if _may_run_on(r)]
    assert offenders == []


def _may_run_on(candidate: Rule) -> bool:
    source = candidate.pattern.pattern
    return source not in _UNBOUNDED and bool(_UNBOUNDED_REPEAT.search(_CHARACTER_CLASS.sub("x", source)))
