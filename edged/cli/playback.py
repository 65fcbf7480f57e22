"""Sound from a command line: drives the player process alone, without daemon and broker."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edged.cli.output_options import FULL_VOLUME
from edged.config.schema import Config, LogConfig
from edged.errors import AudioLostError, AudioUnavailableError, EdgedError
from edged.workers.child import spawned
from edged.workers.frames import Frame, FrameSocket, encode_samples
from edged.workers.messages import (
    Audio,
    Message,
    PlayBegin,
    PlayDone,
    Played,
    PlayEnd,
    PlayerReady,
    PlayerUnavailable,
    PlayFailed,
    PlayStop,
    PlayStopped,
)

AHEAD_S = 5.0  # the player would hold a whole album in memory; this rides out any hiccup of ours
SILENT_S = 5.0  # five heartbeats missed in a row: the player hangs on its device


@dataclass(frozen=True, slots=True)
class Playback:
    """What was played and on what."""

    device: str
    rate_hz: int
    channels: int
    format: str
    audio_s: float
    xruns: int
    stalls: int


class PlayerClient:
    """A player process whose device is open; use `open_player`."""

    def __init__(self, channel: FrameSocket) -> None:
        self._channel = channel
        self._job_numbers = itertools.count(1)
        self.ready = _await_ready(_messages(channel))

    def play(
        self,
        chunks: Iterable[NDArray[np.float32]],
        rate_hz: int,
        progress: Callable[[float], None] = lambda _: None,
        volume: int = FULL_VOLUME,
    ) -> Playback:
        """Play mono chunks [n]; returns when the last sample has left the device.

        `progress` is told the seconds played; `volume` is 0 to 100, perceptual. KeyboardInterrupt, and an
        error of `chunks`, fade the sound out first and are raised again. Raises AudioLostError.
        """
        job_id = f"cli-{next(self._job_numbers)}"
        self._channel.send(PlayBegin(job_id=job_id, sample_rate_hz=rate_hz, volume=volume))
        try:
            return self._stream(_sending(self._channel, job_id, chunks, rate_hz), progress)
        except AudioLostError:
            raise
        except (KeyboardInterrupt, EdgedError):
            _stop(self._channel, job_id)
            raise

    def _stream(self, sending: Iterator[float], progress: Callable[[float], None]) -> Playback:
        sent_s = played_s = 0.0
        messages = _messages(self._channel)
        while True:
            while sent_s - played_s < AHEAD_S and (seconds := next(sending, None)) is not None:
                sent_s += seconds
            match next(messages, None):
                case Played(played_ms=played_ms):
                    played_s = played_ms / 1000
                    progress(played_s)
                case PlayDone() as done:
                    return _playback(self.ready, done)
                case PlayFailed(what=what):
                    raise AudioLostError(what, "edged doctor")
                case None:
                    raise _gone()


@contextlib.contextmanager
def open_player(config: Config) -> Iterator[PlayerClient]:
    """A player on `config.audio.device`, ended afterwards. Raises AudioUnavailableError, AudioLostError."""
    try:
        with spawned("edged.workers.player", _quiet(config), SILENT_S) as channel:
            yield PlayerClient(channel)
    except ConnectionError as error:
        raise _gone() from error


def play(
    config: Config, chunks: Iterable[NDArray[np.float32]], rate_hz: int, volume: int = FULL_VOLUME
) -> Playback:
    """One sound on a player of its own; see `PlayerClient.play`."""
    with open_player(config) as player:
        return player.play(chunks, rate_hz, volume=volume)


def _quiet(config: Config) -> Config:
    """The child's warnings are our errors: once is enough."""
    return config.model_copy(update={"log": LogConfig(level="error")})


def _await_ready(messages: Iterator[Message]) -> PlayerReady:
    for message in messages:
        if isinstance(message, PlayerReady):
            return message
        if isinstance(message, PlayerUnavailable):
            raise AudioUnavailableError(message.what, message.hint)
    raise _gone()


def _sending(
    channel: FrameSocket, job_id: str, chunks: Iterable[NDArray[np.float32]], rate_hz: int
) -> Iterator[float]:
    """Send a chunk at every step, the end at the last; yields the seconds sent."""
    for chunk in chunks:
        channel.send(Audio(job_id=job_id, sample_rate_hz=rate_hz, sentence_index=0), encode_samples(chunk))
        yield len(chunk) / rate_hz
    channel.send(PlayEnd(job_id=job_id))


def _stop(channel: FrameSocket, job_id: str) -> None:
    channel.send(PlayStop(job_id=job_id))
    for message in _messages(channel):
        if isinstance(message, PlayStopped | PlayDone | PlayFailed | PlayerUnavailable):
            return


def _messages(channel: FrameSocket) -> Iterator[Message]:
    frames: Iterator[Frame] = channel.frames()
    while True:
        try:
            frame = next(frames, None)
        except TimeoutError as error:
            raise AudioLostError(
                f"the player has not answered for {SILENT_S:.0f} s: its device hangs", "edged doctor"
            ) from error
        if frame is None:
            return
        yield frame.message


def _playback(ready: PlayerReady, done: PlayDone) -> Playback:
    return Playback(
        device=ready.device,
        rate_hz=ready.rate_hz,
        channels=ready.channels,
        format=ready.format,
        audio_s=round(done.audio_ms / 1000, 3),
        xruns=done.xruns,
        stalls=done.stalls,
    )


def _gone() -> EdgedError:
    return AudioLostError("the player process ended unexpectedly", "the messages above; edged doctor")
