"""The built-in chimes as scores."""

from __future__ import annotations

import re

import pytest

from edged.audio.chime import CHIMES, NONE, UNDER, Chime, Note, Partial


def test_names_are_names_of_no_files_and_no_keywords() -> None:
    """They go into requests beside clips, `none` and `under:`."""
    assert all(re.fullmatch("[a-z]+(-[a-z]+)*", name) for name in CHIMES)
    assert NONE not in CHIMES
    assert not any(name.startswith(UNDER) for name in CHIMES)


@pytest.mark.parametrize("name", CHIMES)
def test_each_is_short_and_says_what_it_is(name: str) -> None:
    """A list of them helps to choose, and none of them is a tune."""
    assert len(CHIMES[name].description) > 10
    assert 0 < CHIMES[name].length_ms <= 4000


def test_it_ends_with_the_note_that_ends_last() -> None:
    """Which need not be the one that begins last."""
    sine = (Partial(1, 1.0),)
    assert Chime("x", (Note(0, 440, 900, sine), Note(200, 440, 100, sine))).length_ms == 900
