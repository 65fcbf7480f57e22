"""What is taken for speech and what for a generation that has lost its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.engine.qwen3.generate import Codes
from edged.engine.qwen3.runaway import Guard, Limits, is_circling
from edged.errors import RunawayError, error_for
from tests.fakes.qwen3_networks import coded, never_ending

LIMITS = Limits(fewest=5, most=200)


def watched(codes0: Sequence[int], limits: Limits = LIMITS) -> int:
    """Frames that come through."""
    return sum(1 for _ in Guard(limits).watch(iter(coded(codes0))))


def speech(frames: int) -> list[int]:
    return [never_ending(index) for index in range(frames)]


@pytest.mark.parametrize("frames", [5, 6, 200])
def test_speech_of_a_length_the_text_can_have_passes_whole(frames: int) -> None:
    """Every frame comes through, the last one that the text can have included."""
    assert watched(speech(frames)) == frames


def test_a_generation_without_end_is_stopped_at_the_limit() -> None:
    """The frame after the last allowed one is not given out any more."""
    endless: Iterator[Codes] = (coded([never_ending(index)])[0] for index in count())
    frames = Guard(LIMITS).watch(endless)
    assert len(list(islice(frames, 200))) == 200
    with pytest.raises(RunawayError, match="did not end"):
        next(frames)


def test_an_end_before_the_text_can_have_been_spoken_is_no_end() -> None:
    """Swallowed words are noticed where the frames are too few to hold them."""
    with pytest.raises(RunawayError, match="ended before"):
        watched(speech(4))


@pytest.mark.parametrize("period", [1, 2, 12])
def test_going_in_circles_for_3_s_is_noticed(period: int) -> None:
    """Long before the frames allowed are used up."""
    with pytest.raises(RunawayError, match="repeated"):
        watched([*speech(30), *(index % period for index in range(38))])


@pytest.mark.parametrize("codes0", [[7] * 25, [1, 2] * 15, [*range(13)] * 6, [1, 2, 3] * 12 + [9]])
def test_a_held_vowel_or_a_repeated_word_is_speech(codes0: list[int]) -> None:
    """Two seconds of one sound, a word said six times."""
    assert watched([*speech(20), *codes0, *speech(20)]) == 40 + len(codes0)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60))
def test_a_circle_is_a_circle_wherever_it_starts(codes0: list[int]) -> None:
    """Turning the codes around does not change what they are."""
    assert is_circling(codes0) == is_circling(codes0[::-1])


def chunk(level_db: float, frames: int = 4) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.full(1920 * frames, 10 ** (level_db / 20), np.float32)


def test_2_s_of_near_silence_are_noticed() -> None:
    """25 frames below -60 dBFS in a row, however they are cut into chunks."""
    guard = Guard(LIMITS)
    guard.hear(chunk(-70), 4)
    guard.hear(chunk(-20), 4)
    for _ in range(6):
        guard.hear(chunk(-70), 4)
    with pytest.raises(RunawayError, match="silent"):
        guard.hear(chunk(-70, 1), 1)


def test_pauses_and_quiet_speech_are_no_silence() -> None:
    """A pause of 1.9 s, a voice at -55 dBFS, one loud frame in a quiet chunk."""
    guard = Guard(LIMITS)
    for _ in range(20):
        for _ in range(6):
            guard.hear(chunk(-90), 4)
        guard.hear(np.concatenate([chunk(-90, 3), chunk(-40, 1)]), 4)
        guard.hear(chunk(-55), 4)


@pytest.mark.parametrize(
    ("spoken", "seconds"),
    [
        ("一次", 0.5),
        ("请A零一五号到三号窗口。", 3.0),
        ("重庆银行行长慢慢地走。", 2.4),
        ("Gate twelve is open.", 1.3),
        ("A T M", 1.0),
        ("Please wait, your number will be called.", 2.6),
        ("扫描 Q R code 完成支付。", 2.4),
    ],
)
def test_limits_hold_speech_of_half_and_of_twice_the_ordinary_pace(spoken: str, seconds: float) -> None:
    """Neither hurried nor slow speech is given up, and noise is not let run for much longer than that."""
    limits = Limits.of_text(spoken)
    assert limits.fewest <= seconds / 2 * 12.5
    assert 2 * seconds * 12.5 <= limits.most <= (3 * seconds + 3) * 12.5


def test_a_short_text_is_not_given_ten_seconds() -> None:
    """ "1次" once became 10 to 36 s of garble."""
    assert Limits.of_text("一次").most <= 3.5 * 12.5


def test_the_error_has_its_protocol_code() -> None:
    """A result says `runaway`, and main makes the same error of it again."""
    assert isinstance(error_for("runaway", "what"), RunawayError)
