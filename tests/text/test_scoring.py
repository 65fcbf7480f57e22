"""What counts as an error of a recogniser, and so of the voice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.text.scoring import Score, edit_distance, score, total


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("请A零一五号到三号窗口。", "请A015号到3号窗口"),
        ("预计等待二十五分钟。", "预计等待25分钟"),
        ("有两位。", "有2位"),
        ("重庆银行", "虫情银航"),
        ("三，四，一千八百三十五", "3-4-1835"),
    ],
)
def test_digits_and_homophones_are_no_errors_in_chinese(said: str, heard: str) -> None:
    """A recogniser may write digits, and cannot tell characters of the same sound apart."""
    assert score(said, heard, "zh").errors == 0


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("Ticket A zero one five.", "Ticket A015."),
        ("Ticket A oh one five.", "ticket a 015"),
        ("Gate twelve is open.", "Gate 12 is open"),
        ("two hundred and eight", "two hundred eight"),
        ("At nine thirty", "at 9.30."),
        ("Gateway zero zero, five E, zero one", "Gateway 0-0-5E-0-1"),
        ("version one point three zero", "version 1.30"),
        ("It’s nine o'clock.", "it's nine o'clock"),
    ],
)
def test_digits_case_and_punctuation_are_no_errors_in_english(said: str, heard: str) -> None:
    """Only the words count."""
    assert score(said, heard, "en").errors == 0


def test_each_wrong_missing_or_added_unit_is_one_error() -> None:
    """Errors are edit distance, units are those of the text that was said."""
    assert score("请到三号窗口", "请到四号窗口", "zh") == Score(1, 6)
    assert score("go to gate five", "go gate five", "en") == Score(1, 4)
    assert score("go", "go go go", "en") == Score(2, 1)


def test_nothing_heard_is_all_wrong() -> None:
    """Silence is a hundred percent error, not a missing measurement."""
    assert score("三号", "", "zh").percent == 100


def test_the_total_weighs_prompts_by_length() -> None:
    """One error in ten units is ten percent, however the units are spread."""
    assert total([Score(1, 2), Score(0, 8)]).percent == 10


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_edit_distance_is_a_metric_bounded_by_the_longer_text(a: list[str], b: list[str]) -> None:
    """Symmetric, zero only for equal texts, never above the longer length."""
    distance = edit_distance(a, b)
    assert distance == edit_distance(b, a)
    assert (distance == 0) == (a == b)
    assert abs(len(a) - len(b)) <= distance <= max(len(a), len(b))
