"""Second-order filter sections over a stream, many samples at a time.

A recursive filter needs its last outputs for the next one, which would be a Python loop over samples.
Written as a linear system with a state s of two numbers a section,

    s[n+1] = A s[n] + B x[n],    y[n] = C s[n] + D x[n],

a block of L samples is one step of a larger system: the outputs are the inputs times a matrix of the
impulse response, plus the state times the response to the state. Both are computed once. What is left
to loop over is the state, once a block.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

# blocks twice as long cost twice the multiplications, blocks half as long twice the steps of Python: at 64
# both together are cheapest, 0.15 % of a core for a stream at 48 kHz, be it one section or four
_BLOCK_FRAMES = 64


@dataclass(frozen=True, slots=True)
class Section:
    """y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2].

    Raises ValueError for one that is not stable: its sound would never end.
    """

    b0: float
    b1: float
    b2: float
    a1: float
    a2: float

    def __post_init__(self) -> None:
        if not (abs(self.a2) < 1 and abs(self.a1) < 1 + self.a2):
            raise ValueError(f"a filter with the poles of a1 = {self.a1}, a2 = {self.a2} is not stable")

    def response_db(self, frequency_hz: float, rate_hz: int) -> float:
        """What it does to the level of a tone."""
        z = cmath.exp(-2j * math.pi * frequency_hz / rate_hz)
        response = (self.b0 + (self.b1 + self.b2 * z) * z) / (1 + (self.a1 + self.a2 * z) * z)
        return 20 * math.log10(max(abs(response), 1e-12))


class Filter:
    """Sections one after the other over a mono stream; the same output however it is cut into chunks.

    Samples must be finite: a NaN would stay in the state for ever.
    """

    def __init__(self, sections: Sequence[Section]) -> None:
        a, b, c, d = _cascade(sections)
        self._powers = [np.eye(len(a))]  # of A, up to a whole block
        for _ in range(_BLOCK_FRAMES):
            self._powers.append(self._powers[-1] @ a)
        self._by_state = np.stack([c @ power for power in self._powers[:-1]], axis=1)  # [states, L]
        # what input i adds to the state at the end of the block: A^(L-1-i) B
        self._into_state = np.stack([power @ b for power in self._powers[-2::-1]])  # [L, states]
        self._by_input = _toeplitz(np.concatenate(([d], b @ self._by_state[:, :-1])))  # [L, L]
        self._state = np.zeros(len(a))

    def feed(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """The next samples [n] in, as many out."""
        whole = len(samples) // _BLOCK_FRAMES * _BLOCK_FRAMES
        blocks = samples[:whole].reshape(-1, _BLOCK_FRAMES).astype(np.float64)
        rest = samples[whole:].astype(np.float64)
        states = self._advance(blocks)
        output = np.empty(len(samples), dtype=np.float32)
        output[:whole] = (blocks @ self._by_input + states @ self._by_state).ravel()
        output[whole:] = self._feed_part(rest)
        return output

    def _advance(self, blocks: Matrix) -> Matrix:
        """The state at the beginning of each block [blocks, states]; the filter's is that after the last."""
        added = blocks @ self._into_state
        states = np.empty_like(added)
        over_block = self._powers[-1]
        for index, addition in enumerate(added):
            states[index] = self._state
            self._state = over_block @ self._state + addition
        return states

    def _feed_part(self, part: Matrix) -> Matrix:
        """Less than a block."""
        length = len(part)
        output: Matrix = part @ self._by_input[:length, :length] + self._state @ self._by_state[:, :length]
        added = part @ self._into_state[_BLOCK_FRAMES - length :]
        self._state = self._powers[length] @ self._state + added
        return output


