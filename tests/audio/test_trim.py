"""Silence found and left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edged.audio.trim import slack, without

RATE_HZ = 24000
MS = RATE_HZ // 1000

Samples = NDArray[np.float32]


def tone(ms: int, amplitude: float = 0.5) -> Samples:
    return (amplitude * np.sin(2 * np.pi * 200 * np.arange(ms * MS) / RATE_HZ)).astype(np.float32)


def quiet(ms: int, noise: float = 0.0) -> Samples:
    return np.random.default_rng(1).normal(0, noise, ms * MS).astype(np.float32)


def spans_ms(speech: Samples) -> list[tuple[float, float]]:
    return [(piece.start / MS, piece.stop / MS) for piece in slack(speech, RATE_HZ)]


def test_silence_is_found_with_room_left_around_each_sound() -> None:
    """20 ms of it belong to the sound beside it, and of a pause 60 ms more stay."""
    speech = np.concatenate([quiet(300), tone(200), quiet(350), tone(200), quiet(90), tone(200), quiet(150)])
    assert spans_ms(speech) == [(0, 280), (520, 770), (1360, 1490)]


def test_the_noise_of_a_voice_between_words_is_silence() -> None:
    """50 dB below the words it is no sound of speech; 30 dB below it could be an f."""
    for noise, found in ((0.001, [(220, 420)]), (0.01, [])):
        speech = np.concatenate([tone(200), quiet(300, noise), tone(200)])
        assert spans_ms(speech) == found


def test_only_silence_and_nothing_at_all() -> None:
    """There is no sound that could be cut into."""
    assert spans_ms(quiet(100)) == [(0, 100)]
    assert spans_ms(quiet(0)) == []
    assert spans_ms(tone(102)) == []


def test_so_much_of_it_is_left_out() -> None:
    """All, half or none; the sounds are untouched."""
    first, second = tone(200), tone(200, 0.2)
    speech = np.concatenate([quiet(300), first, quiet(350), second, quiet(150)])
    pieces = slack(speech, RATE_HZ)
    total = sum(piece.frames for piece in pieces)
    for share in (0.0, 0.5, 1.0):
        shorter = without(speech, pieces, share, RATE_HZ)
        assert len(shorter) == len(speech) - total * share
        begins = np.flatnonzero(shorter)[0] - 1
        assert np.array_equal(shorter[begins : begins + len(first)], first)
        ends = np.flatnonzero(shorter)[-1] + 1
        assert np.array_equal(shorter[ends - len(second) : ends], second)


def test_no_cut_clicks() -> None:
    """Where a hum goes on after a cut, it goes on without a step, whatever its phase."""
    hum = (0.002 * np.sin(2 * np.pi * 50 * np.arange(407 * MS) / RATE_HZ)).astype(np.float32)
    for start_ms in (0, 2, 4, 6):
        speech = np.concatenate([tone(200, 0.9), hum[start_ms * MS :], tone(200, 0.9)])
        shorter = without(speech, slack(speech, RATE_HZ), 1.0, RATE_HZ)
        assert len(shorter) < 510 * MS
        assert np.abs(np.diff(shorter[205 * MS : 295 * MS])).max() < 1e-4
