"""Does another client use our name? By what was found on our own topic, and when."""

from __future__ import annotations

from edged.io.mqtt.rivals import Rivals

WILL = b'{"state":"offline"}'
OURS, THEIRS = b'{"state":"online","since":1}', b'{"state":"online","since":2}'


def session() -> Rivals:
    """One that has told its state."""
    rivals = Rivals(WILL)
    rivals.published(OURS)
    return rivals


def taken(rivals: Rivals, now_s: float) -> None:
    """Cut off without a word, and the rival's state is found afterwards."""
    rivals.cut(now_s, is_takeover=False)
    rivals.found(THEIRS, now_s)


def test_taken_over_twice_in_a_minute_is_a_rival() -> None:
    """Once may be an overlapping restart."""
    rivals = session()
    taken(rivals, 100.0)
    assert not rivals.is_contested
    taken(rivals, 160.0)
    assert rivals.is_contested


def test_twice_in_more_than_a_minute_is_none() -> None:
    """The minute slides."""
    rivals = session()
    taken(rivals, 100.0)
    taken(rivals, 161.0)
    assert not rivals.is_contested
    taken(rivals, 200.0)
    assert rivals.is_contested


def test_a_broker_that_says_so_is_believed() -> None:
    """And one takeover is not counted twice, by its word and by what is found."""
    rivals = session()
    rivals.cut(1.0, is_takeover=True)
    rivals.found(THEIRS, 2.0)
    assert not rivals.is_contested
    rivals.cut(3.0, is_takeover=True)
    assert rivals.is_contested


def test_a_link_that_breaks_often_is_no_rival() -> None:
    """Our own state, our will, or nothing is what is found then."""
    rivals = session()
    for now_s, state in enumerate((OURS, WILL, b"", OURS, WILL)):
        rivals.cut(float(now_s), is_takeover=False)
        rivals.found(state, float(now_s))
    assert not rivals.is_contested


def test_an_older_state_of_ours_is_still_ours() -> None:
    """A broker that crashed may have forgotten the newest ones."""
    rivals = session()
    for i in range(50):
        rivals.published(b"%d" % i)
    for now_s in (1.0, 2.0):
        rivals.cut(now_s, is_takeover=False)
        rivals.found(OURS, now_s)
    assert not rivals.is_contested


def test_a_broker_that_crashes_is_no_rival() -> None:
    """It could not be reached in between; what it then has may be of any age."""
    rivals = session()
    for now_s in (1.0, 2.0):
        rivals.cut(now_s, is_takeover=False)
        rivals.broker_was_away()
        rivals.found(THEIRS, now_s)
    assert not rivals.is_contested


def test_what_an_earlier_process_left_is_no_rival() -> None:
    """At the first connect of a process nobody has cut it off."""
    rivals = session()
    rivals.found(THEIRS, 1.0)
    rivals.found(THEIRS, 2.0)
    assert not rivals.is_contested


def test_after_two_quiet_minutes_it_is_over() -> None:
    """And it takes two takeovers again."""
    rivals = session()
    taken(rivals, 1.0)
    taken(rivals, 2.0)
    rivals.passed(122.0)
    assert rivals.is_contested
    rivals.passed(122.1)
    assert not rivals.is_contested
    taken(rivals, 123.0)
    assert not rivals.is_contested
