"""Which words in capitals are spelled."""

from __future__ import annotations

import pytest

from edged.text.letters import greek_name, read_code, read_word, shouts
from edged.text.numbers_en import by_digit


@pytest.mark.parametrize(
    ("word", "shouting", "spoken"),
    [
        ("ATM", False, "A T M"),
        ("OPEN", False, "open"),
        ("FACTORY", False, "factory"),
        ("IT", False, "I T"),
        ("IT", True, "it"),
        ("CPU", True, "C P U"),
        ("TV", True, "T V"),
        ("MILK", True, "milk"),
        ("USB-C", False, "U S B C"),
        ("DON'T", True, "don't"),
        ("Wi-Fi", False, "Wi-Fi"),
        ("A", False, "A"),
    ],
)
def test_acronyms_are_spelled_and_words_are_not(word: str, shouting: bool, spoken: str) -> None:
    """Short words in capitals are acronyms unless they are words signs use, or all is in capitals."""
    assert read_word(word, shouting) == spoken


def test_a_sentence_shouts_when_all_its_words_are_in_capitals() -> None:
    """A lone acronym is no shouting."""
    assert shouts("GATE 12 IS OPEN")
    assert not shouts("ATM")
    assert not shouts("The ATM AND CPU")


def test_codes_say_every_character() -> None:
    """Letters and digits are said one by one."""
    assert read_code("H7n91", by_digit) == "H seven N nine one"


def test_greek_letters_have_their_names() -> None:
    """Both cases are called the same."""
    assert [greek_name(c) for c in "αΩ"] == ["alpha", "omega"]
