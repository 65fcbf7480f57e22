"""benchmarks/noises.py: what the sites sound like."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.noises import SITES, babble, hall, horn, traffic, ventilation
from edged.audio.presets import PRESETS

Samples = NDArray[np.float32]

RATE_HZ = 24_000


def voices() -> list[Samples]:
    """Two seconds each of a tone that only one of them has."""
    return [np.sin(2 * np.pi * hz / RATE_HZ * np.arange(2 * RATE_HZ)).astype(np.float32) for hz in (300, 900)]


def share(samples: Samples, low_hz: float, high_hz: float) -> float:
    """Of the energy between two frequencies."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    at_hz = np.fft.rfftfreq(len(samples), 1 / RATE_HZ)
    return float(power[(at_hz >= low_hz) & (at_hz < high_hz)].sum() / power.sum())


def test_every_preset_has_its_site() -> None:
    """And flat is what it is compared with."""
    assert SITES.keys() == PRESETS.keys() - {"flat"}


@pytest.mark.parametrize("name", sorted(SITES))
@pytest.mark.parametrize("frames", [2000, 3 * RATE_HZ])
def test_noise_is_as_long_as_the_speech_and_always_the_same(name: str, frames: int) -> None:
    """The same seed, the same noise: two presets are heard in one and the same."""
    first, again, other = (
        SITES[name].noise(voices(), RATE_HZ, frames, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first.shape == (frames,)
    assert np.all(np.isfinite(first))
    assert np.any(first)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_babble_is_made_of_the_voices() -> None:
    """Of both, and of nothing else; without a pause in which one could listen."""
    crowd = babble(voices(), RATE_HZ, 3 * RATE_HZ, np.random.default_rng(0))
    assert share(crowd, 280, 320) > 0.2
    assert share(crowd, 880, 920) > 0.2
    assert share(crowd, 280, 320) + share(crowd, 880, 920) > 0.95
    loudness = [np.std(piece) for piece in np.split(crowd, 30)]
    assert min(loudness) > np.mean(loudness) / 4


def test_traffic_is_rumble_with_a_hiss() -> None:
    """Most of it below 500 Hz, and something everywhere."""
    noise = traffic([], RATE_HZ, 4 * RATE_HZ, np.random.default_rng(0))
    assert share(noise, 20, 500) > 0.6
    assert share(noise, 1000, 4000) > 0.01


def test_air_falls_with_frequency() -> None:
    """6 dB an octave: a quarter of the density, and half of it in the next octave."""
    noise = ventilation([], RATE_HZ, 8 * RATE_HZ, np.random.default_rng(0))
    octaves = [share(noise, hz, 2 * hz) for hz in (500, 1000, 2000)]
    assert octaves[1] / octaves[0] == pytest.approx(0.5, rel=0.15)
    assert octaves[2] / octaves[1] == pytest.approx(0.5, rel=0.15)


def test_a_hall_dies_away() -> None:
    """Direct sound first, echoes 3 dB louder than it, high ones gone sooner."""
    response = hall(RATE_HZ, np.random.default_rng(0))
    echoes = response[1:]
    assert response[0] == 1
    assert not np.any(response[1 : RATE_HZ // 100])
    assert 10 * np.log10(np.sum(np.square(echoes))) == pytest.approx(3, abs=0.1)
    early, late = echoes[: RATE_HZ // 4], echoes[RATE_HZ : RATE_HZ + RATE_HZ // 4]
    assert 20 * np.log10(np.std(early) / np.std(late)) > 30
    assert share(late, 2000, 8000) < share(early, 2000, 8000) / 2


def test_a_horn_has_a_band() -> None:
    """What comes out of white noise: nearly nothing below 300 Hz and little above 8 kHz."""
    response = horn(RATE_HZ, np.random.default_rng(0))
    assert share(response, 0, 300) < 0.002
    assert share(response, 500, 6000) > 0.75
