"""An announcement made to fit: what is given up, in which order, and what never is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.audio.chime import CHIMES
from edged.audio.chime_sound import chime_samples
from edged.audio.fit import fit
from edged.audio.mix import Arrangement, arrange
from edged.errors import OverBudgetError

RATE_HZ = 24000
MS = RATE_HZ // 1000

Samples = NDArray[np.float32]


def tone(ms: int, hz: float = 200.0) -> Samples:
    return (0.3 * np.cos(2 * np.pi * hz * np.arange(ms * MS) / RATE_HZ)).astype(np.float32)


def quiet(ms: int) -> Samples:
    return np.zeros(ms * MS, np.float32)


def struck(ms: int, rings_ms: float) -> Samples:
    """A bell that falls by 60 dB in `rings_ms`."""
    t_ms = np.arange(ms * MS) / MS
    return (tone(ms, 880) * 10 ** (-3 * t_ms / rings_ms)).astype(np.float32)


def around(
    opening: Samples, gap_ms: int = 0, closing: Samples | None = None, lead_in_ms: int = 0
) -> Arrangement:
    gap, lead_in = gap_ms * MS, lead_in_ms * MS
    if closing is None:
        return Arrangement(RATE_HZ, lead_in, opening, len(opening) + gap)
    return Arrangement(RATE_HZ, lead_in, opening, len(opening) + gap, gap, closing)


def heard_ms(arrangement: Arrangement, speech: Samples) -> float:
    return sum(map(len, arrange([speech], arrangement))) / MS


SPEECH = np.concatenate([quiet(200), tone(600), quiet(400), tone(600), quiet(200)])
NO_TONES = around(quiet(0))


def test_what_fits_is_untouched() -> None:
    """To the last millisecond."""
    bell = around(struck(500, 400), 250, struck(500, 400))
    exactly = int(heard_ms(bell, SPEECH))
    fitted, speech = fit(bell, SPEECH, exactly)
    assert np.array_equal(speech, SPEECH)
    assert (fitted.speech_at, fitted.gap_end_frames) == (bell.speech_at, bell.gap_end_frames)
    assert np.array_equal(fitted.opening, bell.opening)
    assert np.array_equal(fitted.closing, bell.closing)


@pytest.mark.parametrize("budget_ms", [1999, 1700, 1340])
def test_silence_goes_first(budget_ms: int) -> None:
    """As much of it as is needed; the words keep their pace, and between them 100 ms stay."""
    fitted, speech = fit(NO_TONES, SPEECH, budget_ms)
    assert budget_ms - 1 < heard_ms(fitted, speech) <= budget_ms
    assert np.count_nonzero(speech) == np.count_nonzero(SPEECH)


def test_gaps_around_tones_are_silence_too() -> None:
    """The tones are whole; only what the loudspeaker needs before everything stays."""
    key = around(tone(60, 1400), 300, tone(60, 1400), lead_in_ms=100)
    fitted, speech = fit(key, tone(1000), 1220 + 10)
    assert heard_ms(fitted, speech) <= 1230
    assert fitted.lead_in_frames == 100 * MS
    assert np.array_equal(fitted.opening, key.opening)
    assert np.array_equal(fitted.closing, key.closing)
    assert np.array_equal(speech, tone(1000))


def test_a_tone_dies_away_under_the_speech_before_the_pace_changes() -> None:
    """Its stroke is heard alone; where the first word begins it is 30 dB down."""
    bell = around(struck(1000, 1200), 250)
    fitted, speech = fit(bell, tone(1000), 1600)
    assert heard_ms(fitted, speech) <= 1600
    assert np.array_equal(speech, tone(1000))
    assert fitted.speech_at == 600 * MS


@pytest.mark.parametrize(("rings_ms", "earliest_ms"), [(300, 250), (1200, 250), (2000, 400), (3000, 600)])
def test_the_first_word_is_never_under_the_stroke(rings_ms: float, earliest_ms: int) -> None:
    """It waits for 12 dB of decay and for the ducking, so that the tone is 30 dB down when it begins."""
    bell = around(struck(4000, rings_ms), 250)
    soonest, _ = fit(bell, tone(1000), 850 + earliest_ms)
    assert soonest.speech_at == pytest.approx(earliest_ms * MS, abs=6 * MS)
    under = np.concatenate(list(arrange([quiet(1000)], soonest)))[soonest.speech_at :]
    assert 20 * np.log10(np.abs(under).max() / 0.3) < -30


def test_a_tone_that_keeps_its_level_is_never_under_the_words() -> None:
    """They begin when it has ended."""
    beep = around(tone(400, 1000), 250)
    fitted, speech = fit(beep, tone(1000), 1250)
    assert fitted.speech_at == 400 * MS
    assert heard_ms(fitted, speech) <= 1250


def test_the_end_of_a_tone_that_nobody_hears_is_left_out() -> None:
    """Of the closing; it fades and keeps what can be heard."""
    bell = around(quiet(0), 0, struck(1500, 1000))
    fitted, speech = fit(bell, tone(500), 1200)
    assert heard_ms(fitted, speech) <= 1200
    assert np.array_equal(speech, tone(500))
    assert np.array_equal(fitted.closing[: 600 * MS], bell.closing[: 600 * MS])
    assert abs(fitted.closing[-1]) < 1e-6
    fitted, speech = fit(bell, tone(500), 1050)
    assert len(fitted.closing) == pytest.approx(600 * MS, abs=6 * MS)
    assert len(speech) == pytest.approx(450 * MS, abs=6 * MS)


def test_a_tone_under_the_words_ends_with_them() -> None:
    """It was under them before and may begin to be sooner; its long end is given up."""
    gong = Arrangement(RATE_HZ, opening=struck(4000, 4000), speech_at=800 * MS)
    fitted, speech = fit(gong, tone(1000), 1500)
    assert heard_ms(fitted, speech) == 1500
    assert np.array_equal(speech, tone(1000))
    assert fitted.speech_at == 500 * MS


def test_the_pace_is_last_and_bounded() -> None:
    """Up to 1.25 times as fast; the result names what can be reached, and that can."""
    fitted, speech = fit(NO_TONES, tone(1000), 800)
    assert heard_ms(fitted, speech) == 800
    with pytest.raises(OverBudgetError, match="max_duration_ms 799: 800 ms is the shortest it can be"):
        fit(NO_TONES, tone(1000), 799)


@pytest.mark.parametrize("name", CHIMES)
@pytest.mark.parametrize("under", [False, True])
def test_what_is_named_as_the_shortest_is_one_that_fits(name: str, under: bool) -> None:
    """For every chime, before the words or under them, and a millisecond less does not."""
    chime = chime_samples(name, RATE_HZ)
    speech_at = min(800 * MS, len(chime)) if under else len(chime) + 250 * MS
    arrangement = Arrangement(RATE_HZ, 0, chime, speech_at, 250 * MS, chime_samples("ding", RATE_HZ))
    with pytest.raises(OverBudgetError) as refused:
        fit(arrangement, SPEECH, 1)
    shortest_ms = int(refused.value.what.split(": ")[1].split()[0])
    fitted, speech = fit(arrangement, SPEECH, shortest_ms)
    assert heard_ms(fitted, speech) <= shortest_ms
    with pytest.raises(OverBudgetError, match=f": {shortest_ms} ms"):
        fit(arrangement, SPEECH, shortest_ms - 1)


@pytest.mark.parametrize("name", ["key", "beep", "ding"])
def test_a_key_tone_and_a_prompt_fit_two_seconds(name: str) -> None:
    """The counter of a bank: 1.6 s of speech, its tone included, in 2 s."""
    arrangement = around(chime_samples(name, RATE_HZ), 250)
    fitted, speech = fit(arrangement, tone(1600), 2000)
    assert heard_ms(fitted, speech) <= 2000


def test_nothing_to_say_is_no_fault() -> None:
    """No speech, or silence only."""
    for speech in (quiet(0), quiet(300)):
        fitted, rest = fit(NO_TONES, speech, 100)
        assert heard_ms(fitted, rest) <= 100
