"""A recording beside what should have been heard: what is missing, what came twice, and what clicks.

Samples are 16-bit steps in int32, one channel. A stall, bridged as the player does it, is a fade, silence
and a rise: all samples are there, in their order, and none of them twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int32]

_TOLERANCE = 3  # of 16-bit steps: two roundings, and the rounding of a ramp
_MS = 48  # frames at 48 kHz
_SKIPS = (40 * _MS, 100 * _MS, 300 * _MS)  # a fade out and in; more where more is missing
_PROBE = 500 * _MS  # several tones or a syllable: found once only
_AROUND = 20 * _MS
_LEAST_HEARD = 0.25  # of the sound in a fade and a rise half is left; less, and it was cut
_STOP_STEP = round(2**15 * 10 ** (-30 / 20))
_LONGEST_FADE = 30 * _MS  # 10 ms, or a period


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is wrong with one announcement in a recording, in frames and events; `stalls` are not wrong."""

    frames_lost: int = 0
    frames_repeated: int = 0
    clicks: int = 0
    stalls: int = 0

    def __add__(self, other: Judgement) -> Judgement:
        return Judgement(
            self.frames_lost + other.frames_lost,
            self.frames_repeated + other.frames_repeated,
            self.clicks + other.clicks,
            self.stalls + other.stalls,
        )


def judge(heard: Samples, expected: Samples, *, stopped: bool) -> Judgement:
    """`heard` holds this announcement and nothing else; `expected` begins and ends with sound.

    `stopped`: it may end anywhere, faded out.
    """
    sound = np.flatnonzero(heard)
    if not len(sound):
        return Judgement() if stopped else Judgement(frames_lost=len(expected))
    around = np.zeros(_AROUND, np.int32)
    heard = np.concatenate((around, heard[sound[0] : sound[-1] + 1], around))
    total = Judgement()
    at, place = _beginning(heard, expected), 0  # in what was heard, in what was expected
    while True:
        same = _same(heard[at:], expected[place:])
        at, place = at + same, place + same
        if place == len(expected):
            return total + _behind(heard[at:])
        found = _find_again(heard, expected, at, place)
        if found is None:
            return total + _ending(heard, expected, at, place, stopped)
        total += _join(heard, expected, (at, place), found)
        at, place = found


def _beginning(heard: Samples, expected: Samples) -> int:
    """Where it begins: rounding decides which of the first, softest samples is not zero."""
    probe = expected[:_PROBE]
    there = _search(heard[: len(probe) + 2 * _AROUND], probe)
    return _AROUND if there is None else there


def _same(heard: Samples, expected: Samples) -> int:
    """How many samples from the first on are the same."""
    length = min(len(heard), len(expected))
    differs = np.abs(heard[:length] - expected[:length]) > _TOLERANCE
    return int(np.argmax(differs)) if differs.any() else length


