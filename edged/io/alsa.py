"""The sound card: one named ALSA PCM, opened, verified, written to and let go of.

pyalsaaudio keeps the GIL while it opens, drops and closes, so only the player process imports this.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable
from typing import NoReturn

import alsaaudio
import numpy as np
from numpy.typing import NDArray

from edged.audio.dither import Dither
from edged.audio.format import SAMPLE_FORMATS, SampleFormat, channel_numbers, encode_frames, frame_bytes
from edged.audio.gain import amplitude
from edged.audio.sink import Granted
from edged.config.schema import OutputConfig
from edged.errors import AudioHungError, AudioLostError, AudioUnavailableError, BadInputError
from edged.io.libasound import silence_libasound
from edged.io.mixer import Mixer, open_mixer
from edged.io.sound_files import holders, is_sound_server

HUNG_S = 1.0  # a working device moves on every period; this is 50 of them
_MAX_REJECTED = 10  # writes in a row of which nothing was taken: the device is not coming back
# A stop must be heard within 100 ms, and three periods are queued: see edged.workers.level.
_LONGEST_PERIOD_MS = 26
_HINT = "edged doctor; `aplay -L` lists the names of PCMs"


class AlsaSink:
    """A PCM open for playback; see `edged.audio.sink.Sink`."""

    def __init__(
        self, pcm: alsaaudio.PCM, granted: Granted, config: OutputConfig, mixer: Mixer | None
    ) -> None:
        """Raises BadInputError when the device has not the channels that shall be used."""
        self._pcm = pcm
        self._granted = granted
        self._sounding = channel_numbers(config.channels_used, granted.channels)
        self._dither = Dither() if config.dither else None
        self._mixer = mixer
        self._xruns = 0
        self._paced: bool | None = None
        self._running = False
        self._written = 0
        self._started_at = 0  # frames written when the device was last started from its beginning
        self._position = 0
        self._moved_at_s = time.monotonic()

    @property
    def granted(self) -> Granted:
        """The parameters in force."""
        return self._granted

    @property
    def xruns(self) -> int:
        """How often the device ran dry since it was opened."""
        return self._xruns

    @property
    def paced(self) -> bool:
        """False for ALSA's `null` and `file`, which swallow whatever they are given."""
        return self._paced is not False

    def queued(self) -> int:
        """Frames in the device's buffer. Raises AudioLostError, AudioHungError."""
        if not self._running:
            return 0  # a PCM that was not written to, or was drained, has no `avail` everywhere
        available: int = self._pcm.avail()
        if available == -errno.EPIPE:
            available = self._granted.buffer_frames  # ran dry; the next write finds out and starts it again
        if available < 0:
            raise self._lost(os.strerror(-available))
        frames = max(0, self._granted.buffer_frames - available)
        self._watch(frames)
        return frames

    def write(self, samples: NDArray[np.float32]) -> None:
        """Write all of it. A block that an xrun rejected, or the rest of a short write, goes out again."""
        data = memoryview(self._encode(samples))
        frame = frame_bytes(self._granted.format, self._granted.channels)
        rejected = 0
        while data:
            taken = self._write_once(data)
            rejected = 0 if taken else rejected + 1
            if rejected == _MAX_REJECTED:
                raise self._lost("takes no samples")
            data = data[taken * frame :]
            self._written += taken
        if not self._running:
            self._running = True
            self._moved_at_s = time.monotonic()  # it could not move before
        if self._paced is None:
            self._paced = self._pcm.avail() != self._granted.buffer_frames

    def set_volume(self, percent: int) -> float:
        """Through the card's mixer where it is used; gives the gain that is left to the samples."""
        return self._mixer.set_volume(percent) if self._mixer else amplitude(percent)

    def drain(self) -> None:
        """Wait for the last sample. Raises AudioHungError when it takes HUNG_S too long."""
        if not self._running:
            return
        if self.paced and not self.queued():  # it has played dry: drained
            self._running = False
            return
        self._fill_period()
        deadline_s = self._granted.ms(self._granted.buffer_frames) / 1000 + HUNG_S
        failures: list[alsaaudio.ALSAAudioError] = []
        # in a thread of its own, because a sick driver never returns from it
        waiting = threading.Thread(target=self._drain_into, args=(failures,), daemon=True)
        waiting.start()
        waiting.join(deadline_s)
        if waiting.is_alive():
            raise self._hung("does not drain")
        if failures and _reason(failures[0]) != os.strerror(errno.EPIPE):  # which has played dry: drained
            raise self._lost(_reason(failures[0]))
        self._running = False

    def close(self) -> None:
        """Let go at once: without the drop, closing would play out the buffer, or hang on it."""
        with contextlib.suppress(alsaaudio.ALSAAudioError):  # a device that is gone has nothing to drop
            self._pcm.drop()
        self._pcm.close()
        if self._mixer:
            self._mixer.close()

    def _encode(self, samples: NDArray[np.float32]) -> bytes:
        granted = self._granted
        return encode_frames(
            samples, granted.format, granted.channels, sounding=self._sounding, dither=self._dither
        )

    def _fill_period(self) -> None:
        """Complete the last period with silence: hardware plays whole ones, the rest of it would be old."""
        period = self._granted.period_frames
        missing = -(self._written - self._started_at) % period
        if missing and self.paced:
            self.write(np.zeros(missing, np.float32))

    def _write_once(self, data: memoryview) -> int:
        try:
            taken: int = self._pcm.write(data)
        except alsaaudio.ALSAAudioError as error:
            raise self._lost(_reason(error)) from error
        if taken == -errno.EPIPE:  # not raised, and the PCM is prepared again already
            self._xruns += self._running  # drained or dry at the end of the sound, nothing was missing
            self._started_at = self._written
            return 0
        return taken

    def _drain_into(self, failures: list[alsaaudio.ALSAAudioError]) -> None:
        try:
            self._pcm.drain()
        except alsaaudio.ALSAAudioError as error:
            failures.append(error)

    def _watch(self, queued: int) -> None:
        """Notice a device that holds samples and does not play them."""
        position, now_s = self._written - queued, time.monotonic()
        if position != self._position or not queued:
            self._position, self._moved_at_s = position, now_s
        elif now_s - self._moved_at_s > HUNG_S:
            raise self._hung("stands still")

    def _lost(self, reason: str) -> AudioLostError:
        return AudioLostError(f'PCM "{self._granted.device}": {reason}; {cards_here()}', _HINT)

    def _hung(self, reason: str) -> AudioHungError:
        return AudioHungError(f'PCM "{self._granted.device}" {reason}', _HINT)