def high_pass(frequency_hz: float, rate_hz: int, q: float = math.sqrt(0.5)) -> Section:
    """12 dB an octave below `frequency_hz`; at this `q` as flat as can be above it."""
    cosine, alpha = _prototype(frequency_hz, rate_hz, q)
    return _normalised((1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2, 1 + alpha, -2 * cosine, 1 - alpha)


def low_pass(frequency_hz: float, rate_hz: int, q: float = math.sqrt(0.5)) -> Section:
    """12 dB an octave above `frequency_hz`; at this `q` as flat as can be below it."""
    cosine, alpha = _prototype(frequency_hz, rate_hz, q)
    return _normalised((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2, 1 + alpha, -2 * cosine, 1 - alpha)


def peak(frequency_hz: float, rate_hz: int, gain_db: float, q: float) -> Section:
    """`gain_db` at `frequency_hz`, over a band of `frequency_hz` / `q`."""
    cosine, alpha = _prototype(frequency_hz, rate_hz, q)
    a = 10 ** (gain_db / 40)
    return _normalised(1 + alpha * a, -2 * cosine, 1 - alpha * a, 1 + alpha / a, -2 * cosine, 1 - alpha / a)


def low_shelf(frequency_hz: float, rate_hz: int, gain_db: float, q: float = math.sqrt(0.5)) -> Section:
    """`gain_db` below `frequency_hz`, half of it there."""
    return _shelf(frequency_hz, rate_hz, gain_db, q, side=1)


def high_shelf(frequency_hz: float, rate_hz: int, gain_db: float, q: float = math.sqrt(0.5)) -> Section:
    """`gain_db` above `frequency_hz`, half of it there."""
    return _shelf(frequency_hz, rate_hz, gain_db, q, side=-1)


def _shelf(frequency_hz: float, rate_hz: int, gain_db: float, q: float, side: int) -> Section:
    cosine, alpha = _prototype(frequency_hz, rate_hz, q)
    a = 10 ** (gain_db / 40)
    cosine *= side  # mirrored at a quarter of the rate, a low shelf is a high one
    slope = 2 * math.sqrt(a) * alpha
    return _normalised(
        a * ((a + 1) - (a - 1) * cosine + slope),
        side * 2 * a * ((a - 1) - (a + 1) * cosine),
        a * ((a + 1) - (a - 1) * cosine - slope),
        (a + 1) + (a - 1) * cosine + slope,
        side * -2 * ((a - 1) + (a + 1) * cosine),
        (a + 1) + (a - 1) * cosine - slope,
    )


def _prototype(frequency_hz: float, rate_hz: int, q: float) -> tuple[float, float]:
    """Cosine and alpha of the bilinear transform (R. Bristow-Johnson, Audio EQ Cookbook)."""
    if not 0 < frequency_hz < rate_hz / 2:
        raise ValueError(f"{frequency_hz} Hz cannot be filtered at a rate of {rate_hz} Hz")
    angle = 2 * math.pi * frequency_hz / rate_hz
    return math.cos(angle), math.sin(angle) / (2 * q)


def _normalised(b0: float, b1: float, b2: float, a0: float, a1: float, a2: float) -> Section:
    return Section(b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0)


def _cascade(sections: Sequence[Section]) -> tuple[Matrix, Matrix, Matrix, float]:
    """A, B, C, D of all sections as one system: the output of each drives the next."""
    size = 2 * len(sections)
    a, b, c, d = np.zeros((size, size)), np.zeros(size), np.zeros(size), 1.0
    for at, s in zip(range(0, size, 2), sections, strict=True):
        own = slice(at, at + 2)
        # transposed direct form II: the one with the least rounding noise for low frequencies
        drive = np.array([s.b1 - s.a1 * s.b0, s.b2 - s.a2 * s.b0])
        a[own, own] = [[-s.a1, 1.0], [-s.a2, 0.0]]
        a[own, :at] = np.outer(drive, c[:at])
        b[own] = drive * d
        c[:at] *= s.b0
        c[at] = 1.0
        d *= s.b0
    return a, b, c, d


def _toeplitz(response: Matrix) -> Matrix:
    """[L, L] by which a row of inputs becomes its outputs: row i is the response, delayed by i."""
    length = len(response)
    delays = np.arange(length) - np.arange(length)[:, np.newaxis]
    return np.where(delays >= 0, response[delays], 0.0)
