"""What of a stream was in the last frames that a device was given."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edged.audio.history import History


def ramp(begin: int, end: int) -> np.ndarray:
    return np.arange(begin, end, dtype=np.float32)


@given(
    sizes=st.lists(st.integers(0, 50), min_size=1, max_size=20),
    kept=st.integers(1, 200),
    wanted=st.integers(0, 200),
)
def test_the_last_samples_in_their_order(sizes: list[int], kept: int, wanted: int) -> None:
    """However they were cut, and as many as are kept at least."""
    history, end = History(kept), 0
    for size in sizes:
        history.note(size, ramp(end, end + size))
        end += size
    count = min(wanted, kept, end)
    assert np.array_equal(history.take_last(min(wanted, kept)), ramp(end - count, end))


def test_silence_is_no_part_of_the_stream() -> None:
    """A block that ran out into silence: the silence counts as time, not as samples."""
    for unheard, first in ((3, 10), (5, 10), (6, 9), (8, 7), (100, 0)):
        history = History(1000)
        history.note(7, ramp(0, 7))
        history.note(8, ramp(7, 10))
        assert np.array_equal(history.take_last(unheard), ramp(first, 10)), unheard


def test_what_was_taken_is_no_longer_there() -> None:
    """It comes again as something new."""
    history = History(100)
    history.note(10, ramp(0, 10))
    history.take_last(5)
    assert len(history.take_last(5)) == 0


def test_no_more_is_kept_than_asked_for() -> None:
    """A day of speech does not fill the memory."""
    history = History(100)
    for at in range(10_000):
        history.note(30, ramp(at, at + 30))
    assert len(history._blocks) <= 5
