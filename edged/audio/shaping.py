"""Speech made for the place it is heard in: a preset as a stage of a stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from edged.audio import biquad
from edged.audio.biquad import Filter, Section
from edged.audio.compressor import Compressor
from edged.audio.dc_block import dc_block
from edged.audio.presets import Band, Preset, Shape

Samples = NDArray[np.float32]

_HIGHEST = 0.45  # of the rate: a filter above it has nothing to do


class Shaping:
    """Equaliser, compressor and make-up gain of a preset; no latency. `flat` changes no bit.

    `programme_lufs` is how loud the speech is that comes in: the compressor's threshold follows it, and
    speech of that loudness leaves as loud.
    """

    def __init__(self, preset: Preset, rate_hz: int, programme_lufs: float) -> None:
        self._stages: list[Filter | Compressor] = []
        if preset.bands:
            # an offset would move what the compressor takes for the loudness of speech
            self._stages.append(Filter([dc_block(rate_hz), *equaliser(preset, rate_hz)]))
        if preset.compression:
            self._stages.append(Compressor(preset.compression, rate_hz, programme_lufs))
        self._make_up = np.float32(10 ** (preset.make_up_db / 20))

    def feed(self, samples: Samples) -> Samples:
        """The next samples [n], finite, in; as many out, the same however the stream is cut into chunks."""
        for stage in self._stages:
            samples = stage.feed(samples)
        return samples if self._make_up == 1 else samples * self._make_up


def equaliser(preset: Preset, rate_hz: int) -> list[Section]:
    """The sections of its bands, without those that lie above what this rate can carry."""
    return [_section(band, rate_hz) for band in preset.bands if band.frequency_hz < _HIGHEST * rate_hz]


def _section(band: Band, rate_hz: int) -> Section:
    return _DESIGNS[band.shape](band, rate_hz)


_DESIGNS: Mapping[Shape, Callable[[Band, int], Section]] = MappingProxyType(
    {
        "high_pass": lambda band, rate: biquad.high_pass(band.frequency_hz, rate, band.q),
        "low_pass": lambda band, rate: biquad.low_pass(band.frequency_hz, rate, band.q),
        "low_shelf": lambda band, rate: biquad.low_shelf(band.frequency_hz, rate, band.gain_db, band.q),
        "high_shelf": lambda band, rate: biquad.high_shelf(band.frequency_hz, rate, band.gain_db, band.q),
        "peak": lambda band, rate: biquad.peak(band.frequency_hz, rate, band.gain_db, band.q),
    }
)
