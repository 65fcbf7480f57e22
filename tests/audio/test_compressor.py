"""The compressor: a static curve, two times, and nothing of it to be heard at the joins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.audio.compressor import Compressor, Samples
from edged.audio.presets import Compression

RATE_HZ = 48000
PROGRAMME_LUFS = -20.0
CURVE = Compression(threshold_lu=-10, ratio=4, attack_ms=10, release_ms=80)
TONE_HZ = 1000.0  # every millisecond of it is as loud as the next


def compressor(rate_hz: int = RATE_HZ) -> Compressor:
    return Compressor(CURVE, rate_hz, PROGRAMME_LUFS)


def tone(*levels: tuple[float, float], rate_hz: int = RATE_HZ) -> Samples:
    """Levels in dB relative to the programme, each for so many seconds."""
    rms = [np.full(int(seconds * rate_hz), 10 ** ((PROGRAMME_LUFS + lu) / 20)) for lu, seconds in levels]
    envelope = np.concatenate(rms) * np.sqrt(2)
    sine: Samples = (
        envelope * np.sin(2 * np.pi * TONE_HZ / rate_hz * np.arange(len(envelope)) + 0.3)
    ).astype(np.float32)
    return sine


def gain_db(samples: Samples, rate_hz: int = RATE_HZ) -> Samples:
    """Of each sample; with the phase of the tone none of them is zero."""
    gains: Samples = 20 * np.log10(compressor(rate_hz).feed(samples) / samples)
    return gains


@pytest.mark.parametrize("rate_hz", [8000, 22_050, 48_000, 96_000])
@pytest.mark.parametrize(
    ("level_lu", "expected_db"), [(-30, 0), (-10, 0), (-6, -3), (0, -7.5), (6, -12), (18, -21)]
)
def test_of_what_is_above_the_threshold_a_quarter_is_left(
    level_lu: float, expected_db: float, rate_hz: int
) -> None:
    """The static curve: untouched below, at any rate."""
    settled = gain_db(tone((level_lu, 1.0), rate_hz=rate_hz), rate_hz)[-rate_hz // 10 :]
    assert np.mean(settled) == pytest.approx(expected_db, abs=0.15)


@pytest.mark.parametrize(
    ("before_lu", "after_lu", "time_ms"), [(-20, 10, CURVE.attack_ms), (10, -20, CURVE.release_ms)]
)
def test_attack_and_release_are_as_long_as_they_say(
    before_lu: float, after_lu: float, time_ms: float
) -> None:
    """63 % of the way after a step, within the two milliseconds of the measurement."""
    gains = gain_db(tone((before_lu, 1.0), (after_lu, 1.0)))
    way = (gains[RATE_HZ:] - gains[RATE_HZ - 1]) / (gains[-1] - gains[RATE_HZ - 1])
    reached_ms = np.flatnonzero(way > 1 - np.exp(-1))[0] / RATE_HZ * 1000
    assert time_ms - 1 <= reached_ms <= time_ms + 2.5


def test_the_first_word_is_as_loud_as_the_others() -> None:
    """It begins with the gain for the programme, not with none."""
    assert gain_db(tone((0, 0.1))) == pytest.approx(-7.5, abs=0.1)


def test_the_gain_waits_in_a_pause() -> None:
    """Silence of any length between two words: the second begins with the gain the first ended with."""
    for silence_s in (0.01, 3.0):
        stage = compressor()
        first = stage.feed(tone((10, 0.5)))
        assert not np.any(stage.feed(np.zeros(int(silence_s * RATE_HZ), np.float32)))
        second = stage.feed(tone((10, 0.01)))
        assert np.abs(second).max() == pytest.approx(np.abs(first[-100:]).max(), rel=0.01)


def test_it_does_not_click() -> None:
    """At a step of 40 dB the gain moves by less than 0.08 dB from one sample to the next."""
    gains = gain_db(tone((-20, 0.5), (20, 0.5), (-20, 0.5)))
    assert np.abs(np.diff(gains)).max() < 0.08


@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, 6000), max_size=20), rate_hz=st.sampled_from([8000, 44_100, 48_000]))
def test_chunks_make_no_difference(cuts: list[int], rate_hz: int) -> None:
    """Single samples, empty chunks, whole seconds: as many come out, and the same."""
    bursts = np.sin(np.arange(6000) / 300) * np.random.default_rng(2).standard_normal(6000)
    samples = bursts.astype(np.float32)
    stage = compressor(rate_hz)
    pieces = [stage.feed(piece) for piece in np.split(samples, sorted(cuts))]
    np.testing.assert_allclose(
        np.concatenate(pieces), compressor(rate_hz).feed(samples), rtol=1e-5, atol=1e-6
    )


def test_a_chunk_gives_nothing_away_of_what_follows() -> None:
    """No latency: every chunk is answered in full."""
    stage = compressor()
    for frames in (1, 0, 47, 48, 49, 960):
        assert len(stage.feed(np.full(frames, 0.1, np.float32))) == frames


@pytest.mark.parametrize(("ratio", "attack_ms", "release_ms"), [(0.5, 5, 5), (2, 0, 5), (2, 5, -1)])
def test_what_is_no_compression_is_refused(ratio: float, attack_ms: float, release_ms: float) -> None:
    """A ratio below 1 would expand; no time is none."""
    with pytest.raises(ValueError, match="no compression"):
        Compression(-10, ratio, attack_ms, release_ms)
