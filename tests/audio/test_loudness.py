"""Integrated loudness, with the synthetic cases of EBU Tech 3341."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.audio.biquad import Section
from edged.audio.loudness import LoudnessMeter, Samples, gain_db, integrated_lufs, k_weighting

RATE_HZ = 48000
TOLERANCE_LU = 0.1  # of the cases, and of meters


def tone(level_dbfs: float, seconds: float, channels: int = 2, rate_hz: int = RATE_HZ) -> Samples:
    """997 Hz [n, channels], its peaks at this level in each channel."""
    phase = 2 * np.pi * 997 / rate_hz * np.arange(int(seconds * rate_hz))
    sine = 10 ** (level_dbfs / 20) * np.sin(phase)
    return np.repeat(sine[:, np.newaxis], channels, axis=1).astype(np.float32)


def parts(*levels: tuple[float, float]) -> Samples:
    return np.concatenate([tone(level_dbfs, seconds) for level_dbfs, seconds in levels])


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100, 48_000, 96_000, 192_000])
def test_a_stereo_tone_is_as_loud_as_its_level(rate_hz: int) -> None:
    """-23 dBFS in both channels is -23 LUFS, at every rate."""
    assert integrated_lufs(tone(-23, 5, rate_hz=rate_hz), rate_hz) == pytest.approx(-23, abs=TOLERANCE_LU)


@pytest.mark.parametrize(
    ("samples", "lufs"),
    [
        (tone(-23, 20), -23),
        (tone(-33, 20), -33),
        (parts((-36, 10), (-23, 60), (-36, 10)), -23),
        (parts((-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)), -23),
        (parts((-26, 20), (-20, 20.1), (-26, 20)), -23),
    ],
    ids=["-23", "-33", "relative gate", "both gates", "no gate"],
)
def test_quiet_parts_do_not_count(samples: Samples, lufs: float) -> None:
    """What is 10 LU below the rest, or below -70 LUFS, is a pause."""
    assert integrated_lufs(samples, RATE_HZ) == pytest.approx(lufs, abs=TOLERANCE_LU)


def test_surrounds_weigh_more_and_low_frequencies_nothing() -> None:
    """L R C LFE Ls Rs at -28 -28 -24 0 -30 -30 dBFS are -23 LUFS."""
    levels = (-28.0, -28.0, -24.0, 0.0, -30.0, -30.0)
    samples = np.concatenate([tone(level, 10, channels=1) for level in levels], axis=1)
    assert integrated_lufs(samples, RATE_HZ) == pytest.approx(-23, abs=TOLERANCE_LU)


def test_mono_is_one_channel() -> None:
    """A full-scale sine is -3.01 LUFS; [n] and [n, 1] are the same."""
    samples = tone(0, 5, channels=1)
    assert integrated_lufs(samples, RATE_HZ) == pytest.approx(-3.01, abs=0.02)
    assert integrated_lufs(samples[:, 0], RATE_HZ) == integrated_lufs(samples, RATE_HZ)


def test_at_48_khz_the_filters_are_those_of_the_recommendation() -> None:
    """The coefficients of ITU-R BS.1770-4, tables 1 and 2."""
    shelf, high_pass = k_weighting(48_000)
    listed = Section(
        1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585
    )
    for name in Section.__slots__:
        assert getattr(shelf, name) == pytest.approx(getattr(listed, name), abs=1e-9)
    assert (high_pass.b0, high_pass.b1, high_pass.b2) == (1, -2, 1)
    assert (high_pass.a1, high_pass.a2) == pytest.approx((-1.99004745483398, 0.99007225036621), abs=1e-9)


@pytest.mark.parametrize("samples", [np.zeros(RATE_HZ, np.float32), np.zeros(0, np.float32)])
def test_silence_has_no_loudness(samples: Samples) -> None:
    """And no gain would make anything of it."""
    assert integrated_lufs(samples, RATE_HZ) is None
    assert integrated_lufs(samples + np.float32(1e-6), RATE_HZ) is None
    assert gain_db(None, -16) == 0


def test_the_gain_leads_to_the_target() -> None:
    """In dB, up and down."""
    assert gain_db(-25.5, -16) == 9.5
    assert gain_db(-10, -16) == -6


@pytest.mark.parametrize(("seconds", "lufs"), [(0.1, -26), (0.2, -23), (0.35, -20.6), (0.4, -20)])
def test_a_beep_is_measured_with_the_silence_after_it(seconds: float, lufs: float) -> None:
    """Half of 400 ms is 3 LU less than all of it."""
    assert integrated_lufs(tone(-20, seconds), RATE_HZ) == pytest.approx(lufs, abs=0.15)


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, 3 * RATE_HZ), max_size=8))
def test_chunks_make_no_difference(cuts: list[int]) -> None:
    """A stream is as loud as the whole of it."""
    samples = parts((-20, 1), (-30, 1), (-25, 1))
    meter = LoudnessMeter(RATE_HZ, 2)
    for piece in np.split(samples, sorted(cuts)):
        meter.feed(piece)
    streamed, whole = meter.integrated_lufs(), integrated_lufs(samples, RATE_HZ)
    assert streamed is not None
    assert whole is not None
    assert math.isclose(streamed, whole, abs_tol=1e-6)


def test_more_channels_than_the_recommendation_knows_are_refused() -> None:
    """There are no weights for them."""
    with pytest.raises(ValueError, match="8 channels"):
        LoudnessMeter(RATE_HZ, 8)
