"""The comparison of what was played with what was answered."""

from __future__ import annotations

import pytest

from benchmarks.spoken_check import Answer, judge
from benchmarks.tone_codes import Heard, encode
from edged.protocol.result import Code, Status

FINISHED = Answer(Status.FINISHED)
CUT_OFF = Answer(Status.FAILED, Code.INTERRUPTED_BY_RESTART)
ANSWERS: dict[int, Answer | None] = {
    1: FINISHED,
    2: FINISHED,
    3: Answer(Status.REJECTED, Code.QUEUE_FULL),
    4: CUT_OFF,
}


def heard(*sounds: int | str) -> list[Heard]:
    """Whole words by their numbers, fragments by their letters."""
    return [Heard(float(at), s if isinstance(s, str) else encode(s)) for at, s in enumerate(sounds)]


def test_what_was_promised_was_played() -> None:
    """Each once and whole, the cut-off one not at all or as a fragment."""
    for sounds in (heard(1, 2), heard(2, encode(4)[:5], 1), heard(1, "", 2)):
        verdict = judge(ANSWERS, sounds)
        assert (verdict.lost, verdict.spoken_twice) == ((), ())


def test_a_dropped_announcement_is_lost() -> None:
    """Its result says finished; nothing was heard of it."""
    assert judge(ANSWERS, heard(1)).lost == ("2: finished, and not heard to its end",)


def test_a_truncated_announcement_is_lost_and_its_fragment_stray() -> None:
    """Its result says finished; its end was not heard."""
    verdict = judge(ANSWERS, heard(1, encode(2)[:7]))
    assert verdict.lost == ("2: finished, and not heard to its end",)
    assert len(verdict.spoken_twice) == 1


def test_a_request_without_a_result_is_lost() -> None:
    """Whether it was heard or not."""
    assert judge({1: None}, heard(1)).lost == judge({1: None}, []).lost == ("1: no result",)


def test_a_doubled_announcement_is_spoken_twice() -> None:
    """Whole both times."""
    assert judge(ANSWERS, heard(1, 2, 1)).spoken_twice == ("1: heard 2 times",)


@pytest.mark.parametrize("number", [1, 4], ids=["of one that finished", "of one that was cut off"])
def test_a_second_beginning_is_spoken_twice(number: int) -> None:
    """A fragment of an announcement that was heard whole before."""
    verdict = judge(ANSWERS, heard(1, 2, 4, encode(number)[:6]))
    assert verdict.spoken_twice == (f"a fragment {encode(number)[:6]} at 3.00 s",)


def test_two_fragments_of_one_announcement_are_one_too_many() -> None:
    """It began twice."""
    verdict = judge(ANSWERS, heard(1, 2, encode(4)[:6], encode(4)[:3]))
    assert (verdict.cut_off, verdict.spoken_twice) == (1, (f"a fragment {encode(4)[:3]} at 3.00 s",))


def test_long_fragments_choose_before_short_ones() -> None:
    """A beginning that fits two announcements leaves the other its own."""
    answers: dict[int, Answer | None] = {400: CUT_OFF, 401: CUT_OFF}
    assert judge(answers, heard("z", encode(400)[:6])).spoken_twice == ()
    assert judge(answers, heard(encode(401)[:6], "z")).cut_off == 2


def test_what_was_refused_must_not_sound() -> None:
    """Neither whole nor in part; the same for what nobody asked for."""
    assert judge(ANSWERS, heard(1, 2, 3)).spoken_twice == ("3: heard, and its result is rejected queue_full",)
    assert len(judge(ANSWERS, heard(1, 2, encode(3)[:7])).spoken_twice) == 1
    assert judge(ANSWERS, heard(1, 2, 5)).spoken_twice == ("5: heard, and nobody asked for it",)


def test_news_that_died_with_a_process_is_no_fault() -> None:
    """Heard whole and reported as cut off: counted, but nothing is lost and nothing said twice."""
    verdict = judge(ANSWERS, heard(1, 2, 4))
    assert (verdict.lost, verdict.spoken_twice, verdict.unconfirmed) == ((), (), 1)
    assert judge(ANSWERS, heard(1, 2, 4, 4)).spoken_twice == ("4: heard 2 times",)
