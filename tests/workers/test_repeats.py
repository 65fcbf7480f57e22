"""The order in which an announcement is said more than once."""

from __future__ import annotations

from collections.abc import Iterator

from edged.text.content import Clip, Silence
from edged.text.sentence import Sentence
from edged.workers.repeats import Cue, cues
from edged.workers.script import Item

A, B = Sentence("en", "A", 0), Clip("b.wav")
PAUSE, GAP = Silence(350), Silence(1000)


def heard(order: Iterator[Cue]) -> list[Item]:
    return [cue.item for cue in order]


def test_whole_says_everything_again() -> None:
    """With the gap between, and none after the last."""
    assert heard(cues([A, PAUSE, B], 3, 1000, "whole")) == [A, PAUSE, B, GAP, A, PAUSE, B, GAP, A, PAUSE, B]


def test_each_says_one_after_the_other_again() -> None:
    """Sentences and clips, not the pauses between them."""
    assert heard(cues([A, PAUSE, B], 2, 1000, "each")) == [A, GAP, A, PAUSE, B, GAP, B]


def test_once_is_once() -> None:
    """Whatever the mode."""
    assert heard(cues([A, B], 1, 1000, "each")) == heard(cues([A, B], 1, 1000, "whole")) == [A, B]


def test_a_cue_tells_whether_its_item_comes_again() -> None:
    """Until then its sound is worth keeping; equal sentences are two items."""
    for mode in ("each", "whole"):
        order = [cue for cue in cues([A, A], 2, 0, mode) if cue.item is A]
        assert sorted((cue.number, cue.again) for cue in order) == [
            (0, False),
            (0, True),
            (1, False),
            (1, True),
        ]
        assert all(
            cue.again == (cue.number in {later.number for later in order[i + 1 :]})
            for i, cue in enumerate(order)
        )


def test_items_are_taken_when_their_turn_comes() -> None:
    """The script may still be waiting for its text."""
    taken: list[Item] = []

    def growing() -> Iterator[Item]:
        for item in (A, B):
            taken.append(item)
            yield item

    order = cues(growing(), 2, 1000, "each")
    assert [next(order).item for _ in range(3)] == [A, GAP, A]
    assert taken == [A]
