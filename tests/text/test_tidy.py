"""Spacing and punctuation of the spoken form."""

from __future__ import annotations

import pytest

from edged.text.tidy import close, tidy


@pytest.mark.parametrize(
    ("loose", "tidied"),
    [
        ("  你好 ,  世界 ", "你好，世界"),
        ("Hello，world", "Hello, world"),
        ("一 、 二", "一、二"),
        ("a、b", "a, b"),
        ("，，你好，、，再见,", "你好，再见"),
        ("请A零一五号", "请 A 零一五号"),
        ("北京  上海", "北京 上海"),
        (" ,，", ""),
    ],
)
def test_pauses_follow_the_script_before_them(loose: str, tidied: str) -> None:
    """One pause mark at a time, none at the ends, a space where the script changes."""
    assert tidy(loose) == tidied


def test_the_closing_mark_follows_the_last_character() -> None:
    """A Chinese full stop after Han, a Latin one after Latin, none where there was none."""
    assert [close("好", "."), close("ok", "."), close("好", "?"), close("好", "")] == [
        "好。",
        "ok.",
        "好？",
        "好",
    ]
