"""Numbers spoken by the tone engine and read back from a recording."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.tone_codes import LARGEST, Decoder, Samples, encode
from edged.audio.resample import Resampler
from edged.engine.base import SynthJob
from edged.engine.tone import SAMPLE_RATE_HZ, ToneEngine
from edged.text.front_end import to_spoken

SPEED = 4.0
TONE = 480  # samples: 20 ms


def say(number: int, speed: float = SPEED) -> Samples:
    job = SynthJob("a", to_spoken(encode(number)).sentences, {"en": "tone", "zh": "tone"}, speed)
    return np.concatenate([chunk.samples for chunk in ToneEngine().synthesize(job)])


def read(*sounds: Samples) -> list[tuple[str, int | None]]:
    heard = Decoder(SAMPLE_RATE_HZ, SPEED).decode(np.concatenate(sounds))
    return [(sound.letters, sound.number) for sound in heard]


def some_numbers(count: int) -> list[int]:
    return [0, 1, LARGEST, *random.Random(5).sample(range(LARGEST), count)]


def test_the_front_end_leaves_the_words_alone() -> None:
    """A word is spoken letter by letter as it stands, whatever its number."""
    words = [encode(number) for number in range(0, LARGEST + 1, 101)]
    assert all([s.spoken for s in to_spoken(word).sentences] == [word] for word in words)


def test_numbers_said_without_a_pause_are_read_back() -> None:
    """As they lie in a recording: end to end."""
    numbers = some_numbers(200)
    heard = Decoder(SAMPLE_RATE_HZ, SPEED).decode(np.concatenate([say(number) for number in numbers]))
    assert [sound.number for sound in heard] == numbers
    assert [round(sound.at_s * SAMPLE_RATE_HZ) for sound in heard] == [
        8 * TONE * n for n in range(len(numbers))
    ]


@pytest.mark.parametrize("rate_hz", [16000, 44100, 48000])
def test_another_rate_and_sixteen_bits_change_nothing(rate_hz: int) -> None:
    """What a device makes of the engine's samples, and silence between and around them."""
    numbers = some_numbers(20)
    silence = np.zeros(1000, np.float32)
    sound = np.concatenate([part for number in numbers for part in (silence, say(number))] + [silence])
    resampled = Resampler(SAMPLE_RATE_HZ, rate_hz).feed(sound, last=True)
    played = (np.rint(resampled * 2**15) / 2**15).astype(np.float32)
    assert [heard.number for heard in Decoder(rate_hz, SPEED).decode(played)] == numbers


def test_an_unhurried_voice_is_read_too() -> None:
    """Tones of 80 ms."""
    heard = Decoder(SAMPLE_RATE_HZ, 1.0).decode(np.concatenate([say(n, 1.0) for n in (7, 70_000)]))
    assert [sound.number for sound in heard] == [7, 70_000]


@pytest.mark.parametrize("frames", range(2 * TONE + 100, 8 * TONE - 20, 377))
def test_a_word_that_is_cut_off_is_a_fragment(frames: int) -> None:
    """As many letters as were whole; the words around it lose nothing."""
    letters = encode(314)[: (frames + 24) // TONE]
    assert read(say(1), say(314)[:frames], say(2)) == [
        (encode(1), 1),
        (letters, None),
        (encode(2), 2),
    ]


@pytest.mark.parametrize("frames", [20, 100, 300, 450])
def test_less_than_a_tone_is_heard_as_well(frames: int) -> None:
    """However short: it was played, and belongs to something."""
    assert read(say(1), say(314)[:frames], say(2)) == [(encode(1), 1), ("", None), (encode(2), 2)]


def test_an_end_without_a_beginning_is_heard() -> None:
    """A stream taken up in the middle."""
    assert read(say(1), say(314)[3 * TONE :], say(2)) == [(encode(1), 1), ("", None), (encode(2), 2)]


def test_a_wrong_digit_is_no_number() -> None:
    """Tones of another word in the middle of this one."""
    mixed = np.concatenate([say(11_111)[: 3 * TONE], say(22_222)[3 * TONE :]])
    assert read(mixed) == [(encode(11_111)[:3] + encode(22_222)[3:], None)]


def test_a_gap_in_the_middle_is_no_number() -> None:
    """40 ms that the device did not get in time."""
    word, gap = say(12_345), np.zeros(2 * TONE, np.float32)
    assert all(number is None for _, number in read(word[: 4 * TONE], gap, word[4 * TONE :]))


def test_silence_says_nothing() -> None:
    """Nor does an empty recording."""
    assert read(np.zeros(5000, np.float32)) == []
    assert read(np.zeros(0, np.float32)) == []


def test_long_recordings_are_read_in_blocks() -> None:
    """A word that lies across the border of two blocks is one word."""
    silence = np.zeros((1 << 18) - 5 * TONE, np.float32)
    assert read(silence, say(1), say(2)) == [(encode(1), 1), (encode(2), 2)]
