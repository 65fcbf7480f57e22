"""What is done to a stream right before the device: volume and limiter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edged.audio.gain import Gain
from edged.audio.limiter import Limiter

Samples = NDArray[np.float32]


class Chain:
    """As many samples come out as go in; the last `held` of them at the next `feed` or `flush`.

    `level` is the gain of the volume, of which a change takes `fade_frames`. Samples must be finite. At full
    volume and below the limiter's ceiling every sample comes out as it went in.
    """

    def __init__(self, rate_hz: int, level: float, fade_frames: int) -> None:
        self._gain = Gain(level, fade_frames)
        self._limiter = Limiter(rate_hz)
        self.held = 0

    def change_level(self, level: float) -> None:
        """The volume has changed."""
        self._gain.change(level)

    def feed(self, samples: Samples) -> Samples:
        """The next samples [n] in; what is ready out."""
        ready = self._limiter.feed(self._gain.apply(samples))
        self.held += len(samples) - len(ready)
        return ready

    def flush(self) -> Samples:
        """What is held: the stream has become silent or ends."""
        rest = self._limiter.flush()
        self.held = 0
        return rest
