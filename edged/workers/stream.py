"""One stream on the player's device, from its first sample to the word to main that it is over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from edged.audio.chain import Chain
from edged.audio.gain import amplitude
from edged.audio.playout import Playout
from edged.audio.sink import Granted, Sink
from edged.errors import AudioChangedError
from edged.workers.frames import FrameError
from edged.workers.level import level_frames
from edged.workers.messages import Message, PlayBegin, PlayDone, Played, PlayStarted, PlayStopped
from edged.workers.output import IDLE_WAKE_S, Output

FADE_MS = 10.0  # a change of volume takes as long
# Until the device is looked at again, which then has 40 of its 65 ms left: a wake costs more than what is
# done in it. Sooner while there is too little to fill it.
WAKE_S = 0.025
HASTY_WAKE_S = 0.010
PROGRESS_MS = 200.0


class Stream:
    """Samples fed on one side, kept queued in the device on the other, until `over`.

    Its volume is the device's times its own, and ends with it. A device that is lost under it may come
    back: then it goes on where it was.
    """

    def __init__(
        self,
        begin: PlayBegin,
        granted: Granted,
        output: Output,
        send: Callable[[Message], None],
        clock: Callable[[], float],
    ) -> None:
        self.job_id = begin.job_id
        self.over = False
        self.has_begun = False  # something of it has been handed to the device
        self._send = send
        self._clock = clock
        self._output = output
        self._source_hz = begin.sample_rate_hz
        self._granted = granted
        self._fade_frames = granted.frames(FADE_MS)
        self._playout = Playout(
            begin.sample_rate_hz,
            granted.rate_hz,
            output.new_shaping(granted),
            level_frames(granted),
            self._fade_frames,
        )
        self._own_level = amplitude(begin.volume)
        output.restore_volume()
        self._level = self._wanted_level()
        self._chain = self._new_chain()
        self._lead_in_left = 0
        self._xruns_before = output.xruns
        self._stopped = False
        self._queued = 0  # of what was written, as far as is known, this is still in the device
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
        self._playout.feed(np.nan_to_num(samples, posinf=1.0, neginf=-1.0))  # filters would never forget them

    def end(self) -> None:
        """No more samples will be fed."""
        self._playout.end()

    def pause(self) -> None:
        """Fall silent and keep the rest. What is in the device already as the last of it is heard."""
        self._playout.pause()

    def resume(self) -> None:
        """Go on where the pause cut in."""
        self._playout.resume()

    def stop(self) -> None:
        """Fall silent and forget the rest; over at once when it is silent already."""
        self._stopped = True
        self._lead_in_left = 0
        if self._quiet:
            self._end()
        else:
            self._playout.stop()

    def lost(self) -> None:
        """The device is gone, and what was queued in it with it: that will be played again."""
        self._playout.rewind(self._queued)
        self._chain = self._new_chain()
        self._queued = 0
        self._quiet = True
        if self._stopped:
            self._end()

    def play(self) -> float:
        """Keep the device's queue at its level; gives the seconds until it has to be looked at again.

        Raises AudioUnavailableError and AudioLostError; the stream is as it was then.
        """
        sink, playout = self._device(), self._playout
        level = level_frames(sink.granted)
        queued = self._look(sink)
        room = max(0, level - queued)
        if not playout.paused and self._wake(sink, room):
            return WAKE_S if sink.paced else 0.0
        block = playout.take(room)
        if len(block):
            self._write(sink, block)
            self._report()
        elif playout.finished or playout.paused:
            return self._see_out(sink, queued)
        elif not playout.started:
            return self._stay_awake(sink, room)
        is_low = queued + len(block) < level // 2
        if is_low and sink.paced and not (playout.complete or playout.paused):
            self._write(sink, playout.starve(sink.granted.period_frames))
        if not sink.paced and len(block):
            return 0.0
        return WAKE_S if len(block) == room else HASTY_WAKE_S

    def _wake(self, sink: Sink, room: int) -> bool:
        """Write what fits of the silence before the first sample; whether there was some."""
        if self._quiet and not self._queued:
            self._lead_in_left = self._output.lead_in_frames(sink.granted)
        frames = min(room, self._lead_in_left)
        self._lead_in_left -= frames
        if frames:
            self._write(sink, np.zeros(frames, np.float32))
        return self._lead_in_left > 0

    def _stay_awake(self, sink: Sink, room: int) -> float:
        """Nothing has begun yet; a device that plays, to be kept awake or woken, goes on with silence."""
        if (self._quiet and not self._queued) or not sink.paced:
            return IDLE_WAKE_S  # what it waits for comes as a message
        self._write(sink, np.zeros(room, np.float32))
        return WAKE_S

    def _device(self) -> Sink:
        """The device, which may have been opened again since the last call."""
        sink = self._output.acquire()
        if sink.granted.rate_hz != self._granted.rate_hz:
            raise AudioChangedError(
                f'PCM "{sink.granted.device}" came back at {sink.granted.rate_hz} Hz, '
                f"no longer at {self._granted.rate_hz} Hz",
                "edged doctor",
            )
        if self._level != (level := self._wanted_level()):
            self._level = level
            self._chain.change_level(level)
        return sink

    def _wanted_level(self) -> float:
        return self._own_level * self._output.level

    def _new_chain(self) -> Chain:
        return Chain(self._granted.rate_hz, self._level, self._fade_frames)

    def _look(self, sink: Sink) -> int:
        """Frames that are still to be heard, in the device and in the chain."""
        queued = sink.queued() + self._chain.held
        if queued < self._queued:
            self._output.played()
        self._queued = queued
        return queued

    def _write(self, sink: Sink, block: NDArray[np.float32]) -> None:
        self._quiet = False
        self._queued += len(block)
        if len(ready := self._chain.feed(block)):
            sink.write(ready)

    def _report(self) -> None:
        played_ms = self._played_ms()
        if not self.has_begun:
            self.has_begun = True
            self._send(PlayStarted(job_id=self.job_id, at_monotonic_s=self._clock()))
        if played_ms - self._reported_ms >= PROGRESS_MS:
            self._reported_ms = played_ms
            self._send(Played(job_id=self.job_id, played_ms=played_ms))

    def _see_out(self, sink: Sink, queued: int) -> float:
        """All there is for now has been handed over: see it out of the device."""
        if len(rest := self._chain.flush()):
            sink.write(rest)
        if queued > level_frames(sink.granted) // 2:
            return HASTY_WAKE_S  # draining blocks: no longer than it must
        sink.drain()
        self._output.played()
        self._queued = 0
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
