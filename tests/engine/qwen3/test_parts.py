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


def test_parts_are_about_alike() -> None:
    """No last syllable is left to be spoken alone, nor a mark without any."""
    lengths = [len(part) for part in parts("好" * 80)]
    assert len(lengths) == 2
    assert max(lengths) - min(lengths) <= 10
    assert [part[-1] for part in parts("哈" * 79 + "！")] == ["哈", "！"]


_WORDS = st.sampled_from(["请", "到", "号码", " ab", " A ", "seven "])
_CLAUSE = st.tuples(st.lists(_WORDS, min_size=1, max_size=40).map("".join), st.sampled_from("，。,.!？、"))


@given(st.lists(_CLAUSE.map("".join), min_size=1, max_size=20).map("".join))
def test_nothing_is_lost_and_every_part_speaks_and_fits(spoken: str) -> None:
    """All but spaces comes back in order."""
    cut = list(parts(spoken))
    assert "".join("".join(cut).split()) == "".join(spoken.split())
    assert all(any(sign.isalpha() for sign in part) for part in cut)
    assert all(Limits.of_text(part).most <= LONGEST_FRAMES for part in cut)


@given(st.text(max_size=300))
def test_whatever_it_is_nothing_is_lost(spoken: str) -> None:
    """Marks without a word, symbols, nothing at all: no text is too odd."""
    assert "".join("".join(parts(spoken)).split()) == "".join(spoken.split())
