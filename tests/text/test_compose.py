"""A request becomes what is heard, in its order."""

from __future__ import annotations

from typing import Any

import pytest

from edged.protocol.request import Request
from edged.text.compose import compose
from edged.text.content import Clip, Piece, Silence, Words
from edged.text.template_file import read_templates
from edged.text.templates import TemplateError, Templates

TEMPLATES = Templates(
    read_templates({"call": {"slots": {"n": {"type": "digits"}}, "zh": "请{n}号", "en": "Ticket {n}"}})[0]
)


def pieces(**fields: Any) -> tuple[Piece, ...]:
    """What is heard of a request with these fields."""
    return compose(Request.model_validate({"id": "t", **fields}, strict=False), TEMPLATES)


def test_a_text_is_one_piece() -> None:
    """Whole and untouched: the front end reads it later."""
    assert pieces(text="A015 好") == (Words("A015 好"),)
    assert pieces(text="A015", lang="en") == (Words("A015", "en"),)


def test_a_part_is_its_text() -> None:
    """A cut in the middle of a word stays there."""
    assert pieces(text="请A01", part=3) == (Words("请A01"),)


def test_segments_keep_their_order() -> None:
    """Each of the five kinds becomes its piece."""
    segments = [{"clip": "gong.wav"}, {"text": "号码"}, {"digits": "015"}, {"pause_ms": 0}, {"spell": "X7"}]
    assert pieces(segments=segments, lang="zh") == (
        Clip("gong.wav"),
        Words("号码", "zh"),
        Words("015", "zh", "digits"),
        Silence(0),
        Words("X7", "zh", "spell"),
    )


@pytest.mark.parametrize(
    ("segments", "lang"),
    [
        ([{"text": "Your code is"}, {"spell": "X7"}], "en"),
        ([{"text": "你好。Your code is"}, {"spell": "X7"}], "en"),
        ([{"spell": "X7"}, {"pause_ms": 100}, {"text": "is your code. 谢谢"}], "en"),
        ([{"text": "验证码"}, {"spell": "HELLO"}, {"text": "Thank you"}], "zh"),
        ([{"spell": "X7"}], "zh"),
    ],
)
def test_a_code_is_spelled_in_the_language_of_the_text_beside_it(segments: list[Any], lang: str) -> None:
    """Of that before it, else of that after it; letters of a code are no English."""
    spelled = [p for p in pieces(segments=segments) if isinstance(p, Words) and p.how == "spell"]
    assert [words.lang for words in spelled] == [lang]


def test_the_language_of_the_request_is_that_of_its_codes() -> None:
    """Whatever the text beside them looks like."""
    assert pieces(segments=[{"text": "验证码"}, {"spell": "X7"}], lang="en")[1] == Words("X7", "en", "spell")


def test_a_template_is_expanded_in_the_language_of_the_request() -> None:
    """With its vars in their spoken form."""
    assert pieces(template="call", vars={"n": 107}, lang="en") == (Words("Ticket one zero seven", "en"),)
    assert len(pieces(template="call", vars={"n": "107"})) == 3


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"template": "cal"}, "template: 'cal' is not known; known: call"),
        ({"template": "call"}, "template call: vars.n: missing"),
        (
            {"template": "call", "vars": {"n": "x" * 100}},
            f'template call: vars.n: expected a code with digits in it (A015), got "{"x" * 59}',
        ),
    ],
)
def test_what_cannot_be_said_is_a_bad_field(fields: dict[str, Any], reason: str) -> None:
    """The reason names template and var, and repeats no more than the beginning of the value."""
    with pytest.raises(TemplateError) as error:
        pieces(**fields)
    assert (error.value.code, error.value.what) == ("bad_field", reason)