def _find_again(heard: Samples, expected: Samples, at: int, place: int) -> tuple[int, int] | None:
    """The first samples from which both go on together, in both."""
    for skip in _SKIPS:
        begin = place + min(skip, (len(expected) - place) // 2)
        sounding = np.flatnonzero(expected[begin : begin + 10 * _PROBE])
        if not len(sounding):
            continue
        probe = expected[begin : begin + max(_PROBE, int(sounding[0]) + _PROBE // 2)]
        there = _search(heard[at:], probe)
        if there is not None:
            there += at
            back = _same(heard[at:there][::-1], expected[place:begin][::-1])
            return there - back, begin - back
    return None


def _search(heard: Samples, probe: Samples) -> int | None:
    """Where in `heard` the probe is; by the least sum of squared differences."""
    if len(heard) < len(probe):
        return None
    size = 1 << (len(heard) + len(probe)).bit_length()
    wide = heard.astype(np.float64)
    spectrum = np.fft.rfft(wide, size) * np.conj(np.fft.rfft(probe.astype(np.float64), size))
    products = np.fft.irfft(spectrum, size)[: len(heard) - len(probe) + 1]
    energy = np.concatenate(([0.0], np.cumsum(wide**2)))
    distance = energy[len(probe) :] - energy[: -len(probe)] - 2 * products
    there = int(np.argmin(distance))
    is_there = np.abs(heard[there : there + len(probe)] - probe).max() <= _TOLERANCE
    return there if is_there else None


def _join(heard: Samples, expected: Samples, left: tuple[int, int], right: tuple[int, int]) -> Judgement:
    """What happened between the two places from which and to which both run together."""
    between, meant = heard[left[0] : right[0]], expected[left[1] : right[1]]
    clicks = int(_clicks(_steps_between(heard, left[0], right[0]), expected, left[1], right[1]))
    longer_by = len(between) - len(meant)
    if longer_by < 0:
        return Judgement(frames_lost=-longer_by, clicks=clicks)
    if not _is_audible(between, meant):
        return Judgement(frames_lost=int(np.count_nonzero(_sounds(meant))), clicks=clicks)
    if _is_bridged(between, meant):
        return Judgement(clicks=clicks, stalls=1)
    if _is_same_sound(between, meant):  # silence put in without a fade, as a device that runs dry does
        return Judgement(clicks=clicks)
    repeated = min(longer_by, int(np.count_nonzero(_sounds(between))))
    return Judgement(frames_repeated=repeated, clicks=clicks)


def _is_audible(between: Samples, meant: Samples) -> bool:
    """Whether there is more than silence in place of a sound."""
    loudness = int(np.abs(meant).sum())
    return loudness <= _TOLERANCE * len(meant) or bool(np.abs(between).sum() >= _LEAST_HEARD * loudness)


def _is_bridged(between: Samples, meant: Samples) -> bool:
    """Whether `between` is `meant` falling to silence, silence, and the rest of `meant` rising from it."""
    gap = len(between) - len(meant)
    from_left = np.concatenate(([True], np.logical_and.accumulate(_shrunk(between[: len(meant)], meant))))
    from_right = np.logical_and.accumulate(_shrunk(between[gap:], meant)[::-1])[::-1]
    from_right = np.concatenate((from_right, [True]))
    sounding = np.concatenate(([0], np.cumsum(_sounds(between))))
    silent = sounding[gap:] == sounding[: len(sounding) - gap]
    return bool((from_left & from_right & silent).any())


def _is_same_sound(between: Samples, meant: Samples) -> bool:
    """Whether both are the same but for silence."""
    heard, wanted = between[_sounds(between)], meant[_sounds(meant)]
    return len(heard) == len(wanted) and bool((np.abs(heard - wanted) <= _TOLERANCE).all())


def _sounds(samples: Samples) -> NDArray[np.bool_]:
    """A resampler's last steps before silence are none."""
    return np.abs(samples) > _TOLERANCE


def _shrunk(heard: Samples, meant: Samples) -> NDArray[np.bool_]:
    """Whether each sample is the one that was meant, times something between 0 and 1."""
    low = np.minimum(meant, 0) - _TOLERANCE
    high = np.maximum(meant, 0) + _TOLERANCE
    return (low <= heard) & (heard <= high)


def _ending(heard: Samples, expected: Samples, at: int, place: int, stopped: bool) -> Judgement:
    """It is never heard again: a stop that fades out, or the rest is missing."""
    rest = heard[at : len(heard) - _AROUND]
    if not stopped:
        clicks = int(_clicks(_steps_between(heard, at, len(heard)), expected, place, place))
        return Judgement(frames_lost=len(expected) - place, clicks=clicks)
    steps = _steps_between(heard, at, at + len(rest))
    own = _largest_step(expected, place, place + len(rest))
    is_fade = len(rest) <= _LONGEST_FADE and _shrunk(rest, expected[place : place + len(rest)]).all()
    return Judgement(
        clicks=int(steps.max() > max(_STOP_STEP, own)), frames_repeated=0 if is_fade else len(rest)
    )


def _behind(heard: Samples) -> Judgement:
    """Sound after the last sample."""
    return Judgement(frames_repeated=int(np.count_nonzero(_sounds(heard))))


def _steps_between(heard: Samples, begin: int, end: int) -> Samples:
    """The steps from one sample to the next, those at both edges included."""
    steps: Samples = np.abs(np.diff(heard[max(0, begin - 2) : end + 2]))
    return steps


def _clicks(steps: Samples, expected: Samples, begin: int, end: int) -> bool:
    return bool(steps.max() > 2 * max(_TOLERANCE, _largest_step(expected, begin, end)))


def _largest_step(expected: Samples, begin: int, end: int) -> int:
    return int(np.abs(np.diff(expected[max(0, begin - _AROUND) : end + _AROUND])).max())
