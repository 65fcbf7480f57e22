"""One stream on the player's device, from its first sample to the word to main that it is over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from edged.audio.gain import Gain, amplitude
from edged.audio.playout import Playout
from edged.audio.sink import Granted, Sink
from edged.errors import AudioLostError
from edged.workers.frames import FrameError
from edged.workers.messages import Message, PlayBegin, PlayDone, Played, PlayStarted, PlayStopped
from edged.workers.output import RETRY_FIRST_S, Output

# A stop or a pause is heard after what is queued, the fade and a wake: 60 + 10 + 10 of the 100 ms it may
# take.
LEVEL_MS = 60.0
FADE_MS = 10.0  # a change of volume takes as long
WAKE_S = 0.010
LEVEL_PERIODS = 3  # devices take whole periods: one leaves, one is due while we sleep, one is in hand
PROGRESS_MS = 200.0
IDLE_WAKE_S = RETRY_FIRST_S


class Stream:
    """Samples fed on one side, kept queued in the device on the other, until `over`.

    Its volume is the device's times its own, and ends with it.
    """

    def __init__(
        self,
        begin: PlayBegin,
        output: Output,
        device_volume: int,
        send: Callable[[Message], None],
        clock: Callable[[], float],
    ) -> None:
        """Opens the device. Raises AudioUnavailableError."""
        self.job_id = begin.job_id
        self.over = False
        self._send = send
        self._clock = clock
        self._output = output
        self._source_hz = begin.sample_rate_hz
        self._granted = granted = output.acquire().granted
        fade_frames = granted.frames(FADE_MS)
        self._playout = Playout(begin.sample_rate_hz, granted.rate_hz, _level_frames(granted), fade_frames)
        self._own_level = amplitude(begin.volume)
        self._gain = Gain(self._own_level * amplitude(device_volume), fade_frames)
        self._xruns_before = output.xruns
        self._announced = False
        self._stopped = False
        self._quiet = True  # nothing of it is in the device
        self._reported_ms = 0.0

    @property
    def resting(self) -> bool:
        """Paused and silent: it needs no device until it is resumed."""
        return self._playout.paused and self._quiet

    def feed(self, samples: NDArray[np.float32], rate_hz: int) -> None:
        """The next samples [n]. Raises FrameError when they are of another rate than announced."""
        if rate_hz != self._source_hz:
            raise FrameError(f"{self.job_id} began at {self._source_hz} Hz and goes on at {rate_hz} Hz")
        self._playout.feed(samples)

    def end(self) -> None:
        """No more samples will be fed."""
        self._playout.end()

    def set_device_volume(self, percent: int) -> None:
        """The device's volume has changed."""
        self._gain.change(self._own_level * amplitude(percent))

    def pause(self) -> None:
        """Fall silent and keep the rest. What is in the device already as the last of it is heard."""
        self._playout.pause()

    def resume(self) -> None:
        """Go on where the pause cut in."""
        self._playout.resume()

    def stop(self) -> None:
        """Fall silent and forget the rest; over at once when it is silent already."""
        self._stopped = True
        if self._quiet:
            self._end()
        else:
            self._playout.stop()

    def play(self) -> float:
        """Keep the device's queue at its level; gives the seconds until it has to be looked at again.

        Raises AudioUnavailableError and AudioLostError.
        """
        sink, playout = self._device(), self._playout
        level = _level_frames(sink.granted)
        queued = sink.queued()
        block = playout.take(max(0, level - queued))
        if len(block):
            self._write(sink, block)
            self._report()
        elif playout.finished or playout.paused:
            return self._see_out(sink, queued)
        elif not playout.started:
            return IDLE_WAKE_S  # what it waits for comes as a message
        is_low = queued + len(block) < level // 2
        if is_low and sink.paced and not (playout.complete or playout.paused):
            self._write(sink, playout.starve(sink.granted.period_frames))
        return WAKE_S if sink.paced or not len(block) else 0.0

    def _device(self) -> Sink:
        """The device, which may have been let go of in a long pause."""
        sink = self._output.acquire()
        if sink.granted != self._granted:
            raise AudioLostError(
                f'PCM "{sink.granted.device}" is not what it was before the pause: {sink.granted.rate_hz} Hz',
                "edged doctor",
            )
        return sink

    def _write(self, sink: Sink, block: NDArray[np.float32]) -> None:
        self._quiet = False
        sink.write(self._gain.apply(block))

    def _report(self) -> None:
        played_ms = self._played_ms()
        if not self._announced:
            self._announced = True
            self._send(PlayStarted(job_id=self.job_id, at_monotonic_s=self._clock()))
        if played_ms - self._reported_ms >= PROGRESS_MS:
            self._reported_ms = played_ms
            self._send(Played(job_id=self.job_id, played_ms=played_ms))

    def _see_out(self, sink: Sink, queued: int) -> float:
        """All there is for now has been handed over: see it out of the device."""
        if queued > _level_frames(sink.granted) // 2:
            return WAKE_S  # draining blocks: no longer than it must
        sink.drain()
        self._quiet = True
        if self._playout.finished:
            self._end()
        return 0.0

    def _end(self) -> None:
        """Silent, and nothing left: say how it went."""
        self.over = True
        if self._playout.started:
            self._output.complete()
        played_ms = self._played_ms()
        if self._stopped:
            self._send(PlayStopped(job_id=self.job_id, played_ms=played_ms))
        else:
            xruns, stalls = self._output.xruns - self._xruns_before, self._playout.stalls
            self._send(PlayDone(job_id=self.job_id, audio_ms=played_ms, xruns=xruns, stalls=stalls))

    def _played_ms(self) -> float:
        return self._granted.ms(self._playout.taken_frames)


def _level_frames(granted: Granted) -> int:
    """How much is kept queued in the device while playing."""
    wanted = max(granted.frames(LEVEL_MS), LEVEL_PERIODS * granted.period_frames)
    return min(wanted, granted.buffer_frames)
