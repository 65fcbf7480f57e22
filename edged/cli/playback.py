"""Sound from a command line: drives the player process alone, without daemon and broker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
_JOB = "cli"


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


def play(
    config: Config,
    chunks: Iterable[NDArray[np.float32]],
    rate_hz: int,
    progress: Callable[[float], None] = lambda _: None,
) -> Playback:
    """Play mono chunks [n] on `config.audio.device`; returns when the last sample has left it.

    `progress` is told the seconds played. KeyboardInterrupt fades the sound out first and is raised
    again. Raises AudioUnavailableError, AudioLostError.
    """
    with spawned("edged.workers.player", _quiet(config), SILENT_S) as channel:
        ready = _await_ready(_messages(channel))
        try:
            return _stream(channel, ready, chunks, rate_hz, progress)
        except KeyboardInterrupt:
            _stop(channel)
            raise


def granted_parameters(config: Config) -> PlayerReady:
    """What the device grants, without playing anything. Raises AudioUnavailableError, AudioLostError."""
    with spawned("edged.workers.player", _quiet(config), SILENT_S) as channel:
        return _await_ready(_messages(channel))


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


def _stream(
    channel: FrameSocket,
    ready: PlayerReady,
    chunks: Iterable[NDArray[np.float32]],
    rate_hz: int,
    progress: Callable[[float], None],
) -> Playback:
    channel.send(PlayBegin(job_id=_JOB, sample_rate_hz=rate_hz))
    sent_s, sending = 0.0, _sending(channel, chunks, rate_hz)
    played_s = 0.0
    messages = _messages(channel)
    while True:
        while sent_s - played_s < AHEAD_S and (seconds := next(sending, None)) is not None:
            sent_s += seconds
        match next(messages, None):
            case Played(played_ms=played_ms):
                played_s = played_ms / 1000
                progress(played_s)
            case PlayDone() as done:
                return _playback(ready, done)
            case PlayFailed(what=what):
                raise AudioLostError(what, "edged doctor")
            case None:
                raise _gone()


def _sending(channel: FrameSocket, chunks: Iterable[NDArray[np.float32]], rate_hz: int) -> Iterator[float]:
    """Send a chunk at every step, the end at the last; yields the seconds sent."""
    for chunk in chunks:
        channel.send(Audio(job_id=_JOB, sample_rate_hz=rate_hz, sentence_index=0), encode_samples(chunk))
        yield len(chunk) / rate_hz
    channel.send(PlayEnd(job_id=_JOB))


def _stop(channel: FrameSocket) -> None:
    channel.send(PlayStop(job_id=_JOB))
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
