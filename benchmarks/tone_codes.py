"""Numbers as words that the tone engine speaks, and back from a recording of what was played.

A word is a first letter, five digits, a check digit and a last letter, eight tones. Whatever was cut off,
doubled or overlaid shows as a word that is not whole. The decoder knows the engine's frequencies and
nothing of what was asked of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.engine.tone import FADE_MS, TONE_MS, tone_hz

Samples = NDArray[np.float32]

LARGEST = 99_999
# Every second letter: 50 Hz apart, which 20 ms tell apart. No vowels: a word that no rule of the text
# front end reads as anything else.
_DIGITS = "bdfhjlnprtv"  # the last one stands for ten, in the check digit only
_FIRST, _LAST = "z", "x"
_WORD_LENGTH = 8
_WEIGHTS = (2, 3, 4, 5, 6)  # modulo 11, a prime: any one wrong digit and any two exchanged ones show

# Likeness of a stretch of sound to a tone: 1 for the same, 0.95 where a tenth of it is missing. What
# lies below is another tone (0.3 or less), a half of one (0.7), or a mixture.
_LIKE = 0.95
_LIKE_BEGIN = 0.9  # the place is found on a grid of samples first
_SILENCE = 0.01  # tones have 0.3
_BLOCK = 1 << 18  # samples compared at a time


def encode(number: int) -> str:
    """The word for a number from 0 to LARGEST."""
    digits = [int(digit) for digit in f"{number:05d}"]
    return _FIRST + "".join(_DIGITS[digit] for digit in [*digits, _check(digits)]) + _LAST


def _check(digits: list[int]) -> int:
    return sum(weight * digit for weight, digit in zip(_WEIGHTS, digits, strict=True)) % 11


@dataclass(frozen=True, slots=True)
class Heard:
    """One sound of a recording: where it begins, and as many letters as could be made out.

    No letters: a sound that does not begin as a word does.
    """

    at_s: float
    letters: str

    @property
    def number(self) -> int | None:
        """What it says, if it was heard from the first to the last tone."""
        if len(self.letters) != _WORD_LENGTH or self.letters[-1] != _LAST:
            return None
        digits = [_DIGITS.index(letter) for letter in self.letters[1:-1] if letter in _DIGITS]
        if len(digits) != len(_WEIGHTS) + 1 or _check(digits[:-1]) != digits[-1]:
            return None
        return int("".join(map(str, digits[:-1])))


class Decoder:
    """Reads recordings of one rate, of words spoken at one pace."""

    def __init__(self, rate_hz: int, speed: float) -> None:
        self._rate_hz = rate_hz
        self._tone_frames = int(rate_hz * TONE_MS / 1000 / speed)
        self._least_energy = self._tone_frames * _SILENCE**2
        self._letters = _FIRST + _DIGITS + _LAST
        self._tones = np.stack([self._tone(letter) for letter in self._letters])

    def decode(self, samples: Samples) -> list[Heard]:
        """Every sound in mono samples [n], in order."""
        begins = self._begins(samples)
        slack = round(self._tone_frames * (1 - _LIKE))
        heard: list[Heard] = []
        end = 0
        for begin, next_begin in pairwise([*begins, len(samples)]):
            heard += self._scraps(samples, end, begin)
            letters = self._read(samples[begin : next_begin + slack])
            heard.append(Heard(begin / self._rate_hz, letters))
            end = begin + len(letters) * self._tone_frames
            if len(letters) < _WORD_LENGTH:
                end += self._tone_frames  # cut off in mid-tone
            end = min(end, next_begin)
        return heard + self._scraps(samples, end, len(samples))

    def _tone(self, letter: str) -> NDArray[np.complex64]:
        """A tone with its fades as a turning phase, so that it is found at any phase; its energy is 1."""
        t = np.arange(self._tone_frames) / self._rate_hz
        edge = np.clip(np.minimum(t, t[-1] - t) / (FADE_MS / 1000), 0.0, 1.0)
        tone = edge * np.exp(2j * np.pi * tone_hz(letter) * t)
        unit: NDArray[np.complex64] = (tone / np.linalg.norm(tone)).astype(np.complex64)
        return unit

    def _begins(self, samples: Samples) -> list[int]:
        """Where the first letter's tone is most itself."""
        step = _BLOCK - self._tone_frames + 1
        blocks = (samples[at : at + _BLOCK] for at in range(0, len(samples), step))
        likeness = np.concatenate([self._first_likeness(block) for block in blocks] or [samples[:0]])
        found = np.flatnonzero(likeness > _LIKE_BEGIN)
        runs = np.split(found, np.flatnonzero(np.diff(found) > 1) + 1)
        return [int(run[0] + np.argmax(likeness[run])) for run in runs if len(run)]

    def _first_likeness(self, samples: Samples) -> Samples:
        """How much of the first letter is in each stretch of samples [n], [n - frames of a tone + 1]."""
        count = len(samples) - self._tone_frames + 1
        if count <= 0:
            return samples[:0]
        spectrum = np.fft.fft(samples) * np.conj(np.fft.fft(self._tones[0], len(samples)))
        power = np.cumsum(np.concatenate(([0.0], np.square(samples, dtype=np.float64))))
        energy = power[self._tone_frames :] - power[: -self._tone_frames]
        return self._likeness(np.abs(np.fft.ifft(spectrum)[:count]), energy)

    def _likeness(self, amplitude: NDArray[Any], energy: NDArray[Any]) -> Samples:
        # a real tone is half in the turning phase, half in its mirror image
        likeness: NDArray[Any] = amplitude * np.sqrt(2 / np.maximum(energy, self._least_energy))
        as_samples: Samples = likeness.astype(np.float32)
        return as_samples

    def _read(self, samples: Samples) -> str:
        """The letters whose tones follow each other from the first of samples [n] on, until one is none."""
        count = min(_WORD_LENGTH, len(samples) // self._tone_frames)
        tones = samples[: count * self._tone_frames].reshape(count, self._tone_frames)
        energy = np.square(tones, dtype=np.float64).sum(axis=1)
        likeness = self._likeness(np.abs(self._tones.conj() @ tones.T), energy)
        is_tone = likeness.max(axis=0, initial=0.0) >= _LIKE
        length = count if is_tone.all() else int(np.argmin(is_tone))
        return "".join(self._letters[index] for index in likeness.argmax(axis=0)[:length])

    def _scraps(self, samples: Samples, begin: int, end: int) -> list[Heard]:
        """What sounds between two words, as one sound without letters; nothing if nothing does."""
        sounding = np.flatnonzero(np.abs(samples[begin:end]) > _SILENCE)
        return [Heard((begin + int(sounding[0])) / self._rate_hz, "")] if len(sounding) else []