def open_sink(config: OutputConfig, open_pcm: Callable[..., alsaaudio.PCM] = alsaaudio.PCM) -> AlsaSink:
    """Open `config.device` and verify what it grants.

    ALSA changes what it cannot serve without a word. Another rate, channel count, period or buffer is
    taken as granted; another sample format only if it is one we can write. Raises AudioUnavailableError.
    """
    silence_libasound()
    for fmt in SAMPLE_FORMATS:
        pcm = _open(open_pcm, config, fmt)
        granted = _granted(config.device, pcm)
        if granted is not None:
            return _sink(pcm, granted, config)
        offered = pcm.info()["format_name"]
        pcm.close()
    raise AudioUnavailableError(
        f'PCM "{config.device}" takes only {offered}, not {" or ".join(SAMPLE_FORMATS)}; {cards_here()}',
        "a PCM that converts: plughw:CARD=... instead of hw:CARD=...",
    )


def _sink(pcm: alsaaudio.PCM, granted: Granted, config: OutputConfig) -> AlsaSink:
    try:
        return AlsaSink(pcm, granted, config, open_mixer(config))
    except BadInputError as error:
        pcm.close()
        raise AudioUnavailableError(f'PCM "{config.device}": {error.what}', "audio.channels_used") from error


def cards_here() -> str:
    """The sound cards of this machine in words."""
    cards = ", ".join(
        f"{n} {name}" for n, name in zip(alsaaudio.card_indexes(), alsaaudio.cards(), strict=True)
    )
    return f"cards here: {cards}" if cards else "no sound card here"


def pcm_names() -> tuple[str, ...]:
    """The PCMs for playback that ALSA offers to choose from; a name that is not among them may exist."""
    silence_libasound()
    return tuple(alsaaudio.pcms(alsaaudio.PCM_PLAYBACK))


def _open(open_pcm: Callable[..., alsaaudio.PCM], config: OutputConfig, fmt: SampleFormat) -> alsaaudio.PCM:
    period_ms = min(config.period_ms, _LONGEST_PERIOD_MS)
    period_frames = config.rate_hz * period_ms // 1000
    try:
        return open_pcm(
            type=alsaaudio.PCM_PLAYBACK,
            mode=alsaaudio.PCM_NORMAL,
            device=config.device,
            rate=config.rate_hz,
            channels=config.channels,
            format=getattr(alsaaudio, f"PCM_FORMAT_{fmt}"),
            periodsize=period_frames,
            periods=config.buffer_ms // period_ms,
        )
    except alsaaudio.ALSAAudioError as error:
        _refuse(config.device, _reason(error))


def _granted(device: str, pcm: alsaaudio.PCM) -> Granted | None:
    info = pcm.info()
    fmt = next((fmt for fmt in SAMPLE_FORMATS if fmt == info["format_name"]), None)
    if fmt is None:
        return None
    return Granted(device, info["rate"], info["channels"], fmt, info["period_size"], info["buffer_size"])


def _refuse(device: str, reason: str) -> NoReturn:
    hint = _HINT
    if reason == os.strerror(errno.EBUSY) and (who := holders()):
        reason = f"{reason}, held by {', '.join(who)}"
        if any(is_sound_server(holder) for holder in who):
            hint = "play through the sound server (audio.device: pulse), or take the card away from it"
    raise AudioUnavailableError(f'PCM "{device}": {reason}; {cards_here()}', hint)


def _reason(error: alsaaudio.ALSAAudioError) -> str:
    """`Device or resource busy [hw:0]` without the name, which our messages put first."""
    return str(error).partition(" [")[0]
