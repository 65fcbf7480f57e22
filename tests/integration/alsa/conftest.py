"""A clocked sound card, a card that fails on purpose, and the player process in front of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.clocked_sink import ClockedSink
from benchmarks.fault_shim import FaultShim
from edged.config.schema import AudioConfig, Config
from edged.workers.child import spawned
from edged.workers.frames import FrameSocket, encode_samples
from edged.workers.messages import Audio, Heartbeat, Message, PlayBegin, PlayEnd

RATE_HZ = 48000
DEADLINE_S = 20.0
SINE_HZ = 440.5
SINE_STEP = 2 * np.pi * SINE_HZ / RATE_HZ * 0.5 * 2**15 + 1  # of 16-bit samples, rounding included

Samples = NDArray[np.float32]


class PlayerChild:
    """The real player process, spoken to as main does."""

    def __init__(self, channel: FrameSocket, deadline_s: float = DEADLINE_S) -> None:
        self.channel = channel
        self._deadline_s = deadline_s
        self._frames = channel.frames()
        self.heard: list[Message] = []

    def wait_for(self, *kinds: type[Message]) -> Message:
        """The next message of one of these kinds; everything on the way is kept in `heard`."""
        end_s = time.monotonic() + self._deadline_s
        for frame in self._frames:
            if time.monotonic() > end_s:
                raise TimeoutError(f"the player only said {self.heard}")
            if not isinstance(frame.message, Heartbeat):
                self.heard.append(frame.message)
            if isinstance(frame.message, kinds):
                return frame.message
        raise EOFError(f"the player ended; it said {self.heard}")

    def begin(self, job_id: str = "a", rate_hz: int = RATE_HZ) -> None:
        """A new stream."""
        self.channel.send(PlayBegin(job_id=job_id, sample_rate_hz=rate_hz))

    def feed(self, samples: Samples, job_id: str = "a", rate_hz: int = RATE_HZ) -> None:
        """Some of its samples."""
        audio = Audio(job_id=job_id, sample_rate_hz=rate_hz, sentence_index=0)
        self.channel.send(audio, encode_samples(samples))

    def play(self, samples: Samples, job_id: str = "a", rate_hz: int = RATE_HZ) -> None:
        """A whole stream."""
        self.begin(job_id, rate_hz)
        self.feed(samples, job_id, rate_hz)
        self.channel.send(PlayEnd(job_id=job_id))


PlayerFactory = Callable[..., AbstractContextManager[PlayerChild]]


@pytest.fixture(scope="session")
def card() -> Iterator[ClockedSink]:
    """A sound card that keeps time; its recording is bit-exact."""
    with ClockedSink(rate_hz=RATE_HZ) as sink:
        yield sink


@pytest.fixture
def player(card: ClockedSink, monkeypatch: pytest.MonkeyPatch) -> PlayerFactory:
    """`with player(device="clocked") as child`: the player process on the clocked card."""
    for name, value in card.env.items():
        monkeypatch.setenv(name, value)

    @contextmanager
    def start(**audio: object) -> Iterator[PlayerChild]:
        config = Config(audio=AudioConfig.model_validate({"device": "clocked", **audio}))
        with spawned("edged.workers.player", config, DEADLINE_S) as channel:
            yield PlayerChild(channel)

    return start


@pytest.fixture(scope="session")
def fault_shim(tmp_path_factory: pytest.TempPathFactory) -> FaultShim:
    """The compiled LD_PRELOAD library; see alsa_faults.c."""
    return FaultShim(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def faults(fault_shim: FaultShim, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`faults("xrun@3,short@5")`: what befalls the players started from now on."""
    monkeypatch.setenv("LD_PRELOAD", str(fault_shim.library))
    return lambda plan: monkeypatch.setenv("EDGED_FAULTS", plan)


@pytest.fixture
def shim(fault_shim: FaultShim, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultShim]:
    """`shim.begin("away")`: what is wrong from now on with the device of the players started from now on."""
    for name, value in fault_shim.env.items():
        monkeypatch.setenv(name, value)
    yield fault_shim
    fault_shim.end()


def never_silent(seconds: float) -> Samples:
    """Samples of which every one, as a 16-bit integer, is its own index: a gap or a repeat shows.

    Where it begins again the curve through the samples swings over, and is still below the limiter's ceiling.
    """
    ramp = np.arange(round(seconds * RATE_HZ)) % 24000 + 1
    return (ramp / 2.0**15).astype(np.float32)


def sine(seconds: float) -> Samples:
    """A tone at half scale that is in mid-swing at whole half-seconds; no step of it exceeds SINE_STEP."""
    phase = 2 * np.pi * SINE_HZ * np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (0.5 * np.sin(phase)).astype(np.float32)
