"""benchmarks/stoi.py: the measure of intelligibility."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.stoi import Samples, intelligibility
from edged.audio.biquad import Filter, high_shelf

RATE_HZ = 24_000


def speech(rate_hz: int = RATE_HZ) -> Samples:
    """Four seconds of noise whose bands rise and fall, each by itself, with a pause in the middle."""
    generator = np.random.default_rng(0)
    frames = 4 * rate_hz
    at_hz = np.fft.rfftfreq(frames, 1 / rate_hz)
    total = np.zeros(frames)
    for low_hz in (140, 280, 560, 1120, 2240):
        spectrum = np.fft.rfft(generator.standard_normal(frames))
        band = np.fft.irfft(np.where((at_hz >= low_hz) & (at_hz < 2 * low_hz), spectrum, 0), frames)
        syllables = np.interp(np.arange(frames), np.arange(0, frames, rate_hz / 6), generator.random(24))
        total += band * syllables**3
    total[frames // 2 : frames // 2 + rate_hz // 2] = 0
    scaled: Samples = (total / np.abs(total).max() / 2).astype(np.float32)
    return scaled


def noise(frames: int, level: float) -> Samples:
    return (level * np.random.default_rng(1).standard_normal(frames)).astype(np.float32)


def test_what_was_said_is_understood() -> None:
    """The speech itself: 1, also louder or quieter."""
    clean = speech()
    assert intelligibility(clean, clean, RATE_HZ) == pytest.approx(1, abs=1e-6)
    assert intelligibility(clean, clean * np.float32(0.1), RATE_HZ) == pytest.approx(1, abs=1e-6)


def test_the_more_noise_the_less_is_understood() -> None:
    """From nearly all to nearly nothing."""
    clean = speech()
    scores = [
        intelligibility(clean, clean + noise(len(clean), level), RATE_HZ)
        for level in (0.001, 0.01, 0.1, 1, 10)
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.95
    assert scores[-1] < 0.3


def test_colour_does_not_matter_without_noise() -> None:
    """A brighter voice says the same words."""
    clean = speech()
    brighter = Filter([high_shelf(1500, RATE_HZ, 6)]).feed(clean)
    assert intelligibility(clean, brighter, RATE_HZ) > 0.98


def test_noise_in_a_pause_does_not_matter() -> None:
    """Nothing was said there."""
    clean = speech()
    heard = clean.copy()
    pause = slice(len(clean) // 2 + 2400, len(clean) // 2 + RATE_HZ // 2 - 2400)
    heard[pause] += noise(pause.stop - pause.start, 0.3)
    assert intelligibility(clean, heard, RATE_HZ) > 0.99


def test_other_words_are_not_understood() -> None:
    """The same speech backwards."""
    clean = speech()
    assert intelligibility(clean, clean[::-1], RATE_HZ) < 0.3


def test_a_moment_cannot_be_measured() -> None:
    """The measure needs 384 ms, and speech in them."""
    with pytest.raises(ValueError, match="384 ms"):
        intelligibility(speech()[:6000], speech()[:6000], RATE_HZ)


@pytest.mark.parametrize(("level", "expected"), [(0.003, 0.9903), (0.03, 0.8475), (0.1, 0.5882), (1, 0.2403)])
def test_it_says_what_others_say(level: float, expected: float) -> None:
    """The same signals as measured by pystoi 0.4.1."""
    clean = speech(10_000)
    heard = clean + noise(len(clean), level)
    assert intelligibility(clean, heard, 10_000) == pytest.approx(expected, abs=5e-4)
