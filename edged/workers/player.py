"""The player process: takes streams from main, puts them on the sound device, says what was heard.

One thread owns the device and never blocks on it: it keeps a bounded amount queued there, so that a
stop is heard at once, and bridges every stall with silence before the device runs dry.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from edged.audio.playout import Playout
from edged.audio.sink import Granted, Sink
from edged.config.schema import Config
from edged.errors import AudioHungError, AudioLostError, AudioUnavailableError
from edged.io.alsa import open_sink
from edged.workers.child import Beat, run_child, set_cpus
from edged.workers.frames import Frame, FrameError, FrameSocket
from edged.workers.messages import (
    Audio,
    Message,
    PlayBegin,
    PlayDone,
    Played,
    PlayEnd,
    PlayFailed,
    PlayStarted,
    PlayStop,
    PlayStopped,
)
from edged.workers.output import RETRY_FIRST_S, Output

# A stop is heard after what is queued, the fade and a wake: 60 + 10 + 10 of the 100 ms it may take.
LEVEL_MS = 60.0
FADE_MS = 10.0
WAKE_S = 0.010
LEVEL_PERIODS = 3  # devices take whole periods: one leaves, one is due while we sleep, one is in hand
PROGRESS_MS = 200.0
IDLE_WAKE_S = RETRY_FIRST_S
RT_PRIORITY = 10  # above all ordinary processes, below the kernel's interrupt threads (50)

log = logging.getLogger(__name__)

Send = Callable[[Message], None]
Clock = Callable[[], float]


@dataclass(slots=True)
class _Job:
    job_id: str
    source_hz: int
    playout: Playout
    xruns_before: int
    announced: bool = False
    stopped: bool = False
    reported_ms: float = 0.0


class Player:
    """Streams in the order they began, one at a time: `handle` what main says, `step` whenever it is due."""

    def __init__(self, output: Output, send: Send, clock: Clock) -> None:
        self._output = output
        self._send = send
        self._clock = clock
        self._jobs: dict[str, _Job] = {}

    @property
    def doing(self) -> str:
        """For the heartbeat."""
        if self._jobs:
            return "playing"
        return "idle" if self._output.available else "waiting for the device"

    def handle(self, frame: Frame) -> None:
        """Take one message. News of a stream that is over already is ignored. Raises FrameError."""
        match frame.message:
            case PlayBegin() as begin:
                self._begin(begin)
            case Audio(job_id=job_id, sample_rate_hz=rate_hz):
                if job := self._jobs.get(job_id):
                    if rate_hz != job.source_hz:
                        raise FrameError(f"{job_id} began at {job.source_hz} Hz and goes on at {rate_hz} Hz")
                    job.playout.feed(frame.samples())
            case PlayEnd(job_id=job_id):
                if job := self._jobs.get(job_id):
                    job.playout.end()
            case PlayStop(job_id=job_id):
                if job := self._jobs.get(job_id):
                    self._stop(job)
            case other:
                raise FrameError(f"the player has no use for {other.type}")

    def step(self) -> float:
        """Do what is due; gives the seconds until the next step, unless a message comes first.

        Raises AudioHungError, after main has been told, when this process can only be thrown away.
        """
        job = next(iter(self._jobs.values()), None)
        if job is None:
            self._output.tend()
            return IDLE_WAKE_S
        try:
            return self._play(job, self._output.acquire())
        except AudioLostError as error:
            self._lose(error)
            if isinstance(error, AudioHungError):
                raise
            return 0.0

    def _begin(self, begin: PlayBegin) -> None:
        try:
            sink = self._output.acquire()
        except AudioUnavailableError as error:
            self._send(PlayFailed(job_id=begin.job_id, code=error.code, what=error.what))
            return
        granted = sink.granted
        playout = Playout(
            begin.sample_rate_hz,
            granted.rate_hz,
            start_frames=_level_frames(granted),
            fade_frames=granted.frames(FADE_MS),
        )
        self._jobs[begin.job_id] = _Job(begin.job_id, begin.sample_rate_hz, playout, sink.xruns)

    def _stop(self, job: _Job) -> None:
        if job.playout.started:
            job.playout.stop()
            job.stopped = True
        else:
            del self._jobs[job.job_id]
            self._send(PlayStopped(job_id=job.job_id, played_ms=0.0))

    def _play(self, job: _Job, sink: Sink) -> float:
        """Keep the device's queue at its level; gives the seconds until it has to be looked at again."""
        playout, level = job.playout, _level_frames(sink.granted)
        queued = sink.queued()
        block = playout.take(max(0, level - queued))
        if len(block):
            sink.write(block)
            self._report(job, sink.granted)
        elif playout.finished:
            return self._finish(job, sink, queued)
        elif not playout.started:
            return IDLE_WAKE_S  # what it waits for comes as a message
        if sink.paced and not playout.complete and queued + len(block) < level // 2:
            sink.write(playout.starve(sink.granted.period_frames))
        return WAKE_S if sink.paced or not len(block) else 0.0

    def _report(self, job: _Job, granted: Granted) -> None:
        played_ms = granted.ms(job.playout.taken_frames)
        if not job.announced:
            job.announced = True
            self._send(PlayStarted(job_id=job.job_id, at_monotonic_s=self._clock()))
        if played_ms - job.reported_ms >= PROGRESS_MS:
            job.reported_ms = played_ms
            self._send(Played(job_id=job.job_id, played_ms=played_ms))

    def _finish(self, job: _Job, sink: Sink, queued: int) -> float:
        """Everything has been handed over: see it out of the device, then say so."""
        if queued > _level_frames(sink.granted) // 2:
            return WAKE_S  # draining blocks: no longer than it must
        sink.drain()
        xruns, played_ms = sink.xruns - job.xruns_before, sink.granted.ms(job.playout.taken_frames)
        if not sink.paced:
            self._output.close()  # a file: nothing to keep warm, and closing it completes its header
        del self._jobs[job.job_id]
        if job.stopped:
            self._send(PlayStopped(job_id=job.job_id, played_ms=played_ms))
        else:
            stalls = job.playout.stalls
            self._send(PlayDone(job_id=job.job_id, audio_ms=played_ms, xruns=xruns, stalls=stalls))
        return 0.0

    def _lose(self, error: AudioLostError) -> None:
        """No stream survives the device: the rest of a sentence minutes later helps nobody."""
        jobs, self._jobs = self._jobs, {}
        for job_id in jobs:
            self._send(PlayFailed(job_id=job_id, code=error.code, what=error.what))
        self._output.lost(error)


def _level_frames(granted: Granted) -> int:
    """How much is kept queued in the device while playing."""
    wanted = max(granted.frames(LEVEL_MS), LEVEL_PERIODS * granted.period_frames)
    return min(wanted, granted.buffer_frames)


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
