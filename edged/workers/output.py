"""The player's device over its life: opened when wanted, let go when idle, looked for when it is gone."""

from __future__ import annotations

import logging
from collections.abc import Callable

from edged.audio.sink import Granted, Sink
from edged.errors import AudioHungError, AudioUnavailableError, EdgedError
from edged.workers.messages import Message, PlayerReady, PlayerUnavailable

# Long enough that a counter's next call finds the card warm, short enough that another program
# (`edged play`, `edged doctor`) gets at a card that only one can hold.
IDLE_CLOSE_S = 2.0
RETRY_FIRST_S = 0.25
RETRY_LAST_S = 5.0  # ten opens a minute are no load, and a plugged-in card is found soon enough

log = logging.getLogger(__name__)


class Output:
    """Owns at most one open sink and tells main what became of it."""

    def __init__(
        self, open_sink: Callable[[], Sink], send: Callable[[Message], None], clock: Callable[[], float]
    ) -> None:
        self._open_sink = open_sink
        self._send = send
        self._clock = clock
        self._sink: Sink | None = None
        self._xruns_before = 0  # those of the sinks that were closed
        self._told: Granted | str | None = None  # what main knows of the device
        self._last_used_s = 0.0
        self._retry_at_s: float | None = clock()  # find out at once whether there is a device
        self._retry_s = RETRY_FIRST_S

    @property
    def available(self) -> bool:
        """Whether the device could be opened when last tried."""
        return self._retry_at_s is None

    @property
    def xruns(self) -> int:
        """How often the device has run dry so far."""
        return self._xruns_before + (self._sink.xruns if self._sink is not None else 0)

    def acquire(self) -> Sink:
        """The open sink, opening it if need be. Raises AudioUnavailableError."""
        self._last_used_s = self._clock()
        if self._sink is None:
            try:
                self._sink = self._open_sink()
            except AudioUnavailableError as error:
                self._unavailable(error)
                raise
            self._ready(self._sink.granted)
        return self._sink

    def tend(self) -> None:
        """While nothing plays: look for a lost device when it is time, let go of an idle one.

        A file is kept: its announcement is only paused.
        """
        now_s = self._clock()
        if self._retry_at_s is not None and now_s >= self._retry_at_s:
            try:
                self.acquire()
            except AudioUnavailableError:
                return  # main has been told, and the next attempt is set
        if self._sink is not None and self._sink.paced and now_s - self._last_used_s >= IDLE_CLOSE_S:
            self.close()

    def lost(self, error: EdgedError) -> None:
        """The device failed in use: let go of it and start looking for it."""
        if not isinstance(error, AudioHungError):  # closing a hung one would hang as well
            self.close()
        self._retry_s = RETRY_FIRST_S
        self._unavailable(error)

    def complete(self) -> None:
        """An announcement is over: closing a file completes its header. A card is kept warm."""
        if self._sink is not None and not self._sink.paced:
            self.close()

    def close(self) -> None:
        """Let go of the device; it is silent at once."""
        if self._sink is not None:
            sink, self._sink = self._sink, None
            self._xruns_before += sink.xruns
            sink.close()

    def _ready(self, granted: Granted) -> None:
        self._retry_at_s, self._retry_s = None, RETRY_FIRST_S
        if granted == self._told:
            return  # an idle device opened again is no news
        self._told = granted
        log.info("playing on %s: %d Hz, %d channels", granted.device, granted.rate_hz, granted.channels)
        self._send(
            PlayerReady(
                device=granted.device,
                rate_hz=granted.rate_hz,
                channels=granted.channels,
                format=granted.format,
                period_ms=granted.ms(granted.period_frames),
                buffer_ms=granted.ms(granted.buffer_frames),
            )
        )

    def _unavailable(self, error: EdgedError) -> None:
        self._retry_at_s = self._clock() + self._retry_s
        self._retry_s = min(2 * self._retry_s, RETRY_LAST_S)
        if error.what == self._told:
            return  # once is enough: it is tried for as long as it takes
        self._told = error.what
        log.warning("%s", error)
        self._send(PlayerUnavailable(code=error.code, what=error.what, hint=error.hint))
