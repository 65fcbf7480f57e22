"""The one protocol every speech engine speaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edged.text.sentence import Lang, Sentence

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VoiceInfo:
    """A voice an engine can speak with; `langs` lists the languages it was made for."""

    name: str
    langs: tuple[Lang, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an engine is: name, output rate and voices (a language's first voice is its default)."""

    name: str
    sample_rate_hz: int
    voices: tuple[VoiceInfo, ...]

    def default_voice(self, lang: Lang) -> str:
        """The first voice made for `lang`, else the first voice."""
        return next((v.name for v in self.voices if lang in v.langs), self.voices[0].name)


@dataclass(frozen=True, slots=True)
class SynthJob:
    """One announcement to synthesise.

    `voices` maps a sentence's language to a voice of the engine (already checked); `speed` 1.0 is the
    voice's own pace, 2.0 twice as fast.
    """

    job_id: str
    sentences: tuple[Sentence, ...]
    voices: dict[Lang, str]
    speed: float = 1.0


@dataclass(frozen=True, slots=True)
class PcmChunk:
    """A run of mono samples, float32 in [-1, 1], shape [n], of one sentence of the job."""

    samples: Samples
    sample_rate_hz: int
    sentence_index: int


class Engine(Protocol):
    """A speech engine.

    Not thread-safe: one thread owns it. `synthesize` yields chunks in order and returns at the end of
    speech; the caller cancels by closing the iterator. Failures are raised as EdgedError, never as a
    short stream.
    """

    @property
    def info(self) -> EngineInfo: ...

    def warm_up(self) -> None:
        """Compile and run what the first request would otherwise wait for."""

    def set_threads(self, threads: int) -> None:
        """Use this many CPU threads from the next sentence on."""

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        """Speak the job's sentences, silence of `pause_ms` after each included."""

    def close(self) -> None:
        """Free every native object; the engine is not used afterwards."""
