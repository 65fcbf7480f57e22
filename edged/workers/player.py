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
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NoReturn

from edged.config.schema import MAIN_OUTPUT, Config
from edged.errors import AudioHungError
from edged.io.alsa import open_sink
from edged.io.realtime import PRIORITY, be_prompt
from edged.io.sound_files import warn_about_number
from edged.workers.child import Beat, run_child, set_cpus
from edged.workers.frames import Frame, FrameError, FrameSocket
from edged.workers.messages import (
    Audio,
    Message,
    PlayBegin,
    PlayEnd,
    PlayPause,
    PlayResume,
    PlayStop,
    SetVolume,
)
from edged.workers.output import IDLE_WAKE_S, Output
from edged.workers.turn import Turn

log = logging.getLogger(__name__)

Send = Callable[[Message], None]
Clock = Callable[[], float]


class Player:
    """Streams in the order they began, one at a time: `handle` what main says, `step` whenever it is due."""

    def __init__(self, outputs: Mapping[str, Output], send: Send, clock: Clock) -> None:
        self._outputs = outputs
        self._send = send
        self._clock = clock
        self._turns: dict[str, Turn] = {}

    @property
    def doing(self) -> str:
        """For the heartbeat."""
        turn = self._current()
        output = turn.output if turn else self._outputs[MAIN_OUTPUT]
        if not output.available:
            return "waiting for the device"
        if turn:
            return "paused" if turn.is_resting else "playing"
        return "idle"

    def handle(self, frame: Frame) -> None:
        """Take one message. News of a stream that is over already is ignored. Raises FrameError."""
        match frame.message:
            case PlayBegin() as begin:
                self._turns[begin.job_id] = self._turn(begin)
            case SetVolume(percent=percent):
                for output in self._outputs.values():
                    output.set_volume(percent)
            case Audio() | PlayEnd() | PlayPause() | PlayResume() | PlayStop() as news:
                if news.job_id in self._turns:
                    self._turns[news.job_id].take(frame)
                    self._forget_if_over(news.job_id)
            case other:
                raise FrameError(f"the player has no use for {other.type}")

    def step(self) -> float:
        """Do what is due; gives the seconds until the next step, unless a message comes first.

        Raises AudioHungError, after main has been told, when this process can only be thrown away.
        """
        turn = self._current()
        busy = None if turn is None or turn.is_resting else turn
        waits_s = [IDLE_WAKE_S]
        for output in self._outputs.values():
            if busy is None:
                waits_s.append(self._on(output, output.tend))
            elif output is not busy.output:
                waits_s.append(self._on(output, output.keep_alive))
        if busy is not None:
            waits_s.append(self._on(busy.output, busy.play))
            self._forget_if_over(busy.job_id)
        return min(waits_s)

    def _turn(self, begin: PlayBegin) -> Turn:
        if begin.output not in self._outputs:
            raise FrameError(
                f"{begin.job_id} is for the output {begin.output}, which the player does not have"
            )
        return Turn(begin, self._outputs[begin.output], self._send, self._clock)

    def _on(self, output: Output, act: Callable[[], float]) -> float:
        try:
            return act()
        except AudioHungError as error:
            for each in self._turns.values():
                each.fail(error)
            output.hung(error)
            raise

    def _current(self) -> Turn | None:
        return next(iter(self._turns.values()), None)

    def _forget_if_over(self, job_id: str) -> None:
        if self._turns[job_id].is_over:
            del self._turns[job_id]


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
    outputs = {name: _output(name, config, channel.send) for name in config.all_outputs}
    try:
        run(Player(outputs, channel.send, time.monotonic), inbox, Beat(channel))
    except AudioHungError as error:
        _abandon(error)
    finally:
        for output in outputs.values():
            output.close()


def _output(name: str, config: Config, send: Send) -> Output:
    own = config.all_outputs[name]
    warn_about_number(own.device)
    return Output(name, own, config.audio.loudness_lufs, partial(open_sink, own), send, time.monotonic)


def _be_prompt() -> None:
    """Run ahead of everything that merely computes: a wake that is late by the level is heard."""
    allowed = be_prompt()
    if not allowed.is_realtime:
        log.info("no real-time priority (LimitRTPRIO=%d allows it): a busy CPU may cause gaps", PRIORITY)
    if not allowed.is_locked:
        log.info("memory not locked (LimitMEMLOCK=infinity allows it): swapping may cause gaps")


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
