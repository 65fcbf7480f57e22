"""What of a stream goes to the device next: start, stall, pause, stop and end, all without a click.

No clock and no device in here: the player says how many frames it wants.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from edged.audio.fade import fade_out, rise
from edged.audio.history import History
from edged.audio.resample import Resampler
from edged.audio.shaping import Shaping

# Resampled and shaped in slices of 0.2 s at a voice's rate: a minute of speech in one chunk cannot starve the
# device, and what every call costs is paid five times a second, not at every look at the device.
_SLICE_FRAMES = 4800
# the part of a second that can be handed out again: several times what is kept queued in a device
_KEPT_S = 0.5

Samples = NDArray[np.float32]
_NOTHING: Samples = np.zeros(0, dtype=np.float32)


class Playout:
    """One stream of mono samples on its way from its own rate to the device's, shaped for its place.

    The last `fade_frames` before an unknown future are held back: whatever happens next, there is
    something left to fade out. A pause fades them out and keeps them: they fade in again at the resume,
    and the two ramps add up to what they were, so nothing is lost and nothing is said twice. What a
    device took with it when it went away is handed out again.
    """

    def __init__(
        self, source_hz: int, rate_hz: int, shaping: Shaping, start_frames: int, fade_frames: int
    ) -> None:
        self._resampler = Resampler(source_hz, rate_hz)
        self._shaping = shaping
        self._source: deque[Samples] = deque()
        self._ready = _NOTHING
        self._tail = _NOTHING  # what fades out the sound before a pause or a stop
        self._history = History(round(_KEPT_S * rate_hz))
        self._start_frames = start_frames
        self._fade_frames = fade_frames
        self._fade_in_left = 0
        self._ended = False  # no more samples will be fed
        self.paused = False
        self.complete = False  # ... and all of them have been resampled
        self.taken_frames = 0
        self.stalls = 0

    @property
    def started(self) -> bool:
        """Whether a sample has been handed out."""
        return self.taken_frames > 0

    @property
    def finished(self) -> bool:
        """Whether the last sample has been handed out."""
        return self.complete and not len(self._ready) and not len(self._tail)

    def feed(self, samples: Samples) -> None:
        """The next samples [n] at the source's rate."""
        if not self._ended:
            self._source.extend(
                samples[at : at + _SLICE_FRAMES] for at in range(0, len(samples), _SLICE_FRAMES)
            )

    def end(self) -> None:
        """The stream is complete."""
        self._ended = True

    def stop(self) -> None:
        """Forget the rest, but for the few samples that fade out what has begun."""
        if not self.paused:
            self.taken_frames += self._fade_away()
        self._source.clear()
        self._ready = _NOTHING
        self._ended = self.complete = True
        self.paused = False

    def pause(self) -> None:
        """Keep the rest until `resume`; what has begun fades out. Pausing again changes nothing."""
        if not self.paused:
            self.paused = True
            self._fade_away()

    def resume(self) -> None:
        """Go on with the samples that faded out, fading in."""
        if self.paused:
            self.paused = False
            self._fade_in_left = self._fade_frames if self.started else 0

    def rewind(self, frames: int) -> None:
        """The last `frames` frames were not heard: what of the stream was in them comes again, fading in."""
        unheard = self._history.take_last(frames)
        self._ready = np.concatenate((unheard, self._ready))
        self.taken_frames -= len(unheard)
        self._tail = _NOTHING  # it is silent already
        self._fade_in_left = self._fade_frames if self.started else 0

    def take(self, frames: int) -> Samples:
        """At most `frames` samples for the device; none before the start threshold, starving or paused."""
        if len(self._tail):
            block, self._tail = self._tail[:frames], self._tail[frames:]
            self._history.note(len(block), _NOTHING)
            return block
        if self.paused:
            return _NOTHING
        self._convert((frames if self.started else max(frames, self._start_frames)) + self._fade_frames)
        if not self._may_start():
            return _NOTHING
        spare = len(self._ready) - (0 if self.complete else self._fade_frames)
        block = self._hand_out(max(0, min(frames, spare)))
        self._history.note(len(block), block)
        return self._faded_in(block)

    def starve(self, frames: int) -> Samples:
        """`frames` samples that bridge a stall: the held-back ones fading out, then silence."""
        if not self._fade_in_left:
            self.stalls += 1
        held = self._hand_out(min(frames, len(self._ready)))
        self._history.note(frames, held)
        block = np.zeros(frames, dtype=np.float32)
        block[: len(held)] = fade_out(self._faded_in(held))
        self._fade_in_left = self._fade_frames
        return block

    def _may_start(self) -> bool:
        return self.started or self.complete or len(self._ready) >= self._start_frames

    def _convert(self, frames: int) -> None:
        """Resample until `frames` are ready or there is nothing left to resample."""
        while len(self._ready) < frames and self._source:
            self._append(self._resampler.feed(self._source.popleft()))
        if self._ended and not self._source and not self.complete:
            self._append(self._resampler.feed(_NOTHING, last=True))
            self.complete = True

    def _append(self, samples: Samples) -> None:
        self._ready = np.concatenate((self._ready, self._shaping.feed(samples)))

    def _hand_out(self, frames: int) -> Samples:
        block, self._ready = self._ready[:frames], self._ready[frames:]
        self.taken_frames += frames
        return block

    def _fade_away(self) -> int:
        """Let the next samples fade out, unless what is heard is silence; gives how many."""
        if not self.started or self._fade_in_left == self._fade_frames:
            return 0
        tail = fade_out(self._faded_in(self._ready[: self._fade_frames]))
        self._tail = np.concatenate((self._tail, tail))
        return len(tail)

    def _faded_in(self, block: Samples) -> Samples:
        if not self._fade_in_left or not len(block):
            return block
        gains = rise(self._fade_frames)[-self._fade_in_left :][: len(block)]
        self._fade_in_left -= len(gains)
        return np.concatenate((block[: len(gains)] * gains, block[len(gains) :]))
