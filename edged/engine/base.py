"""The one protocol every speech engine speaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from edged.text.sentence import Lang, Sentence

if TYPE_CHECKING:  # main knows an engine's options but never looks at samples: 14 MB less without numpy
    import numpy as np
    from numpy.typing import NDArray

Samples: TypeAlias = "NDArray[np.float32]"
CacheUse = Literal["use", "bypass", "pin"]
CacheAnswer = Literal["hit", "miss"]


@dataclass(frozen=True, slots=True)
class VoiceInfo:
    """A voice an engine can speak with; `langs` lists the languages it was made for.

    `sha256` is that of what makes the voice, where it is no part of the model.
    """

    name: str
    langs: tuple[Lang, ...]
    description: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an engine is: name, output rate and voices (a language's first voice is its default).

    `options` names what it has a use for: `speed`, and fields of SpeechOptions.
    """

    name: str
    sample_rate_hz: int
    voices: tuple[VoiceInfo, ...]
    options: frozenset[str] = frozenset({"speed"})

    def default_voice(self, lang: Lang) -> str:
        """The first voice made for `lang`, else the first voice."""
        return next((v.name for v in self.voices if lang in v.langs), self.voices[0].name)


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """How a generative engine is to speak; None leaves it to the model's own default.

    `speaker`, `language` and `dialect` are the model's names, `instruct` describes the manner in words,
    `seed` makes the same request sound the same, `max_seconds` bounds the speech of one sentence.
    """

    speaker: str | None = None
    language: str | None = None
    dialect: str | None = None
    instruct: str | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    max_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class SynthJob:
    """One announcement to synthesise.

    `voices` maps a sentence's language to a voice of the engine (already checked); `speed` 1.0 is the
    voice's own pace, 2.0 twice as fast. An engine that has no use for an option ignores it. `cache` is for
    the phrase cache (engine/cache.py): `bypass` synthesises anew and keeps nothing, `pin` keeps for good.
    """

    job_id: str
    sentences: tuple[Sentence, ...]
    voices: dict[Lang, str]
    speed: float = 1.0
    options: SpeechOptions = SpeechOptions()
    cache: CacheUse = "use"


@dataclass(frozen=True, slots=True)
class PcmChunk:
    """A run of mono samples, float32 in [-1, 1], shape [n], of one sentence of the job.

    `cache`: it came from the phrase cache, or it could have; None where there is nothing to be kept.
    """

    samples: Samples
    sample_rate_hz: int
    sentence_index: int
    cache: CacheAnswer | None = None


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
