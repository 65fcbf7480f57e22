"""How loud sound is to a listener: integrated loudness after ITU-R BS.1770-4.

A mono signal is measured as one channel, as the recommendation has it. The same mono signal from two
loudspeakers measures 3 LU more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edged.audio.biquad import Filter, Section

Samples = NDArray[np.float32]

_OFFSET_LU = -0.691  # a full-scale sine of 997 Hz in one front channel is -3.01 LUFS
_SUBBLOCKS_PER_BLOCK = 4  # blocks of 400 ms, one every 100 ms
_ABSOLUTE_GATE_LUFS = -70.0
_RELATIVE_GATE_LU = -10.0
# left and right, centre, low frequencies, surrounds, in the order of a WAV file
_WEIGHTS = {
    1: (1.0,),
    2: (1.0, 1.0),
    3: (1.0, 1.0, 1.0),
    4: (1.0, 1.0, 1.41, 1.41),
    5: (1.0, 1.0, 1.0, 1.41, 1.41),
    6: (1.0, 1.0, 1.0, 0.0, 1.41, 1.41),
}


class LoudnessMeter:
    """Integrated loudness of a stream; keeps one number for every 100 ms of it.

    Raises ValueError for a number of channels the recommendation has no weights for: 1 to 6.
    """

    def __init__(self, rate_hz: int, channels: int = 1) -> None:
        if channels not in _WEIGHTS:
            raise ValueError(f"the loudness of {channels} channels is not defined")
        self._filters = [Filter(k_weighting(rate_hz)) for _ in range(channels)]
        self._weights = np.array(_WEIGHTS[channels])
        self._subblock_frames = round(rate_hz / 10)
        self._powers: list[float] = []  # weighted mean squares of 100 ms each
        self._partial = np.zeros(0)  # weighted squares of those that make no 100 ms yet

    def feed(self, samples: Samples) -> None:
        """The next samples, [n] or [n, channels]."""
        columns = samples.reshape(len(samples), len(self._filters)).T
        filtered = np.stack([f.feed(column) for f, column in zip(self._filters, columns, strict=True)])
        squares = np.concatenate((self._partial, self._weights @ np.square(filtered, dtype=np.float64)))
        whole = len(squares) // self._subblock_frames * self._subblock_frames
        self._powers.extend(squares[:whole].reshape(-1, self._subblock_frames).mean(axis=1))
        self._partial = squares[whole:]

    def integrated_lufs(self) -> float | None:
        """Of all samples so far; None when they are silent or none, -70 LUFS being silence.

        Less than 400 ms is measured as 400 ms with silence at its end: a short beep is less loud than a
        long one.
        """
        powers = np.array(self._powers)
        if len(powers) < _SUBBLOCKS_PER_BLOCK:
            last = self._partial.sum() / self._subblock_frames
            powers = np.pad([*powers, last], (0, _SUBBLOCKS_PER_BLOCK))[:_SUBBLOCKS_PER_BLOCK]
        blocks = np.lib.stride_tricks.sliding_window_view(powers, _SUBBLOCKS_PER_BLOCK)
        return _gated_lufs(blocks.mean(axis=1))


def integrated_lufs(samples: Samples, rate_hz: int) -> float | None:
    """Of samples [n] or [n, channels]; see `LoudnessMeter`."""
    meter = LoudnessMeter(rate_hz, 1 if samples.ndim == 1 else samples.shape[1])
    meter.feed(samples)
    return meter.integrated_lufs()


def gain_db(measured_lufs: float | None, target_lufs: float) -> float:
    """What brings sound of this loudness to the target; silence is left as it is."""
    return 0.0 if measured_lufs is None else target_lufs - measured_lufs


def k_weighting(rate_hz: int) -> Sequence[Section]:
    """The two filters of the recommendation, a shelf for the head and a high-pass, at any rate.

    It lists coefficients for 48 kHz only. These are the analogue filters behind them, transformed for
    `rate_hz`; at 48 kHz they agree with the list to 1e-10.
    """
    return _head_shelf(rate_hz), _rumble_high_pass(rate_hz)


def _head_shelf(rate_hz: int) -> Section:
    gain = 10 ** (3.999843853973347 / 20)
    middle = gain**0.4996667741545416
    k, q = math.tan(math.pi * 1681.974450955533 / rate_hz), 0.7071752369554196
    a0 = 1 + k / q + k * k
    return Section(
        (gain + middle * k / q + k * k) / a0,
        2 * (k * k - gain) / a0,
        (gain - middle * k / q + k * k) / a0,
        2 * (k * k - 1) / a0,
        (1 - k / q + k * k) / a0,
    )


def _rumble_high_pass(rate_hz: int) -> Section:
    k, q = math.tan(math.pi * 38.13547087602444 / rate_hz), 0.5003270373238773
    a0 = 1 + k / q + k * k
    return Section(1.0, -2.0, 1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)


def _gated_lufs(powers: NDArray[np.float64]) -> float | None:
    """The mean of the blocks' powers that pass both gates."""
    loud = powers[powers > _power(_ABSOLUTE_GATE_LUFS)]
    if not len(loud):
        return None
    gate = loud.mean() * 10 ** (_RELATIVE_GATE_LU / 10)
    return _lufs(float(loud[loud > gate].mean()))


def _lufs(power: float) -> float:
    return _OFFSET_LU + 10 * math.log10(power)


def _power(lufs: float) -> float:
    return float(10 ** ((lufs - _OFFSET_LU) / 10))
