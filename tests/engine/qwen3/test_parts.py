"""Where long sentences are cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edged.engine.qwen3.parts import LONGEST_FRAMES, parts
from edged.engine.qwen3.runaway import Limits


def test_an_announcement_is_one_part() -> None:
    """Cutting costs melody, so it is left alone."""
    spoken = "请A零一五号到三号窗口办理业务，请带好您的身份证。"
    assert list(parts(spoken)) == [spoken]


def test_a_long_sentence_is_cut_at_commas() -> None:
    """Whole clauses, their comma with them, as many together as fit."""
    clause = "前往机场的列车大约晚点二十分钟，"
    cut = list(parts(clause * 12))
    assert len(cut) > 1
    assert all(part.endswith("，") for part in cut)
    assert len(set(cut[:-1])) == 1


def test_words_without_commas_are_cut_between_words() -> None:
    """No word is torn."""
    cut = list(parts(" ".join(["seven"] * 100)))
    assert len(cut) > 1
    assert all(set(part.split()) == {"seven"} for part in cut)


@given(st.text(alphabet="请到号一 ab A,，。.", min_size=1, max_size=600))
def test_nothing_is_lost_and_every_part_fits(spoken: str) -> None:
    """All but spaces comes back in order."""
    cut = list(parts(spoken))
    assert "".join("".join(cut).split()) == "".join(spoken.split())
    assert all(Limits.of_text(part).most <= LONGEST_FRAMES for part in cut)
