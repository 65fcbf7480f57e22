"""A stream's turn on the device: it waits for one that is away, and goes on when it is back."""

from __future__ import annotations

from collections.abc import Callable

from edged.core.patience import PATIENCE_S
from edged.errors import (
    AudioChangedError,
    AudioHungError,
    AudioLostError,
    AudioUnavailableError,
    EdgedError,
)
from edged.workers.frames import Frame
from edged.workers.messages import (
    Audio,
    Message,
    PlayBegin,
    PlayEnd,
    PlayFailed,
    PlayPause,
    PlayResume,
    PlayStop,
    PlayStopped,
)
from edged.workers.output import IDLE_WAKE_S, Output
from edged.workers.stream import Stream


class Turn:
    """From PlayBegin to the word that it is over, whatever the device does meanwhile.

    What main says before there is a device is kept. A turn without device waits for it as long as main
    lets an announcement wait, and fails then.
    """

    def __init__(
        self,
        begin: PlayBegin,
        output: Output,
        send: Callable[[Message], None],
        clock: Callable[[], float],
    ) -> None:
        self.job_id = begin.job_id
        self.is_over = False
        self._begin = begin
        self.output = output
        self._send = send
        self._clock = clock
        self._early: list[Frame] = []
        self._stream: Stream | None = None  # from the first time on that there is a device
        self._waits_since_s: float | None = None

    @property
    def is_resting(self) -> bool:
        """Paused and silent: it needs no device until it is resumed."""
        return self._stream is not None and self._stream.resting

    def take(self, frame: Frame) -> None:
        """News of this stream. Raises FrameError."""
        if isinstance(frame.message, PlayResume):
            self._waits_since_s = None  # in a pause nobody waited
        if self._stream is not None:
            _pass_on(self._stream, frame)
            self.is_over = self._stream.over
        elif isinstance(frame.message, PlayStop):
            self.is_over = True
            self._send(PlayStopped(job_id=self.job_id, played_ms=0.0))
        else:
            self._early.append(frame)

    def play(self) -> float:
        """Do what is due; gives the seconds until the next call. Raises AudioHungError and FrameError."""
        try:
            return self._play()
        except AudioHungError:
            raise
        except AudioChangedError as error:
            self.fail(error)
        except AudioUnavailableError as error:
            self._wait(error)
        except AudioLostError as error:
            self.output.lost(error)
            if self._stream is not None:
                self._stream.lost()
                self.is_over = self._stream.over
            self._wait(error)
        return min(IDLE_WAKE_S, self.output.retry_in_s)

    def fail(self, error: EdgedError) -> None:
        """It will not be heard, or no more of it."""
        self.is_over = True
        has_begun = self._stream is not None and self._stream.has_begun
        code = AudioLostError.code if has_begun else error.code
        self._send(PlayFailed(job_id=self.job_id, code=code, what=error.what))

    def _play(self) -> float:
        if self._stream is None:
            self._stream = self._open()
        wait_s = self._stream.play()
        self.is_over = self._stream.over
        if self.output.works:
            self._waits_since_s = None
        return wait_s

    def _open(self) -> Stream:
        granted = self.output.acquire().granted
        stream = Stream(self._begin, granted, self.output, self._send, self._clock)
        for frame in self._early:
            _pass_on(stream, frame)
        self._early.clear()
        return stream

    def _wait(self, error: EdgedError) -> None:
        """Without a device since now, or for too long."""
        now_s = self._clock()
        if self._waits_since_s is None:
            self._waits_since_s = now_s
        elif now_s - self._waits_since_s >= PATIENCE_S and not self.is_over:
            self.fail(error)


def _pass_on(stream: Stream, frame: Frame) -> None:
    match frame.message:
        case Audio(sample_rate_hz=rate_hz):
            stream.feed(frame.samples(), rate_hz)
        case PlayEnd():
            stream.end()
        case PlayPause():
            stream.pause()
        case PlayResume():
            stream.resume()
        case PlayStop():
            stream.stop()
