"""SSML-lite: what it is taken apart into."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.text.front_end import to_spoken
from edged.text.markup import Break, Hint, Plain, parse_markup
from edged.text.sentence import Pinyin

_PIECES = [
    "<speak>",
    "</speak>",
    "<s>",
    "</s>",
    "<p>",
    '<say-as interpret-as="digits">',
    "</say-as>",
    '<break time="1s"/>',
    '<sub alias="x">',
    "</sub>",
    '<phoneme ph="hang2">',
    "</phoneme>",
    "行",
    "A015",
    "<",
    ">",
    "&amp;",
    '"',
    "\ue000",
]


def test_text_without_markup_is_one_part() -> None:
    """An entity without a tag is text as well."""
    assert parse_markup("a &amp; b < c") == ((Plain("a &amp; b < c"),), ())


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('<say-as interpret-as="digits">015</say-as>', Hint("015", "digits")),
        ("<say-as interpret-as='spell-out'>VIP</say-as>", Hint("VIP", "spell")),
        ('<sub alias="b">a</sub>', Plain("b")),
        ('<break time="1.5s"/>', Break(1500)),
        ('<break time="3600s"/>', Break(10_000)),
        ("<break/>", Break(300)),
        ('<phoneme ph="lv4 hang2">绿行</phoneme>', Hint("绿行", "pinyin", ("lv4", "hang2"))),
        ('<say-as interpret-as="digits"><b>&lt;</say-as>', Hint("<b><", "digits")),
    ],
)
def test_a_tag_is_a_part(text: str, part: object) -> None:
    """Each with its attributes; nothing but XML's own entities is read."""
    assert part in parse_markup(text)[0]


def test_an_entity_never_expands_twice() -> None:
    """Nor does anything that a document could have declared."""
    parts, _ = parse_markup("<s>&amp;lt; &lol; &#65;</s>")
    assert Plain("&lt; &lol; A") in parts


def test_a_chosen_reading_keeps_its_place() -> None:
    """Offsets are those of the spoken form."""
    (sentence,) = to_spoken('A015号<phoneme ph="hang2 zhang3">行长</phoneme>').sentences
    assert sentence.spoken == "A 零一五号行长"
    assert sentence.pinyin == (Pinyin(6, 7, ("hang2",)), Pinyin(7, 8, ("zhang3",)))


def test_a_break_sets_the_pause() -> None:
    """After the words before it, and none at the end."""
    pauses = [s.pause_ms for s in to_spoken('一<break time="50ms"/>二。三<break time="2s"/>').sentences]
    assert pauses == [50, 600, 0]


def test_a_private_use_character_of_the_user_is_no_hint() -> None:
    """It is skipped with a warning before hints get theirs."""
    spoken = to_spoken('\ue000<say-as interpret-as="digits">12</say-as>')
    assert [s.spoken for s in spoken.sentences] == ["一二"]
    assert spoken.warnings == ("skipped_symbol: U+E000",)


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_nested_and_broken_markup_never_raises(text: str) -> None:
    """Whatever stands where: something is spoken, or told to be skipped."""
    read = to_spoken(text)
    assert read.sentences or read.warnings or "A015" not in text.partition("<sub")[0]


def test_many_open_tags_take_no_quadratic_time() -> None:
    """100 kB of them are read like any text of that length."""
    assert to_spoken('<say-as interpret-as="digits">' * 3000 + "1").sentences


def test_a_rank_with_thousands_of_digits_is_read_digit_by_digit() -> None:
    """No number of digits raises."""
    said = to_spoken(f"<say-as interpret-as='ordinal'>{'9' * 5000}</say-as> floor")
    assert said.sentences[0].spoken.startswith("nine nine nine")
    assert said.warnings == ("skipped_markup: interpret-as='ordinal'",)


def test_what_cannot_be_spoken_in_a_tag_is_named() -> None:
    """Nothing is dropped silently, neither in a tag nor outside."""
    warnings = to_spoken("<say-as interpret-as='digits'>☎1</say-as>号").warnings
    assert warnings == to_spoken("☎1号").warnings != ()


def test_an_empty_alias_drops_nothing() -> None:
    """The word itself is said."""
    assert to_spoken("<sub alias=''>WHO</sub>你好").sentences == to_spoken("WHO你好").sentences
