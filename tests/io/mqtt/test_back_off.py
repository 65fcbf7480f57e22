"""The pauses between tries to connect."""

from __future__ import annotations

import itertools

from edged.io.mqtt.back_off import BackOff


def test_each_failure_makes_the_pause_longer_up_to_half_a_minute() -> None:
    """Half to one and a half of 1, 2, 4, 8, 16, 30 s."""
    back_off = BackOff()
    for step_s in (1, 2, 4, 8, 16, 30, 30):
        back_off.failed(up_s=0.0)
        assert step_s * 0.5 <= back_off.pause_s(is_slow=False) <= step_s * 1.5


def test_boards_do_not_come_back_in_the_same_moment() -> None:
    """A hundred of them are spread over the whole second."""
    back_off = BackOff()
    back_off.failed(up_s=0.0)
    pauses_s = sorted(back_off.pause_s(is_slow=False) for _ in range(100))
    assert pauses_s[0] < 0.75
    assert pauses_s[-1] > 1.25
    assert max(b - a for a, b in itertools.pairwise(pauses_s)) < 0.2


def test_only_a_connection_that_held_begins_anew() -> None:
    """Two clients that take one session from each other hold it for less."""
    back_off = BackOff()
    for _ in range(6):
        back_off.failed(up_s=9.0)
    assert back_off.pause_s(is_slow=False) >= 15.0
    back_off.failed(up_s=11.0)
    assert back_off.pause_s(is_slow=False) <= 1.5


def test_what_only_a_person_can_mend_is_tried_slowly_at_once() -> None:
    """A wrong password, or a name that two boards share."""
    back_off = BackOff()
    back_off.failed(up_s=0.0)
    assert back_off.pause_s(is_slow=True) >= 15.0
