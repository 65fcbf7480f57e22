"""Numbers in both languages, read back by an independent reader."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edged.text import numbers_en, numbers_zh
from edged.text.front_end import to_spoken
from tests.text.readback import read_en, read_zh

_AMOUNTS = st.one_of(st.integers(0, 10**6), st.integers(0, 10**16))


@given(_AMOUNTS)
@example(10**16)
@example(10_0000_0000)
def test_chinese_says_every_integer_as_itself(n: int) -> None:
    """Whatever is written in words reads back as the same number, up to 10^16."""
    assert read_zh(numbers_zh.cardinal(n)) == n


@given(_AMOUNTS)
@example(10**16)
def test_english_says_every_integer_as_itself(n: int) -> None:
    """Whatever is written in words reads back as the same number, up to 10^16."""
    assert read_en(numbers_en.cardinal(n)) == n


@given(_AMOUNTS)
def test_grouped_digits_are_an_amount_in_both_languages(n: int) -> None:
    """Thousands separators make any run of digits an amount, whatever its length."""
    text = f"{n:,}"
    assert read_zh("".join(s.spoken for s in to_spoken(text, "zh").sentences)) == n
    assert read_en(" ".join(s.spoken for s in to_spoken(text, "en").sentences)) == n


@given(st.integers(0, 10**16 - 1))
def test_an_amount_before_yuan_is_a_cardinal_however_long(n: int) -> None:
    """A long number with a unit is no card number."""
    spoken = to_spoken(f"{n}元").sentences[0].spoken
    assert read_zh(spoken.removesuffix("元")) == n


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (10, "十"),
        (12, "十二"),
        (110, "一百一十"),
        (1005, "一千零五"),
        (1050, "一千零五十"),
        (10010, "一万零一十"),
        (100000, "十万"),
        (2000, "两千"),
        (12000, "一万二千"),
        (20000, "两万"),
        (1_0000_0005, "一亿零五"),
        (120_0000_0000, "一百二十亿"),
    ],
)
def test_chinese_puts_zeros_and_liang_where_speakers_do(n: int, words: str) -> None:
    """One 零 for a gap, none at the end of a group, 两 only in front."""
    assert numbers_zh.cardinal(n) == words


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "first"),
        (2, "second"),
        (3, "third"),
        (5, "fifth"),
        (8, "eighth"),
        (9, "ninth"),
        (12, "twelfth"),
        (20, "twentieth"),
        (23, "twenty-third"),
        (105, "one hundred fifth"),
    ],
)
def test_english_ordinals_change_only_the_last_word(n: int, words: str) -> None:
    """Irregular forms apply to the last word alone."""
    assert numbers_en.ordinal(n) == words


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("2026", "twenty twenty-six"),
        ("2000", "two thousand"),
        ("2005", "two thousand five"),
        ("1900", "nineteen hundred"),
        ("1905", "nineteen oh five"),
        ("1066", "ten sixty-six"),
    ],
)
def test_english_years_are_said_in_pairs(digits: str, words: str) -> None:
    """Years are two pairs but for the first decade of a millennium."""
    assert numbers_en.year(digits) == words


def test_a_number_too_long_to_be_an_amount_is_said_digit_by_digit() -> None:
    """Longer runs than speakers have names for lose no digit."""
    assert numbers_zh.integer("1" * 30) == "一" * 30
    assert numbers_en.integer("1" * 30) == " ".join(["one"] * 30)


def test_the_telephone_one_is_yao() -> None:
    """Only telephone numbers say 幺."""
    assert numbers_zh.phone("110") == "幺幺零"
    assert numbers_zh.by_digit("110") == "一一零"


@given(st.integers(0, 999), st.integers(1, 7))
def test_a_whole_and_a_part_stay_apart(whole: int, eighths: int) -> None:
    """ "11/8" is eleven eighths, "1 1/8" and "1⅛" one and an eighth, however it is written."""
    parts = {f"{whole} {eighths}/8", f"{whole}-{eighths}/8", f"{whole}又{eighths}/8"}
    for text in parts:
        assert to_spoken(text, "zh").sentences[0].spoken == (
            f"{numbers_zh.cardinal(whole)}又八分之{numbers_zh.cardinal(eighths)}"
        )


@pytest.mark.parametrize("beginning", ["人工服务", "支付", "包裹查询", "处理", "下一步", "组织", "项目"])
def test_a_word_that_begins_like_a_measure_word_counts_nothing(beginning: str) -> None:
    """ "按2支付" names a key; "2支笔" counts."""
    assert to_spoken(f"按2{beginning}").sentences[0].spoken == f"按二{beginning}"
