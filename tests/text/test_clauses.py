"""How much of a growing text may be spoken before the rest of it is there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.text.clauses import complete, ends_at_comma
from edged.text.front_end import to_spoken


@pytest.mark.parametrize(
    ("growing", "said"),
    [
        ("您好，欢迎", "您好，"),
        ("您好。欢迎您，请", "您好。"),
        ("真的？！是", "真的？！"),
        ("他说：“好。”然后", "他说：“好。”"),
        ("Hello, you", "Hello,"),
        ("Hello! You", "Hello!"),
        ("first; second", "first;"),
        ("wait... what", "wait..."),
        ("OK.好", "OK."),
        ("OK, 请", "OK,"),
        ("一\n二", "一\n"),
        ("It is 3. At", "It is 3."),
        ("One. Two. Thr", "One. Two."),
        ("请到 https://a.cn/?b=1,2 看，再", "请到 https://a.cn/?b=1,2 看，"),
        ("1,250 people, and", "1,250 people,"),
        ("Mr. Smith, please", "Mr. Smith,"),
        ("Room No. A1, please", "Room No. A1,"),
        ("e.g. cats, and", "e.g. cats,"),
        ("<sub alias='甲'>你。好</sub>，请", "<sub alias='甲'>你。好</sub>，"),
        ("<sub alias='甲'/>你。好", "<sub alias='甲'/>你。"),
    ],
)
def test_what_has_something_after_its_mark_is_complete(growing: str, said: str) -> None:
    """Up to the last end of a sentence, else to the last comma; a closing quote goes with its mark."""
    assert growing[: complete(growing)] == said


@pytest.mark.parametrize(
    "growing",
    [
        "",
        "您好",
        "您好，",
        "您好。",
        "您好。”",
        "It costs 3.",
        "It costs 3.5",
        "It costs 1,",
        "It costs 1,250",
        "价格１，",
        "价格１，２５０",
        "Mr. ",
        "Mr. Smith",
        "No. A",
        "at 9 p.m. ",
        "e.g. ",
        "U.S.",
        "www.example.cn",
        "https://a.cn/?b=1;c",
        "https://a.cn/x?=",
        "a <b, c",
        "<sub alias='甲'>你。好",
        "<sub alias='甲'>你。好</su",
        "<say-as interpret-as='digits'>1，2",
        "Hello,",
    ],
)
def test_what_may_go_on_is_not_cut(growing: str) -> None:
    """A half number, abbreviation, address or tag waits, and so does a mark that nothing follows yet."""
    assert complete(growing) == 0


@pytest.mark.parametrize(
    ("clause", "goes_on"),
    [("您好，", True), ("Well,", True), ("“您好，”", True), ("您好。", False), ("1,2", False)],
)
def test_a_sentence_goes_on_after_a_comma(clause: str, goes_on: bool) -> None:
    """The voice must stay up there."""
    assert ends_at_comma(clause) == goes_on


_TEXTS = [
    "请A015号到3号窗口。下一位，请准备1,250.50元，谢谢！",
    "Gate 12 is open. Mr. Smith, please go to No. A15 by 9:30 p.m. today; it costs $1,250.50. Thank you.",
    "开放时间是9:30-17:00，电话010-62345678，网址www.example.cn。温度36.5℃。",
    "他说：“好。”然后走了……真的？！",
]


def _spoken(texts: list[str], lang: str) -> str:
    """What the texts sound like one after the other, without pauses."""
    said = "".join(
        s.spoken for text in texts for s in to_spoken(text, "zh" if lang == "zh" else "en").sentences
    )
    return re.sub(r"[\s,.!?，。！？、]", "", said)


@pytest.mark.parametrize("text", _TEXTS)
def test_the_words_are_the_same_wherever_the_text_was_parted(text: str) -> None:
    """Numbers, times, money and abbreviations are read as in the whole text."""
    lang = "en" if text.startswith("Gate") else "zh"
    for first in range(len(text)):
        for second in range(first, len(text)):
            said, growing = [], ""
            for part in (text[:first], text[first:second]):
                growing += part
                length = complete(growing)
                said.append(growing[:length])
                growing = growing[length:]
            assert _spoken([*said, growing + text[second:]], lang) == _spoken([text], lang)


@given(st.text(max_size=300))
def test_any_text_has_a_beginning_that_is_complete(text: str) -> None:
    """No string raises; what follows never takes back what was complete."""
    length = complete(text)
    assert 0 <= length < max(len(text), 1)
    assert complete(text[:length]) <= length
