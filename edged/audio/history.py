"""What was handed to a device lately, for the case that the device goes away with it."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]


class History:
    """The last `frames` frames that were handed to a device, as blocks.

    A block is the next samples of a stream and, where the stream stalled, silence after them.
    """

    def __init__(self, frames: int) -> None:
        self._limit = frames
        self._blocks: deque[tuple[int, Samples]] = deque()  # length with the silence; samples of the stream
        self._frames = 0

    def note(self, frames: int, samples: Samples) -> None:
        """A block of `frames` went out that began with these samples."""
        if not frames:
            return
        self._blocks.append((frames, samples))
        self._frames += frames
        while self._frames - self._blocks[0][0] >= self._limit:
            self._frames -= self._blocks.popleft()[0]

    def take_last(self, frames: int) -> Samples:
        """What of the stream was in the last `frames` frames; the history is empty afterwards."""
        unheard: list[Samples] = []
        for length, samples in reversed(self._blocks):
            silence = length - len(samples)
            unheard.append(samples[len(samples) - min(len(samples), max(0, frames - silence)) :])
            frames = max(0, frames - length)
        self._blocks.clear()
        self._frames = 0
        return np.concatenate(unheard[::-1] or [np.zeros(0, np.float32)])
