"""The site presets as stages of a stream."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from edged.audio.level import rms_dbfs
from edged.audio.presets import PRESETS, Preset
from edged.audio.shaping import Shaping, equaliser

Samples = NDArray[np.float32]

RATE_HZ = 48000
PROGRAMME_LUFS = -16.0
SHAPED = sorted(PRESETS.keys() - {"flat"})


def shaping(name: str, rate_hz: int = RATE_HZ) -> Shaping:
    return Shaping(PRESETS[name], rate_hz, PROGRAMME_LUFS)


def gain_db(preset: Preset, frequency_hz: float, rate_hz: int = RATE_HZ) -> float:
    """Of the equaliser alone."""
    return sum(section.response_db(frequency_hz, rate_hz) for section in equaliser(preset, rate_hz))


def bursts(frames: int) -> Samples:
    """Syllables of noise, loud and quiet."""
    envelope = np.abs(np.sin(np.arange(frames) / 3000)) ** 3
    return (0.3 * envelope * np.random.default_rng(2).standard_normal(frames)).astype(np.float32)


def test_flat_is_what_was_spoken() -> None:
    """Every bit."""
    samples = bursts(RATE_HZ)
    assert np.array_equal(shaping("flat").feed(samples), samples)


def test_a_horn_gets_what_it_can_play() -> None:
    """Its band is 400 to 6000 Hz: what it would turn into heat and excursion is not there."""
    horn = PRESETS["horn"]
    middle_db = gain_db(horn, 2000)
    assert gain_db(horn, 400) - middle_db == pytest.approx(-6, abs=3)
    assert gain_db(horn, 6000) - middle_db == pytest.approx(-3, abs=3)
    assert gain_db(horn, 100) - middle_db < -20
    assert gain_db(horn, 20_000) - middle_db < -20


@pytest.mark.parametrize("name", SHAPED)
def test_consonants_gain_and_rumble_loses(name: str) -> None:
    """No preset takes from the band around 2 kHz for what is below 100 Hz."""
    assert gain_db(PRESETS[name], 2000) >= gain_db(PRESETS[name], 300)
    assert gain_db(PRESETS[name], 60) < gain_db(PRESETS[name], 300)


@pytest.mark.parametrize("name", SHAPED)
def test_the_equaliser_is_what_is_heard(name: str) -> None:
    """Tones through a preset without its compressor come out by the computed gain and the make-up."""
    preset = replace(PRESETS[name], compression=None)
    for frequency_hz in (250, 1000, 4000):
        tone = np.sin(2 * np.pi * frequency_hz / RATE_HZ * np.arange(RATE_HZ)).astype(np.float32)
        settled = Shaping(preset, RATE_HZ, PROGRAMME_LUFS).feed(tone)[RATE_HZ // 2 :]
        heard_db = 20 * np.log10(np.sqrt(2 * np.mean(np.square(settled, dtype=np.float64))))
        assert heard_db == pytest.approx(gain_db(preset, frequency_hz) + preset.make_up_db, abs=0.1)


@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, 6000), max_size=20), name=st.sampled_from(sorted(PRESETS)))
def test_chunks_make_no_difference(cuts: list[int], name: str) -> None:
    """As many samples out as in, at once, and the same ones."""
    samples = bursts(6000)
    stage = shaping(name)
    pieces = np.split(samples, sorted(cuts))
    shaped = [stage.feed(piece) for piece in pieces]
    assert [len(piece) for piece in shaped] == [len(piece) for piece in pieces]
    np.testing.assert_allclose(np.concatenate(shaped), shaping(name).feed(samples), atol=1e-5)


def test_streams_do_not_hear_each_other() -> None:
    """Two of one preset: a loud one does not turn the other down."""
    loud, quiet = shaping("horn"), shaping("horn")
    loud.feed(np.ones(RATE_HZ, np.float32))
    samples = bursts(6000)
    np.testing.assert_array_equal(quiet.feed(samples), shaping("horn").feed(samples))


@pytest.mark.parametrize("name", SHAPED)
def test_strong_sounds_lose_against_weak_ones(name: str) -> None:
    """A syllable 6 dB above the loudness of the programme and one 14 dB below it are closer together."""
    tone = np.sqrt(2) * np.sin(2 * np.pi * 1500 / RATE_HZ * np.arange(RATE_HZ))
    stage = shaping(name)
    strong, weak = (
        stage.feed((tone * 10 ** ((PROGRAMME_LUFS + lu) / 20)).astype(np.float32))[RATE_HZ // 2 :]
        for lu in (6, -14)
    )
    assert 20 * np.log10(np.std(strong) / np.std(weak)) < 20 - 1


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize("rate_hz", [8000, 11_025, 16_000, 96_000])
def test_every_rate_has_every_preset(name: str, rate_hz: int) -> None:
    """Bands that a rate cannot carry are left out; what it carries sounds the same."""
    for frequency_hz in (300, 1500, 3000):
        expected_db = gain_db(PRESETS[name], frequency_hz)
        assert gain_db(PRESETS[name], frequency_hz, rate_hz) == pytest.approx(expected_db, abs=1.2)
    assert np.all(np.isfinite(shaping(name, rate_hz).feed(bursts(rate_hz))))


@pytest.mark.parametrize("name", SHAPED)
def test_an_offset_goes(name: str) -> None:
    """It would be heard as a click at each end."""
    offset = bursts(RATE_HZ) + np.float32(0.2)
    assert abs(float(np.mean(shaping(name).feed(offset)[RATE_HZ // 2 :]))) < 1e-3


@pytest.mark.parametrize("name", SHAPED)
def test_silence_stays_silent(name: str) -> None:
    """No stage makes noise of its own."""
    assert rms_dbfs(shaping(name).feed(np.zeros(RATE_HZ, np.float32))) <= -120.0
