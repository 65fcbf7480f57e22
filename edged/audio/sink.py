"""What the player asks of a sound device; `edged.io.alsa` is the real one, tests bring their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edged.audio.format import SampleFormat


@dataclass(frozen=True, slots=True)
class Granted:
    """What the device agreed to, which need not be what it was asked for."""

    device: str
    rate_hz: int
    channels: int
    format: SampleFormat
    period_frames: int
    buffer_frames: int

    def frames(self, ms: float) -> int:
        """A duration in frames at this rate."""
        return round(ms * self.rate_hz / 1000)

    def ms(self, frames: int) -> float:
        """Frames at this rate as a duration."""
        return frames * 1000 / self.rate_hz


class Sink(Protocol):
    """An open device. Every method may raise AudioLostError, after which only `close` is allowed.

    AudioHungError, a kind of AudioLostError, means that not even `close` can be trusted.
    """

    @property
    def granted(self) -> Granted:
        """The parameters in force."""
        ...

    @property
    def xruns(self) -> int:
        """How often the device ran dry since it was opened."""
        ...

    @property
    def paced(self) -> bool:
        """Whether the device takes samples at their rate, as sound cards do and files do not.

        Known after the first write; a device that does not pace never runs dry.
        """
        ...

    def queued(self) -> int:
        """Frames written that the device has not taken yet."""
        ...

    def write(self, samples: NDArray[np.float32]) -> None:
        """Write all of the mono samples [n], again if the device rejected them. Blocks while it is full."""
        ...

    def set_volume(self, percent: int) -> float:
        """Make the device this loud (0 to 100, perceptual); gives the gain, 0 to 1, left to the samples."""
        ...

    def drain(self) -> None:
        """Return when the last sample has left the device."""
        ...

    def close(self) -> None:
        """Fall silent at once and let go of the device."""
        ...
