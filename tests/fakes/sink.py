"""A sound device and a clock made of numbers, with switches for the quirks of real ones."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from edged.audio.gain import amplitude
from edged.audio.sink import Granted
from edged.errors import AudioHungError, AudioLostError

GRANTED = Granted("fake", 48000, 2, "S16_LE", period_frames=960, buffer_frames=11520)


@dataclass
class FakeClock:
    """Time that passes only when told to."""

    now_s: float = 100.0

    def __call__(self) -> float:
        return self.now_s


@dataclass
class FakeSink:
    """Takes samples at its rate by the fake clock, as a card does, in whole periods.

    `lost_at` and `hung_at`: the write, counted from 1, in which the device is lost or found hung. `gone`:
    whether it is lost. What was queued then is never heard.
    `drain_hangs`: it never drains. `paced=False`: it swallows everything at once, as a file does.
    """

    clock: FakeClock
    granted: Granted = GRANTED
    paced: bool = True
    lost_at: int = 0
    hung_at: int = 0
    gone: bool = False
    drain_hangs: bool = False
    xruns: int = 0
    closed: bool = False
    fullest: int = 0  # most frames that were ever queued
    blocks: list[NDArray[np.float32]] = field(default_factory=list)
    _writes: int = 0
    _lost: int = 0  # frames that were queued when it was lost
    _due: int = 0  # frames written that count against the clock
    _started_s: float = 0.0

    def heard(self) -> NDArray[np.float32]:
        """Everything written so far; of a device that was lost, what it has played."""
        written = np.concatenate([np.zeros(0, np.float32), *self.blocks])
        return written[: len(written) - self._lost]

    def lose(self) -> None:
        """It goes away, and what is queued in it with it."""
        self.gone = True
        self._lost = self._unplayed()

    def queued(self) -> int:
        """Frames the device has not taken; running dry counts as an xrun, as the next write finds out."""
        self._check()
        return self._unplayed()

    def _unplayed(self) -> int:
        if not self.paced or not self._due:
            return 0
        period = self.granted.period_frames
        taken = int((self.clock() - self._started_s) * self.granted.rate_hz) // period * period
        if taken > self._due:
            self.xruns += 1
            self._due = 0
        return max(0, self._due - taken)

    def write(self, samples: NDArray[np.float32]) -> None:
        """Keep the samples."""
        self._writes += 1
        if self._writes == self.lost_at:
            self.lose()
        if self._writes == self.hung_at:
            raise AudioHungError('PCM "fake" stands still')
        queued = self.queued()
        self.blocks.append(samples)
        if not self._due:
            self._started_s = self.clock()
        self._due += len(samples)
        self.fullest = max(self.fullest, queued + len(samples))

    def set_volume(self, percent: int) -> float:
        """There is no mixer: all of it is left to the samples."""
        return amplitude(percent)

    def drain(self) -> None:
        """Let the time pass that the rest needs."""
        self._check()
        if self.drain_hangs:
            raise AudioHungError('PCM "fake" does not drain')
        self.clock.now_s += self.queued() / self.granted.rate_hz
        self._due = 0

    def close(self) -> None:
        """Let go."""
        self.closed = True

    def _check(self) -> None:
        if self.gone:
            raise AudioLostError('PCM "fake": No such device')
