"""Tones around speech and under it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from edged.audio.mix import DUCK_DB, DUCK_MS, FADE_MS, Arrangement, Samples, arrange

RATE_HZ = 1000  # a frame is a millisecond
DUCKED = 10 ** (DUCK_DB / 20)
ROUNDING = 1e-6


def ones(frames: int, level: float = 1.0) -> Samples:
    return np.full(frames, level, np.float32)


def heard(around: Arrangement, *speech: Samples) -> Samples:
    return np.concatenate([np.zeros(0, np.float32), *arrange(speech, around)])


def test_without_tones_it_is_the_speech() -> None:
    """Not a sample more."""
    words = np.linspace(-1, 1, 700, dtype=np.float32)
    assert heard(Arrangement(RATE_HZ), words[:300], words[300:]).tolist() == words.tolist()


def test_everything_has_its_place() -> None:
    """Lead-in, opening, gap, speech, gap, closing; the opening is as loud as it is, to its end."""
    around = Arrangement(
        RATE_HZ,
        lead_in_frames=100,
        opening=ones(2500, 0.1),
        speech_at=2700,
        gap_end_frames=300,
        closing=ones(50, 0.3),
    )
    parts = [(0, 100), (0.1, 2500), (0, 200), (0.2, 800), (0, 300), (0.3, 50)]
    expected = np.concatenate([ones(frames, level) for level, frames in parts])
    assert heard(around, ones(500, 0.2), ones(300, 0.2)).tolist() == expected.tolist()


@pytest.mark.parametrize("speech_at", [0, 100, 800])
def test_a_tone_under_speech_has_come_down_before_the_first_word(speech_at: int) -> None:
    """From its first sample on the speech has the tone 20 dB below, and nothing of it is changed."""
    words = np.sin(np.arange(1000)).astype(np.float32)
    sound = heard(Arrangement(RATE_HZ, opening=ones(5000), speech_at=speech_at), words)
    under = sound[speech_at : speech_at + 1000] - words
    assert under == pytest.approx(DUCKED, abs=ROUNDING)


def test_it_comes_down_smoothly_and_only_when_it_must() -> None:
    """At full level until DUCK_MS before the word, then down without a step."""
    gains = heard(Arrangement(RATE_HZ, opening=ones(5000), speech_at=800), ones(1000, 0.0))[:1800]
    assert (gains[: 800 - DUCK_MS] == 1).all()
    steps_db = -np.diff(20 * np.log10(gains))
    assert steps_db.min() >= -ROUNDING * 100
    assert steps_db.max() < 2 * -DUCK_DB / DUCK_MS
    assert gains[799] == pytest.approx(DUCKED, rel=0.01)


@pytest.mark.parametrize("block", [1, 7, 400, 1000])
def test_how_the_speech_is_cut_makes_no_difference(block: int) -> None:
    """It comes chunk by chunk, as it is made."""
    words, bed = np.sin(np.arange(1000)).astype(np.float32), np.cos(np.arange(1700)).astype(np.float32)
    around = Arrangement(RATE_HZ, opening=bed, speech_at=500)
    chunks = (words[at : at + block] for at in range(0, 1000, block))
    assert heard(around, *chunks).tolist() == heard(around, words).tolist()


def test_a_tone_longer_than_the_speech_fades_out() -> None:
    """It goes on from where it was, without a step, and is silent half a second later."""
    sound = heard(Arrangement(RATE_HZ, opening=ones(5000), speech_at=300), ones(1000, 0.0))
    rest = sound[1300:]
    assert len(rest) == FADE_MS
    assert rest[0] == pytest.approx(DUCKED, rel=0.001)
    assert (np.diff(rest) < 0).all()
    assert rest[-1] < DUCKED / 1000


def test_a_tone_that_ends_under_the_speech_is_over() -> None:
    """The rest of the speech is alone."""
    words = ones(1000, 0.25)
    sound = heard(Arrangement(RATE_HZ, opening=ones(600), speech_at=400), words)
    assert len(sound) == 1400
    assert sound[600:].tolist() == words[200:].tolist()


def test_what_stays_before_the_speech_does_not_wait_for_it() -> None:
    """The chime is heard while the first words are made."""
    asked: list[str] = []

    def speech() -> Iterator[Samples]:
        asked.append("speech")
        yield ones(10)

    blocks = arrange(speech(), Arrangement(RATE_HZ, opening=ones(10, 0.5), speech_at=10))
    assert (next(blocks).tolist(), asked) == (ones(10, 0.5).tolist(), [])
    under = arrange(speech(), Arrangement(RATE_HZ, opening=ones(10, 0.5), speech_at=5))
    next(under)
    assert asked == ["speech"], "it would have to wait in the middle of a tone"


def test_blocks_are_short_and_none_is_empty() -> None:
    """No longer than what a stop may have to wait for."""
    around = Arrangement(RATE_HZ, 2500, ones(3500), 3500, 1500, ones(2500))
    lengths = [len(block) for block in arrange([ones(5)], around)]
    assert sum(lengths) == 2500 + 3500 + 5 + 1500 + 2500
    assert 0 < min(lengths) <= max(lengths) <= RATE_HZ


def test_no_speech_at_all_is_no_error() -> None:
    """The clip it consisted of has gone; what is around it remains."""
    assert (
        len(heard(Arrangement(RATE_HZ, opening=ones(1000), speech_at=400, closing=ones(5)))) == 400 + 500 + 5
    )


@pytest.mark.parametrize("times", [(-1, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_negative_times_are_refused(times: tuple[int, int, int]) -> None:
    """At birth, not somewhere in the sound."""
    lead_in, speech_at, gap_end = times
    with pytest.raises(ValueError, match="before the beginning"):
        Arrangement(RATE_HZ, lead_in, speech_at=speech_at, gap_end_frames=gap_end)
