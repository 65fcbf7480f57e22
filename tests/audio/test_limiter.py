"""The look-ahead limiter: the ceiling holds, and nobody hears it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.audio.limiter import CEILING_DBFS, Limiter, Samples
from edged.audio.true_peak import true_peak_dbfs
from tests.audio.band import band_limited, exact_true_peak_dbfs

RATE_HZ = 48000
FRAMES = 1 << 13


def limited(samples: Samples, rate_hz: int = RATE_HZ) -> Samples:
    limiter = Limiter(rate_hz)
    return np.concatenate((limiter.feed(samples), limiter.flush()))


def tone(frequency_hz: float, amplitude: float, seconds: float = 1.0) -> Samples:
    phase = 2 * np.pi * frequency_hz / RATE_HZ * np.arange(int(seconds * RATE_HZ))
    sine: Samples = (amplitude * np.sin(phase)).astype(np.float32)
    return sine


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    band=st.sampled_from([0.02, 0.25, 0.5, 0.85]),
    amplitude=st.floats(0.05, 30),
    beat_hz=st.floats(0, 200),
    rate_hz=st.sampled_from([8000, 22_050, 48_000, 96_000]),
)
def test_nothing_is_above_the_ceiling(
    seed: int, band: float, amplitude: float, beat_hz: float, rate_hz: int
) -> None:
    """Whatever comes in, steady or bursting, the exact curve through what comes out stays below -1 dBFS."""
    beat = np.sin(2 * np.pi * beat_hz / rate_hz * np.arange(FRAMES)).astype(np.float32)
    samples = np.float32(amplitude) * band_limited(band, FRAMES, seed) * (1 + beat)
    assert exact_true_peak_dbfs(limited(samples, rate_hz)) <= CEILING_DBFS


@pytest.mark.parametrize("amplitude", [1.0, 4.0, 1000.0])
def test_what_no_converter_can_make_is_limited_too(amplitude: float) -> None:
    """Clicks, steps and noise up to half the rate, by a meter of the usual kind."""
    click = np.zeros(FRAMES, np.float32)
    click[FRAMES // 2] = amplitude
    square = np.float32(amplitude) * np.sign(tone(100, 1.0))
    noise = np.random.default_rng(3).uniform(-amplitude, amplitude, FRAMES).astype(np.float32)
    for samples in (click, square, noise):
        assert true_peak_dbfs(limited(samples)) <= CEILING_DBFS


@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, FRAMES), max_size=20), amplitude=st.floats(0.1, 8))
def test_chunks_make_no_difference(cuts: list[int], amplitude: float) -> None:
    """Not even single samples and empty ones; together they are as long as what came in."""
    samples = np.float32(amplitude) * band_limited(0.5, FRAMES, 4)
    limiter = Limiter(RATE_HZ)
    pieces = [limiter.feed(piece) for piece in np.split(samples, sorted(cuts))]
    together = np.concatenate([*pieces, limiter.flush()])
    np.testing.assert_allclose(together, limited(samples), atol=1e-6)
    assert len(together) == FRAMES


def test_below_the_ceiling_it_is_not_there() -> None:
    """Every bit comes out as it went in."""
    samples = np.random.default_rng(5).uniform(-0.4, 0.4, FRAMES).astype(np.float32)
    assert np.array_equal(limited(samples), samples)


def test_a_burst_leaves_no_trace() -> None:
    """Half a second after it the samples are untouched again, and 5 ms before it they still are."""
    samples = tone(300, 0.3, 2.0)
    burst = slice(RATE_HZ // 2, RATE_HZ // 2 + 480)
    samples[burst] *= 10
    changed = np.flatnonzero(limited(samples) != samples)
    assert burst.start - changed[0] < 0.005 * RATE_HZ
    assert changed[-1] - burst.stop < 0.5 * RATE_HZ


def test_it_does_not_click() -> None:
    """At a step 20 dB too loud the gain moves by less than 0.4 dB a sample, its slope by a tenth of it."""
    loud = np.ones(RATE_HZ, np.float32) * 0.1
    loud[RATE_HZ // 2 :] = 8.0
    gain_db = 20 * np.log10(limited(loud) / loud)[1000:-1000]
    assert np.abs(np.diff(gain_db)).max() < 0.4
    assert np.abs(np.diff(gain_db, 2)).max() < 0.04


def test_a_voice_keeps_its_sound() -> None:
    """A tone as deep as a deep man's voice, 6 dB too loud, has 0.2 % of harmonics at most."""
    settled = limited(tone(80, 2.0))[RATE_HZ // 4 : -RATE_HZ // 4]
    spectrum = np.abs(np.fft.rfft(settled * np.hanning(len(settled)))) ** 2
    at = round(80 * len(settled) / RATE_HZ)
    fundamental = spectrum[at - 3 : at + 4].sum()
    assert np.sqrt((spectrum.sum() - fundamental) / fundamental) < 0.002


def test_the_latency_is_what_is_held_back() -> None:
    """Constant, below 5 ms, and given by flush; after that it begins anew."""
    limiter = Limiter(RATE_HZ)
    samples = tone(300, 3.0, 0.1)
    assert len(limiter.feed(samples)) == len(samples) - limiter.latency_frames
    assert len(limiter.flush()) == limiter.latency_frames < 0.005 * RATE_HZ
    quiet = tone(300, 0.1, 0.1)
    assert np.array_equal(np.concatenate((limiter.feed(quiet), limiter.flush())), quiet)


def test_a_stream_shorter_than_the_latency_comes_out_whole() -> None:
    """Ten samples in, ten out."""
    assert np.array_equal(limited(tone(300, 0.1)[:10]), tone(300, 0.1)[:10])
