"""Prompts in pieces: the same result, and few lengths."""

from __future__ import annotations

import numpy as np
import pytest

from edged.engine.qwen3.pieces import InPieces
from tests.fakes.qwen3_networks import HIDDEN, FakeTalker, ending_after


def given(rows: int) -> list[np.ndarray[tuple[int, ...], np.dtype[np.floating]]]:
    """The pieces in which a talker gets so many rows, checked to be all of them in order."""
    talker = FakeTalker(ending_after(1))
    embeds = np.arange(rows, dtype=np.float32)[:, None].repeat(HIDDEN, 1)
    InPieces(talker)(embeds)
    np.testing.assert_array_equal(np.concatenate(talker.given), embeds)
    return talker.given


@pytest.mark.parametrize(
    ("rows", "lengths"),
    [
        (1, [1]),
        (7, [7]),
        (8, [8]),
        (15, [8, 7]),
        (32, [32]),
        (33, [32, 1]),
        (63, [32, 24, 7]),
        (64, [32, 32]),
    ],
)
def test_pieces_are_long_first(rows: int, lengths: list[int]) -> None:
    """As few calls as the lengths allow."""
    assert [len(piece) for piece in given(rows)] == lengths


def test_there_are_eleven_lengths() -> None:
    """Whatever the prompts."""
    lengths = {len(piece) for rows in range(1, 400) for piece in given(rows)}
    assert lengths == {1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32}


def test_the_last_piece_is_what_counts() -> None:
    """Its logits and hidden state are the prompt's; a reset reaches the talker."""
    talker = FakeTalker(ending_after(5))
    network = InPieces(talker)
    network.reset()
    logits, hidden = network(np.zeros((40, HIDDEN), np.float32))
    assert talker.utterances == 1
    assert (int(logits.argmax()), hidden[0]) == (0, 1)
