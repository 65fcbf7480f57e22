"""The player process: takes streams from main, puts them on the sound device, says what was heard.

One thread owns the device and never blocks on it: it keeps a bounded amount queued there, so that a
stop, a pause or another volume is heard at once, and bridges every stall with silence before the device
runs dry.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NoReturn

from edged.config.schema import Config
from edged.errors import AudioHungError, AudioLostError, AudioUnavailableError, EdgedError
from edged.io.alsa import open_sink
from edged.workers.child import Beat, run_child, set_cpus
from edged.workers.frames import Frame, FrameError, FrameSocket
from edged.workers.messages import (
    Audio,
    Message,
    PlayBegin,
    PlayEnd,
    PlayFailed,
    PlayPause,
    PlayResume,
    PlayStop,
    SetVolume,
)
from edged.workers.output import Output
from edged.workers.stream import IDLE_WAKE_S, Stream

RT_PRIORITY = 10  # above all ordinary processes, below the kernel's interrupt threads (50)
FULL_VOLUME = 100  # until main says otherwise, which it does at every start

log = logging.getLogger(__name__)

Send = Callable[[Message], None]
Clock = Callable[[], float]


class Player:
    """Streams in the order they began, one at a time: `handle` what main says, `step` whenever it is due."""

    def __init__(self, output: Output, send: Send, clock: Clock) -> None:
        self._output = output
        self._send = send
        self._clock = clock
        self._volume = FULL_VOLUME
        self._streams: dict[str, Stream] = {}

    @property
    def doing(self) -> str:
        """For the heartbeat."""
        if stream := self._current():
            return "paused" if stream.resting else "playing"
        return "idle" if self._output.available else "waiting for the device"

    def handle(self, frame: Frame) -> None:
        """Take one message. News of a stream that is over already is ignored. Raises FrameError."""
        match frame.message:
            case PlayBegin() as begin:
                self._begin(begin)
            case SetVolume(percent=percent):
                self._volume = percent
                for playing in self._streams.values():
                    playing.set_device_volume(percent)
            case Audio() | PlayEnd() | PlayPause() | PlayResume() | PlayStop() as news:
                if stream := self._streams.get(news.job_id):
                    _pass_on(stream, frame)
                    self._forget_if_over(stream)
            case other:
                raise FrameError(f"the player has no use for {other.type}")

    def step(self) -> float:
        """Do what is due; gives the seconds until the next step, unless a message comes first.

        Raises AudioHungError, after main has been told, when this process can only be thrown away.
        """
        stream = self._current()
        if stream is None or stream.resting:
            self._output.tend()
            return IDLE_WAKE_S
        try:
            wait_s = stream.play()
        except AudioUnavailableError as error:  # it was let go of in a pause and is gone
            self._fail_all(error)
            return 0.0
        except AudioLostError as error:
            self._fail_all(error)
            self._output.lost(error)
            if isinstance(error, AudioHungError):
                raise
            return 0.0
        self._forget_if_over(stream)
        return wait_s

    def _current(self) -> Stream | None:
        return next(iter(self._streams.values()), None)

    def _begin(self, begin: PlayBegin) -> None:
        try:
            stream = Stream(begin, self._output, self._volume, self._send, self._clock)
        except AudioUnavailableError as error:
            self._send(PlayFailed(job_id=begin.job_id, code=error.code, what=error.what))
        else:
            self._streams[begin.job_id] = stream

    def _forget_if_over(self, stream: Stream) -> None:
        if stream.over:
            del self._streams[stream.job_id]

    def _fail_all(self, error: EdgedError) -> None:
        """No stream survives the device: the rest of a sentence minutes later helps nobody."""
        streams, self._streams = self._streams, {}
        for job_id in streams:
            self._send(PlayFailed(job_id=job_id, code=error.code, what=error.what))


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


def run(player: Player, inbox: queue.SimpleQueue[Frame | None], beat: Callable[[str], None]) -> None:
    """Play until the inbox says None."""
    wait_s = 0.0
    while True:
        try:
            frame = inbox.get(timeout=wait_s)
        except queue.Empty:
            pass
        else:
            if frame is None:
                return
            player.handle(frame)
        wait_s = player.step()
        beat(player.doing)


def main(channel: FrameSocket, frames: Iterator[Frame], config: Config) -> None:
    """The player's life between Configure and the end of the channel."""
    set_cpus(config.threads.player_cpus)
    _be_prompt()
    inbox: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(frames, inbox), name="receive", daemon=True).start()
    output = Output(partial(open_sink, config.audio), channel.send, time.monotonic)
    try:
        run(Player(output, channel.send, time.monotonic), inbox, Beat(channel))
    except AudioHungError as error:
        _abandon(error)
    finally:
        output.close()


def _be_prompt() -> None:
    """Run ahead of everything that merely computes: a wake that is late by the level is heard."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(RT_PRIORITY))
    except PermissionError:
        log.info("no real-time priority (LimitRTPRIO=%d allows it): a busy CPU may cause gaps", RT_PRIORITY)


def _abandon(error: AudioHungError) -> NoReturn:
    """Leave without cleaning up: closing the device, which a normal exit does, would hang too."""
    os._exit(error.exit_status)


def _receive(frames: Iterator[Frame], inbox: queue.SimpleQueue[Frame | None]) -> None:
    try:
        with contextlib.suppress(ConnectionResetError):  # main died with our news unread: the end as well
            for frame in frames:
                inbox.put(frame)
    finally:
        inbox.put(None)


if __name__ == "__main__":
    run_child(main)
