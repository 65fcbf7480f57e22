"""The cleaning pass: what is folded, what is skipped, and how it is told."""

from __future__ import annotations

import pytest

from edged.text.clean import clean


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ＡＢＣ１２３：", "ABC123:"),
        ("１，０００", "1,000"),
        ("请001，002号", "请001，002号"),
        ("m²", "m^2"),
        ("25℃", "25°C"),
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("٣", "3"),
        ("⼀", "一"),
        ("a\r\nb\u2028c", "a\nb\nc"),
        ("a\u00a0b\tc", "a b c"),
    ],
)
def test_other_forms_are_folded_to_plain_ones(text: str, folded: str) -> None:
    """Compatibility forms, accents and foreign digits are read like their plain counterparts, silently."""
    assert clean(text) == (folded, ())


def test_each_kind_of_thing_skipped_gives_one_warning() -> None:
    """A thousand emoji are one warning that names the first few."""
    text, warnings = clean("a😀b😀☃\u200bc\ud83d\x07д" + "\U0001f601\U0001f602\U0001f603\U0001f604" * 1000)
    assert text == "a b c"
    assert warnings == (
        "skipped_symbol: U+1F600 U+2603 U+1F601 U+1F602 U+1F603 …",
        "skipped_invisible: U+200B",
        "skipped_surrogate: U+D83D",
        "skipped_control: U+0007",
        "skipped_letter: U+0434",
    )


def test_an_invisible_mark_does_not_split_a_word() -> None:
    """Zero-width and direction marks vanish, a symbol keeps two words apart."""
    assert clean("win\u200bdow")[0] == "window"
    assert clean("one★two")[0] == "one two"


@pytest.mark.parametrize("text", ["a<b and c>d", "1 < 2", "<3", "<中>"])
def test_what_only_resembles_markup_is_text(text: str) -> None:
    """A less-than sign is read, not taken for a tag."""
    assert clean(text) == (text, ())


def test_tags_are_skipped_and_named() -> None:
    """Markup never reaches the voice, and the sender learns that it did not."""
    assert clean('<speak rate="fast">你好<br/></speak>') == (
        "你好",
        ('skipped_markup: <speak rate="fast"> <br/> </speak>',),
    )
