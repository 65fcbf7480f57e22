"""The player's device over its life: opened when wanted, let go when idle, looked for when it is gone."""

from __future__ import annotations

import logging
from collections.abc import Callable

from edged.audio.gain import amplitude
from edged.audio.keepalive import KeepAlive
from edged.audio.presets import PRESETS
from edged.audio.shaping import Shaping
from edged.audio.sink import Granted, Sink
from edged.config.schema import OutputConfig
from edged.errors import AudioHungError, AudioLostError, AudioUnavailableError, EdgedError
from edged.workers.level import level_frames
from edged.workers.messages import Message, PlayerReady, PlayerUnavailable

IDLE_WAKE_S = 0.25
KEEPALIVE_WAKE_S = (
    0.02  # a period: its noise may run dry, and be heard to start again, when this is late by two
)
# Before the next attempt to get a device that has failed so often since it last played something. At once,
# because most suspended ones are fine again; in the end once a second, so that one that was plugged in is
# heard within two, while a thousand failing opens an hour are no load.
BACK_OFF_S = (0.0, 0.25, 0.5, 1.0)

log = logging.getLogger(__name__)


class Output:
    """Owns at most one open sink and tells main what became of it.

    `programme_lufs` is how loud speech comes in. `level` is the gain that a device's volume asks of the
    samples; it can change whenever the device is opened.
    """

    def __init__(
        self,
        name: str,
        config: OutputConfig,
        programme_lufs: float,
        open_sink: Callable[[], Sink],
        send: Callable[[Message], None],
        clock: Callable[[], float],
    ) -> None:
        self._name = name
        self._config = config
        self._programme_lufs = programme_lufs
        self._gain = 10 ** (config.gain_db / 20)
        self._volume: int | None = None  # until main says which: the mixer stays as it is
        self.level = self._gain
        self._keepalive = KeepAlive(config.keepalive_db) if config.idle == "keepalive" else None
        self._open_sink = open_sink
        self._send = send
        self._clock = clock
        self._sink: Sink | None = None
        self._xruns_before = 0  # those of the sinks that were closed
        self._told: Granted | str | None = None  # what main knows of the device
        self._last_used_s = 0.0
        self._failures = 0  # since it last played something
        self._reason = EdgedError("")  # why it is away
        self._retry_at_s: float | None = clock()  # find out at once whether there is a device

    @property
    def available(self) -> bool:
        """Whether the device could be opened when last tried."""
        return self._retry_at_s is None

    @property
    def works(self) -> bool:
        """Whether the device has played something since it last failed."""
        return not self._failures

    @property
    def retry_in_s(self) -> float:
        """Until `acquire` makes the next attempt."""
        return 0.0 if self._retry_at_s is None else max(0.0, self._retry_at_s - self._clock())

    @property
    def xruns(self) -> int:
        """How often the device has run dry so far."""
        return self._xruns_before + (self._sink.xruns if self._sink is not None else 0)

    def set_volume(self, percent: int) -> None:
        """The device's volume from now on."""
        self._volume = percent
        self.restore_volume()

    def restore_volume(self) -> None:
        """Set it again: others may have changed the mixer, and one that was unplugged has forgotten it."""
        if self._volume is not None:
            own = self._sink.set_volume(self._volume) if self._sink is not None else amplitude(self._volume)
            self.level = self._gain * own

    def lead_in_frames(self, granted: Granted) -> int:
        """Silence with which a device must be woken that has nothing to play."""
        return granted.frames(self._config.lead_in_ms)

    def new_shaping(self, granted: Granted) -> Shaping:
        """What is done to one stream for the place of this device."""
        return Shaping(PRESETS[self._config.preset], granted.rate_hz, self._programme_lufs)

    def acquire(self) -> Sink:
        """The open sink, opening it if need be.

        Raises AudioUnavailableError, without having tried when the last attempt was a moment ago.
        """
        self._last_used_s = self._clock()
        if self._sink is None:
            if self.retry_in_s:
                raise AudioUnavailableError(self._reason.what, self._reason.hint)
            try:
                self._sink = self._open_sink()
            except AudioUnavailableError as error:
                self._unavailable(error)
                raise
            self.restore_volume()
            self._ready(self._sink.granted)
        return self._sink

    def tend(self) -> float:
        """While nothing plays: look for a lost device when it is time, let go of an idle one.

        Gives the seconds until the next call. A file is kept: its announcement is only paused.
        """
        now_s = self._clock()
        if self._retry_at_s is not None and now_s >= self._retry_at_s:
            try:
                self.acquire()
            except AudioUnavailableError:
                return IDLE_WAKE_S  # main has been told, and the next attempt is set
        closes = self._config.idle == "close_after" and self._sink is not None and self._sink.paced
        if closes and now_s - self._last_used_s >= self._config.close_after_s:
            self.close()
        return self.keep_alive()

    def keep_alive(self) -> float:
        """While it does not play: the noise it may want. Gives the seconds until the next call."""
        sink = self._sink
        if self._keepalive is None or sink is None or not sink.paced:
            return IDLE_WAKE_S
        try:
            missing = level_frames(sink.granted) - sink.queued()
            if missing > 0:
                sink.write(self._keepalive.noise(missing))
        except AudioHungError:
            raise
        except AudioLostError as error:
            self.lost(error)
        return KEEPALIVE_WAKE_S

    def played(self) -> None:
        """The device has taken samples at its pace: it works."""
        self._failures = 0

    def lost(self, error: AudioLostError) -> None:
        """The device has failed while it was open; main hears of it if it cannot be opened again."""
        if not self._failures:
            log.warning("%s", error)
        self.close()
        self._try_again_later(error)

    def hung(self, error: AudioHungError) -> None:
        """The device hangs, and closing it would hang as well."""
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
        self._retry_at_s = None
        if granted == self._told:
            return  # an idle device opened again is no news
        self._told = granted
        log.info("playing on %s: %d Hz, %d channels", granted.device, granted.rate_hz, granted.channels)
        self._send(
            PlayerReady(
                output=self._name,
                device=granted.device,
                rate_hz=granted.rate_hz,
                channels=granted.channels,
                format=granted.format,
                period_ms=granted.ms(granted.period_frames),
                buffer_ms=granted.ms(granted.buffer_frames),
            )
        )

    def _unavailable(self, error: EdgedError) -> None:
        self._failures = max(1, self._failures)  # there is no point in opening it again at once
        self._try_again_later(error)
        if error.what == self._told:
            return  # once is enough: it is tried for as long as it takes
        self._told = error.what
        log.warning("%s", error)
        self._send(PlayerUnavailable(output=self._name, code=error.code, what=error.what, hint=error.hint))

    def _try_again_later(self, error: EdgedError) -> None:
        self._reason = error
        delay_s = BACK_OFF_S[min(self._failures, len(BACK_OFF_S) - 1)]
        self._retry_at_s = self._clock() + delay_s
        self._failures += 1
