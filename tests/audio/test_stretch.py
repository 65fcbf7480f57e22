"""Pace without pitch: measured on signals whose pitch, level and joins can be told exactly."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.audio.level import rms_dbfs
from edged.audio.stretch import Stretcher, stretch

RATE_HZ = 24000
SECONDS = 3
SPEEDS = (0.5, 0.7, 0.9, 1.1, 1.25, 1.5, 2.0)
INNER = slice(RATE_HZ // 10, -RATE_HZ // 10)

Samples = NDArray[np.float32]


def sine(hz: float) -> Samples:
    t = np.arange(RATE_HZ * SECONDS) / RATE_HZ
    return (0.5 * np.sin(2 * np.pi * hz * t)).astype(np.float32)


def vowel(pitch_hz: float) -> Samples:
    """Pulses of a throat through the three resonances of an "a"."""
    pulses = np.zeros(RATE_HZ * SECONDS)
    pulses[np.arange(0, len(pulses) - 1, RATE_HZ / pitch_hz).astype(int)] = 1
    t = np.arange(RATE_HZ // 50) / RATE_HZ
    formants = ((700, 80), (1100, 90), (2500, 120))
    rings = [np.exp(-np.pi * width * t) * np.sin(2 * np.pi * hz * t) for hz, width in formants]
    sound = np.convolve(pulses, np.sum(rings, axis=0))[: len(pulses)]
    voiced: Samples = (0.5 * sound / np.abs(sound).max()).astype(np.float32)
    return voiced


def hiss() -> Samples:
    return np.random.default_rng(0).normal(0, 0.1, RATE_HZ * SECONDS).astype(np.float32)


def words() -> Samples:
    """Syllables of two voices with pauses between, as speech has them."""
    syllable = np.hanning(RATE_HZ // 5)
    pause = np.zeros(RATE_HZ // 10)
    parts = [part for hz in (110, 215, 140, 180) for part in (vowel(hz)[: len(syllable)] * syllable, pause)]
    return np.concatenate(parts).astype(np.float32)


def pitch_hz(sound: Samples, lowest_hz: float, highest_hz: float) -> float:
    """The strongest period, from the autocorrelation of a second."""
    piece = sound[INNER][:RATE_HZ]
    spectrum = np.abs(np.fft.rfft(piece, 4 * len(piece))) ** 2
    likeness = np.fft.irfft(spectrum)
    first = int(RATE_HZ / highest_hz)
    lag = first + int(np.argmax(likeness[first : int(RATE_HZ / lowest_hz)]))
    before, at, after = likeness[lag - 1 : lag + 2]
    return float(RATE_HZ / (lag + 0.5 * (before - after) / (before - 2 * at + after)))


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("hz", [82.4, 117.3, 220.7, 310.0])
def test_the_pitch_stays(hz: float, speed: float) -> None:
    """Of a tone and of a voice, low or high, within one percent."""
    for sound in (sine(hz), vowel(hz)):
        assert pitch_hz(stretch(sound, RATE_HZ, speed), hz / 1.4, hz * 1.4) == pytest.approx(hz, rel=0.01)


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_level_stays(speed: float) -> None:
    """Of what is alike everywhere and of what is nowhere, within a quarter of a decibel."""
    for sound in (sine(220.7), vowel(117.3), hiss()):
        assert rms_dbfs(stretch(sound, RATE_HZ, speed)[INNER]) == pytest.approx(
            rms_dbfs(sound[INNER]), abs=0.25
        )


@pytest.mark.parametrize("speed", SPEEDS)
def test_no_join_clicks(speed: float) -> None:
    """No step from sample to sample is larger than those of the sound itself."""
    for sound in (sine(220.7), vowel(117.3), words()):
        steps = np.abs(np.diff(stretch(sound, RATE_HZ, speed)[INNER]))
        assert steps.max() <= 1.2 * np.abs(np.diff(sound)).max()


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_length_is_exact(speed: float) -> None:
    """Also of less than one join, and of nothing."""
    for length in (0, 1, 100, 288, 289, 1000, 5000, 71999):
        assert len(stretch(hiss()[:length], RATE_HZ, speed)) == round(length / speed)


@pytest.mark.parametrize("speed", SPEEDS)
def test_everything_is_said_in_its_place(speed: float) -> None:
    """Syllables and pauses are where they were, the last one included, all of them longer or shorter."""
    sound = words()
    stretched = stretch(sound, RATE_HZ, speed)
    block = RATE_HZ // 50
    due = np.arange(0, len(stretched) - block, block)
    heard = [rms_dbfs(stretched[at : at + block]) for at in due]
    said = [rms_dbfs(sound[int(at * speed) :][: int(block * speed)]) for at in due]
    assert np.corrcoef(np.maximum(heard, -60), np.maximum(said, -60))[0, 1] > 0.9


def test_its_own_pace_is_untouched() -> None:
    """Sample for sample, and at once."""
    stretcher = Stretcher(RATE_HZ, 1.0)
    sound = words()
    assert stretcher.feed(sound) is sound
    assert len(stretcher.flush()) == 0


@pytest.mark.parametrize("speed", [0.5, 1.3, 2.0])
def test_it_is_a_stream(speed: float) -> None:
    """However it is cut into blocks, and again for the next one; little is held back."""
    sound = words()
    whole = stretch(sound, RATE_HZ, speed)
    stretcher = Stretcher(RATE_HZ, speed)
    for block in (1, 997, 24000):
        blocks = [sound[at : at + block] for at in range(0, len(sound), block)]
        begun = np.concatenate([stretcher.feed(one) for one in blocks])
        assert len(sound) / speed - len(begun) < RATE_HZ / 5
        assert np.array_equal(np.concatenate((begun, stretcher.flush())), whole)


@pytest.mark.parametrize("speed", [0.49, 2.01, 0.0])
def test_a_speed_out_of_bounds_is_refused(speed: float) -> None:
    """It would not be understood."""
    with pytest.raises(ValueError, match=r"0\.5 to 2"):
        Stretcher(RATE_HZ, speed)
