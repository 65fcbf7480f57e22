"""Speech faster or slower at the same pitch.

Waveform-similarity overlap-add: the output is made of short pieces of the input, and each one is taken from
where the input, near its due place, goes on most like what was last heard. So the joins fall on whole pitch
periods.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edged.audio.fade import rise

Samples = NDArray[np.float32]

SLOWEST, FASTEST = 0.5, 2.0
_HOP_MS = 12  # what each join adds: longer than the period of a low voice, shorter than any speech sound
_SEARCH_MS = 8  # to either side of the due place: 16 ms hold a whole period of any voice above 63 Hz
_SILENCE = 1e-9  # mean square, -90 dBFS: nothing to match


class Stretcher:
    """A stream of mono samples at `speed` times its pace.

    Its length becomes 1 / speed of what it was, to the sample; 1.0 passes it on untouched. Raises ValueError
    for a speed outside 0.5 to 2.
    """

    def __init__(self, rate_hz: int, speed: float) -> None:
        if not SLOWEST <= speed <= FASTEST:
            raise ValueError(f"speed {speed}: expected {SLOWEST} to {FASTEST}")
        self._speed = speed
        self._hop = rate_hz * _HOP_MS // 1000
        self._search = rate_hz * _SEARCH_MS // 1000
        self._rise = rise(self._hop)
        self._input: Samples = np.zeros(0, np.float32)
        self._dropped = 0  # samples that came before the first of _input
        self._made = 0
        self._tail: Samples | None = None  # how the input goes on after what was last given out

    def feed(self, samples: Samples) -> Samples:
        """The next samples [n] in, what is certain by now out."""
        if self._speed == 1.0:
            return samples
        self._input = np.concatenate((self._input, samples))
        reach = self._search + 2 * self._hop  # the latest place, this hop and its tail
        hops = []
        while self._due + reach <= len(self._input):
            hops.append(self._next_hop())
        return np.concatenate(hops) if hops else np.zeros(0, np.float32)

    def flush(self) -> Samples:
        """The rest; the next `feed` begins another stream."""
        if self._speed == 1.0:
            return np.zeros(0, np.float32)
        wanted = round((self._dropped + len(self._input)) / self._speed)
        left = wanted - self._made
        self._input = np.pad(self._input, (0, 3 * self._hop + self._search))
        hops = []
        while self._made < wanted - self._hop:
            hops.append(self._next_hop())
        hops.append(self._input if self._tail is None else self._tail)
        self._input, self._tail = np.zeros(0, np.float32), None
        self._dropped = self._made = 0
        return np.concatenate(hops)[:left]

    @property
    def _due(self) -> int:
        """Where in _input the next hop belongs by the clock."""
        return round(self._made * self._speed) - self._dropped

    def _next_hop(self) -> Samples:
        hop = self._hop
        if self._tail is None:
            at, made = 0, self._input[:hop]
        else:
            at, likeness = self._best_place(self._tail)
            made = _joined(self._tail, self._input[at : at + hop], self._rise, likeness)
        self._tail = self._input[at + hop : at + 2 * hop]
        self._made += hop
        self._forget()
        return made

    def _best_place(self, tail: Samples) -> tuple[int, float]:
        """Where the input is most like `tail`, and how like it is, 0 to 1."""
        first = max(self._due - self._search, 0)
        region = self._input[first : self._due + self._search + self._hop]
        if np.dot(tail, tail) <= _SILENCE * self._hop:
            return self._due, 0.0
        powers = np.cumsum(np.square(np.pad(region, (1, 0)), dtype=np.float64))
        energies = np.maximum(powers[self._hop :] - powers[: -self._hop], _SILENCE * self._hop)
        likeness = np.correlate(region, tail, "valid") / np.sqrt(energies * np.dot(tail, tail))
        best = int(np.argmax(likeness))
        return first + best, min(max(float(likeness[best]), 0.0), 1.0)

    def _forget(self) -> None:
        """Drop input that no later search reaches."""
        passed = self._due - self._search
        if passed > 0:
            self._input = self._input[passed:]
            self._dropped += passed


def stretch(samples: Samples, rate_hz: int, speed: float) -> Samples:
    """All of `samples` [n] at `speed` times their pace, [round(n / speed)]."""
    stretcher = Stretcher(rate_hz, speed)
    return np.concatenate((stretcher.feed(samples), stretcher.flush()))


def _joined(falling: Samples, rising: Samples, rise: Samples, likeness: float) -> Samples:
    """One stretch into the next at an even level.

    What is alike adds up by amplitude, what is not (the hiss of an s) by power.
    """
    fall = 1 - rise
    level = np.sqrt(rise**2 + fall**2 + 2 * likeness * rise * fall)
    return np.divide(falling * fall + rising * rise, level, dtype=np.float32)
