"""The last stage before the device: nothing leaves it above the ceiling, not even between two samples."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from edged.audio.true_peak import HIGHEST_RATIO, LOOK_AHEAD, TAPS, gap_peaks

Samples = NDArray[np.float32]
Curve = NDArray[np.float64]
Number = TypeVar("Number", np.float32, np.float64)

CEILING_DBFS = -1.0
_MARGIN_DB = 0.1  # what the measurement of peaks may miss

_ATTACK_MS = 4.0  # shorter is heard as a click; longer is latency
# 6 dB in 75 ms, the length of a sound: half as fast makes speech with steep peaks 0.2 LU quieter, twice as
# fast gains 0.1 LU and bends the waves of deep voices more
_RELEASE_DB_PER_S = 80.0


class Limiter:
    """Looks ahead in a mono stream and turns it down in time for each peak.

    `feed` holds back `latency_frames`, `flush` gives them: as many samples come out as went in, at their
    places, and how they are cut into chunks makes no difference. What stays below the ceiling comes out
    bit for bit as it went in. Samples must be finite.

    The reduction in dB that a peak asks for is held while it is in sight, falls at a constant rate after
    it, and is averaged over the attack. The mean of values that all suffice suffices.
    """

    def __init__(self, rate_hz: int) -> None:
        half_attack = max(1, round(_ATTACK_MS / 2 * rate_hz / 1000))
        attack = 2 * half_attack - 1  # of two averages in turn: the gain has no corners
        self._half_attack = half_attack
        self._sight = attack + 1  # a peak counts for the samples on both sides of its gap
        self.latency_frames = LOOK_AHEAD + attack - 1
        self._release_db = _RELEASE_DB_PER_S / rate_hz
        self._start()

    def _start(self) -> None:
        self._excess = _Overlap(self._sight - 1, np.float64)
        self._averaged = [_Overlap(self._half_attack - 1, np.float64) for _ in range(2)]
        self._delayed = _Overlap(self.latency_frames, np.float32)
        self._reduction_db = 0.0
        self._is_idle = True  # no peak is in sight and none was lately
        self._still_before = self.latency_frames  # frames that come before the first sample

    def feed(self, samples: Samples) -> Samples:
        """The next samples [n] in; what is ready out."""
        joined = self._delayed.extend(samples)
        around, limited = joined[self.latency_frames - (TAPS - 1) :], joined[: len(samples)]
        if len(samples) and not (self._is_idle and _is_low(around)):
            limited = self._limit(limited, gap_peaks(around).astype(np.float64))
        skipped = min(self._still_before, len(samples))
        self._still_before -= skipped
        return limited[skipped:]

    def flush(self) -> Samples:
        """The rest of the stream; the next sample fed begins another."""
        rest = self.feed(np.zeros(self.latency_frames, dtype=np.float32))
        self._start()
        return rest

    def _limit(self, limited: Samples, peaks: Curve) -> Samples:
        """The samples that leave while others, with these peaks between them, come in."""
        if self._is_idle and peaks.max() <= _AMPLITUDE:
            return limited
        excess = 20 * np.log10(np.maximum(peaks / _AMPLITUDE, 1.0))
        held = _sliding_max(self._excess.extend(excess), self._sight)
        reduction = self._released(held)
        for overlap in self._averaged:
            reduction = _sliding_mean(overlap.extend(reduction), self._half_attack)
        memories = (self._excess, *self._averaged)
        self._is_idle = not self._reduction_db and not any(memory.is_set for memory in memories)
        gains: Samples = (10 ** (reduction / -20)).astype(np.float32)
        return limited * gains

    def _released(self, held: Curve) -> Curve:
        """`held`, falling no faster than the release: on a slope that rises as fast, the maximum so far."""
        slope = self._release_db * np.arange(1, len(held) + 1)
        risen = np.maximum.accumulate(np.concatenate(([self._reduction_db], held + slope)))[1:]
        released: Curve = risen - slope
        self._reduction_db = float(released[-1])
        return released


class _Overlap(Generic[Number]):
    """The last values of a stream, so that a window can slide over the joins of its chunks."""

    def __init__(self, length: int, dtype: type[Number]) -> None:
        self._kept: NDArray[Number] = np.zeros(length, dtype=dtype)

    @property
    def is_set(self) -> bool:
        """Whether a value is not zero."""
        return bool(self._kept.any())

    def extend(self, values: NDArray[Number]) -> NDArray[Number]:
        """The kept values and the next ones, [length + n]."""
        joined = np.concatenate((self._kept, values))
        self._kept = joined[len(values) :]
        return joined


def _is_low(samples: Samples) -> bool:
    """Whether the curve through the samples is below the ceiling, however they follow each other."""
    return float(np.abs(samples).max()) * HIGHEST_RATIO < _AMPLITUDE


def _sliding_max(values: Curve, length: int) -> Curve:
    """The largest of each `length` neighbours [n - length + 1]; windows are made of two smaller ones."""
    reach = 1
    while reach < length:
        step = min(reach, length - reach)
        values = np.maximum(values[:-step], values[step:])
        reach += step
    return values


def _sliding_mean(values: Curve, length: int) -> Curve:
    """The mean of each `length` neighbours [n - length + 1]."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    means: Curve = (sums[length:] - sums[:-length]) / length
    return means


_AMPLITUDE = 10 ** ((CEILING_DBFS - _MARGIN_DB) / 20)
