"""Waking the network thread."""

from __future__ import annotations

import select

from edged.io.mqtt.waker import Waker


def is_awake(waker: Waker) -> bool:
    return bool(select.select([waker], [], [], 0)[0])


def test_woken_until_calmed() -> None:
    """However often it was woken, one look at the queues is enough; then it can be woken again."""
    waker = Waker()
    assert not is_awake(waker)
    for _ in range(100_000):  # more than the socket would hold
        waker.wake()
    assert is_awake(waker)
    waker.calm()
    assert not is_awake(waker)
    waker.wake()
    assert is_awake(waker)
    waker.close()


def test_calming_one_who_sleeps_changes_nothing() -> None:
    """It can be woken afterwards."""
    waker = Waker()
    waker.calm()
    waker.wake()
    assert is_awake(waker)
    waker.close()


def test_waking_after_the_end_is_no_error() -> None:
    """A result may be finished after the session was stopped."""
    waker = Waker()
    waker.close()
    waker.wake()
