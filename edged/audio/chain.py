"""What is done to a stream between the voice and the device: sound for the place, volume, limiter."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edged.audio.dc_block import dc_block
from edged.audio.gain import Gain
from edged.audio.limiter import Limiter
from edged.audio.presets import PRESETS
from edged.audio.shaping import Shaping

Samples = NDArray[np.float32]


class Stage(Protocol):
    """One of them: as many samples come out as go in, at once."""

    def feed(self, samples: Samples) -> Samples:
        """The next samples [n] of the stream."""
        ...


class Chain:
    """As many samples come out as go in; the last `held` of them at the next `feed` or `flush`.

    `programme_lufs` is how loud speech comes in, `level` the gain of the volume, of which a change takes
    `fade_frames`. Samples must be finite. With the preset `flat`, at full volume and below the limiter's
    ceiling every sample comes out as it went in.
    """

    def __init__(
        self, preset: str, programme_lufs: float, rate_hz: int, level: float, fade_frames: int
    ) -> None:
        self._shaping = _shaping(preset, programme_lufs, rate_hz)
        self._gain = Gain(level, fade_frames)
        self._limiter = Limiter(rate_hz)
        self.held = 0

    def change_level(self, level: float) -> None:
        """The volume has changed."""
        self._gain.change(level)

    def feed(self, samples: Samples) -> Samples:
        """The next samples [n] in; what is ready out."""
        for stage in self._shaping:
            samples = stage.feed(samples)
        ready = self._limiter.feed(self._gain.apply(samples))
        self.held += len(samples) - len(ready)
        return ready

    def flush(self) -> Samples:
        """What is held: the stream has become silent or ends."""
        rest = self._limiter.flush()
        self.held = 0
        return rest


def _shaping(preset: str, programme_lufs: float, rate_hz: int) -> tuple[Stage, ...]:
    if PRESETS[preset] == PRESETS["flat"]:
        return ()
    # an offset would move what the compressor takes for the loudness of speech
    return dc_block(rate_hz), Shaping(PRESETS[preset], rate_hz, programme_lufs)
