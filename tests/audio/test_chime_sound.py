"""The built-in chimes as sound."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from edged.audio.chime import CHIMES
from edged.audio.chime_sound import CHIME_LUFS, Samples, chime_samples
from edged.audio.loudness import integrated_lufs
from edged.audio.true_peak import true_peak_dbfs

RATE_HZ = 24000
TONES_BELOW_HZ = 8000  # in every chime
CLICK_DBFS = -50.0


def above(hz: float, samples: Samples, rate_hz: int) -> Samples:
    """What of a sound lies above a frequency, with a little silence around it."""
    padded = np.pad(samples, rate_hz // 10)
    spectrum = np.fft.rfft(padded)
    spectrum[np.fft.rfftfreq(len(padded), 1 / rate_hz) < hz] = 0
    rest: Samples = np.fft.irfft(spectrum, len(padded)).astype(np.float32)
    return rest


def strongest_hz(samples: Samples) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.fft.rfftfreq(len(samples), 1 / RATE_HZ)[spectrum.argmax()])


@pytest.mark.parametrize("rate_hz", [8000, 16000, 22050, 24000, 44100, 48000, 96000])
@pytest.mark.parametrize("name", CHIMES)
def test_all_are_equally_loud_and_none_is_limited(name: str, rate_hz: int) -> None:
    """Within 1 LU of each other at any rate, and their peaks stay below what the limiter touches."""
    samples = chime_samples(name, rate_hz)
    assert integrated_lufs(samples, rate_hz) == pytest.approx(CHIME_LUFS, abs=0.5)
    assert true_peak_dbfs(samples) < -1.5


@pytest.mark.parametrize("rate_hz", [8000, 24000, 48000])
@pytest.mark.parametrize("name", CHIMES)
def test_it_lasts_as_long_as_its_score(name: str, rate_hz: int) -> None:
    """At any rate, to the sample."""
    assert len(chime_samples(name, rate_hz)) == round(CHIMES[name].length_ms * rate_hz / 1000) + 1


@pytest.mark.parametrize("name", CHIMES)
def test_no_clicks(name: str) -> None:
    """A click is as loud where no tone is as anywhere: nothing is to be heard there."""
    samples = chime_samples(name, 48000)
    assert (samples[0], samples[-1]) == (0, 0)
    assert np.abs(above(TONES_BELOW_HZ, samples, 48000)).max() < 10 ** (CLICK_DBFS / 20)


def test_a_tone_that_the_rate_cannot_carry_is_left_out() -> None:
    """It would come back as one that is not in the score: 5.4 x 783.99 Hz as 3767 Hz."""
    samples = chime_samples("three-tone", 8000)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    frequencies = np.fft.rfftfreq(len(samples), 1 / 8000)
    assert spectrum[frequencies > 3600].max() < 1e-3 * spectrum.max()


def test_notes_are_heard_when_and_as_written() -> None:
    """A door chime falls from E to C; a beep is 1 kHz, twice, with silence between."""
    door = chime_samples("ding-dong", RATE_HZ)
    assert strongest_hz(door[: RATE_HZ * 2 // 5]) == pytest.approx(659, abs=5)
    assert strongest_hz(door[RATE_HZ * 3 // 5 :]) == pytest.approx(523, abs=5)
    beeps = chime_samples("double-beep", RATE_HZ)
    assert strongest_hz(beeps[: RATE_HZ // 10]) == pytest.approx(1000, abs=10)
    assert not beeps[RATE_HZ * 125 // 1000 : RATE_HZ * 215 // 1000].any()


def test_a_stroke_dies_away_and_a_held_tone_does_not() -> None:
    """Which is what tells a chime from a beep."""
    stroke, beep = chime_samples("ding", RATE_HZ), chime_samples("beep", RATE_HZ)
    tenths = [np.abs(stroke[at : at + RATE_HZ // 10]).max() for at in range(0, len(stroke), RATE_HZ // 10)]
    assert all(later < earlier for earlier, later in pairwise(tenths))
    middle = slice(RATE_HZ // 100, -RATE_HZ // 50)
    halves = np.array_split(np.abs(beep[middle]), 2)
    assert halves[0].max() == pytest.approx(halves[1].max(), rel=0.01)


def test_nobody_changes_a_chime_for_the_next_one() -> None:
    """They are kept; who wants to change one must copy it."""
    with pytest.raises(ValueError, match="read-only"):
        chime_samples("ding", RATE_HZ)[0] = 1.0
