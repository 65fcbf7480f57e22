"""Where sentences end, and where one too long for an engine is cut."""

from __future__ import annotations

import pytest

from edged.text.segment import MAX_CHARS, split_long, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("你好。再见!", [("你好", "."), ("再见", "!"), ("", "")]),
        ("It is 3.5. Ok?", [("It is 3.5", "."), (" Ok", "?"), ("", "")]),
        ("No. 15 is open", [("No. 15 is open", "")]),
        ("No. He said so", [("No", "."), (" He said so", "")]),
        ("at 4 p.m. today", [("at 4 p.m. today", "")]),
        ("at 4 p.m. Then", [("at 4 p.m", "."), (" Then", "")]),
        ("Mr. J. Smith", [("Mr. J. Smith", "")]),
        ("see https://a.cn/?b=1;c for more", [("see https://a.cn/?b=1;c for more", "")]),
        ("一\n\n二", [("一", ""), ("二", "")]),
        ("好.下", [("好", "."), ("下", "")]),
        ("什么？！走", [("什么？！走", "")]),
        ("什么?!走", [("什么", "?"), ("走", "")]),
    ],
)
def test_sentences_end_at_marks_that_end_sentences(text: str, sentences: list[tuple[str, str]]) -> None:
    """Marks are those of cleaned text; numbers, abbreviations and addresses keep theirs."""
    assert list(split_sentences(text)) == sentences


def test_a_long_sentence_is_cut_at_its_commas() -> None:
    """The latest comma that fits is the place, and it stays with what it ends."""
    clause = "请各位旅客带好随身物品，"
    pieces = list(split_long(clause * 20))
    assert "".join(pieces) == clause * 20
    assert all(piece.endswith("，") and len(piece) <= MAX_CHARS for piece in pieces)


def test_without_commas_it_is_cut_between_words() -> None:
    """No English word is torn apart."""
    pieces = list(split_long("passengers " * 30))
    assert " ".join(piece.strip() for piece in pieces).split() == ["passengers"] * 30


def test_running_han_is_cut_with_a_pause() -> None:
    """Where Han runs on without a break, the cut is heard as a comma and loses nothing."""
    pieces = list(split_long("好" * 300))
    assert "".join(pieces).replace("，", "") == "好" * 300
    assert [piece[-1] for piece in pieces] == ["，", "，", "好"]
