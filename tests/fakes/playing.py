"""A player on fake devices in fake time, spoken to as main does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from edged.audio.sink import Sink
from edged.config.schema import MAIN_OUTPUT, OutputConfig
from edged.errors import AudioUnavailableError
from edged.workers.frames import Frame, encode_samples
from edged.workers.messages import Audio, Message, PlayBegin, PlayEnd
from edged.workers.output import Output
from edged.workers.player import Player
from tests.fakes.sink import FakeClock, FakeSink

RATE_HZ = 48000
MS = RATE_HZ // 1000
AUDIO = OutputConfig()
LUFS = -16.0


class Stage:
    """A player, its clock and its devices: each opening takes the next one, None is a device that is away.

    While `is_away` there is none at all. `open_device` may be replaced. `steps` counts how often the player
    was woken.
    """

    def __init__(
        self, *sinks: FakeSink | None, clock: FakeClock | None = None, config: OutputConfig = AUDIO
    ) -> None:
        self.clock = clock or FakeClock()
        self.sinks = list(sinks) or [FakeSink(self.clock)]
        self.is_away = False
        self.steps = 0
        self.opened_s: list[float] = []
        self.said: list[Message] = []
        self.open_device = self._next_sink
        output = Output(MAIN_OUTPUT, config, LUFS, self._open, self.said.append, self.clock)
        self.player = Player({MAIN_OUTPUT: output}, self.said.append, self.clock)

    def _open(self) -> Sink:
        self.opened_s.append(self.clock())
        if self.is_away:
            raise AudioUnavailableError('PCM "fake": No such device')
        return self.open_device()

    def _next_sink(self) -> Sink:
        sink = self.sinks.pop(0) if len(self.sinks) > 1 else self.sinks[0]
        if sink is None:
            raise AudioUnavailableError('PCM "fake": No such file or directory')
        return sink

    def tell(self, message: Message, samples: NDArray[np.float32] | None = None) -> None:
        self.player.handle(Frame(message, b"" if samples is None else encode_samples(samples)))

    def begin(self, job_id: str = "a", volume: int = 100) -> None:
        self.tell(PlayBegin(job_id=job_id, sample_rate_hz=RATE_HZ, volume=volume))

    def feed(self, samples: NDArray[np.float32], job_id: str = "a") -> None:
        self.tell(Audio(job_id=job_id, sample_rate_hz=RATE_HZ, sentence_index=0), samples)

    def end(self, job_id: str = "a") -> None:
        self.tell(PlayEnd(job_id=job_id))

    def play(self, samples: NDArray[np.float32], job_id: str = "a", volume: int = 100) -> None:
        self.begin(job_id, volume)
        self.feed(samples, job_id)
        self.end(job_id)

    def run(self, seconds: float) -> None:
        """Let the player work for so long; what is said after it wakes the player."""
        end_s = self.clock() + seconds
        while self.clock() < end_s:
            self._step(end_s)

    def run_until(self, kind: type[Message]) -> None:
        """Let the player work until it says this."""
        while not self.said_of(kind):
            self._step()

    def _step(self, end_s: float = math.inf) -> None:
        self.steps += 1
        wait_s = self.player.step()  # which may take time itself: a drain does
        self.clock.now_s = max(self.clock(), min(self.clock() + wait_s, end_s))

    def said_of(self, *kinds: type[Message]) -> list[Message]:
        return [message for message in self.said if isinstance(message, kinds)]


def tone(ms: int) -> NDArray[np.float32]:
    """A sine at half scale that is in mid-swing at most ends."""
    phase = 2 * np.pi * 441.7 * np.arange(ms * MS) / RATE_HZ
    return (0.5 * np.sin(phase)).astype(np.float32)


TONE_STEP = 2 * np.pi * 441.7 / RATE_HZ * 0.5


def largest_step(samples: NDArray[np.float32]) -> float:
    return float(np.abs(np.diff(samples)).max())
