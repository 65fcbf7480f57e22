"""Sample-rate conversion of a stream."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.resample import Resampler


def tone(rate_hz: int, seconds: float, hz: float = 1000.0) -> np.ndarray:
    phase = 2 * np.pi * hz * np.arange(round(rate_hz * seconds)) / rate_hz
    return (0.5 * np.sin(phase)).astype(np.float32)


def in_chunks(samples: np.ndarray, from_hz: int, to_hz: int, chunk: int) -> np.ndarray:
    resampler = Resampler(from_hz, to_hz)
    parts = [resampler.feed(samples[at : at + chunk]) for at in range(0, len(samples), chunk)]
    return np.concatenate([*parts, resampler.feed(samples[:0], last=True)])


@pytest.mark.parametrize(("from_hz", "to_hz"), [(24000, 48000), (24000, 44100), (48000, 16000)])
def test_a_tone_keeps_its_pitch_and_level(from_hz: int, to_hz: int) -> None:
    """The converted stream is the tone as it would have been sampled at the other rate."""
    converted = in_chunks(tone(from_hz, 0.5), from_hz, to_hz, 997)
    expected = tone(to_hz, 0.5)
    assert len(converted) == len(expected)
    inner = slice(to_hz // 50, -to_hz // 50)  # a tone cut off hard rings at its ends
    assert np.abs(converted - expected)[inner].max() < 1e-3


def test_chunks_do_not_show() -> None:
    """However the stream is cut, the result is the same."""
    samples = tone(24000, 0.3)
    whole = in_chunks(samples, 24000, 48000, len(samples))
    assert np.allclose(in_chunks(samples, 24000, 48000, 100), whole, atol=1e-6)


def test_equal_rates_change_nothing() -> None:
    """No filter where none is needed."""
    samples = tone(48000, 0.1)
    assert np.array_equal(in_chunks(samples, 48000, 48000, 480), samples)
