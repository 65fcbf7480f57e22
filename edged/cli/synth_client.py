"""Drives a synth process from the command line, without the daemon."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from edged.audio.chime import NONE
from edged.config.schema import Config, EngineName, LogConfig
from edged.engine.base import Samples, SpeechOptions
from edged.errors import EngineError, UnknownVoiceError, error_for
from edged.text.content import Reading, Words
from edged.workers.child import spawned
from edged.workers.frames import Frame, FrameSocket
from edged.workers.messages import (
    Audio,
    Heartbeat,
    Planned,
    Played,
    Speak,
    SynthEnd,
    SynthFailed,
    SynthReady,
    SynthUnavailable,
)

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
# compiling the voice for the first time takes a minute on the slowest board we know
_SILENT_S = 300.0
_MODEL_DEFAULTS = SpeechOptions()


@dataclass(frozen=True, slots=True)
class Tones:
    """Chimes around the words; a `chime` of None is the configured one."""

    chime: str | None = NONE
    chime_end: str = NONE


_NO_TONES = Tones()


@dataclass(frozen=True, slots=True)
class SpokenChunk:
    """Mono float32 samples [n] at the synth's rate."""

    samples: Samples
    sample_rate_hz: int


class SynthClient:
    """A loaded synth process; use `open_synth`."""

    def __init__(self, channel: FrameSocket) -> None:
        self._channel = channel
        self._frames = (f for f in channel.frames() if not isinstance(f.message, Heartbeat))
        self._job_numbers = itertools.count(1)
        self.ready = self._wait_ready()

    def speak(
        self,
        text: str,
        lang: Reading,
        voice: str | None,
        options: SpeechOptions = _MODEL_DEFAULTS,
        tones: Tones = _NO_TONES,
    ) -> Iterator[SpokenChunk | Planned | SynthEnd]:
        """Planned, then chunks as they are synthesised, then SynthEnd.

        Raises UnknownVoiceError at once, the synth's own error from the iterator.
        """
        for name in (voice, options.speaker):
            self._refuse_unknown_voice(name)
        return self._stream(text, lang, voice, options, tones)

    def _stream(
        self, text: str, lang: Reading, voice: str | None, options: SpeechOptions, tones: Tones
    ) -> Iterator[SpokenChunk | Planned | SynthEnd]:
        job_id = f"cli-{next(self._job_numbers)}"
        # lone surrogates cannot travel as JSON; what stands for them is skipped with a warning
        sendable = text.encode("utf-8", "replace").decode()
        self._channel.send(
            Speak(
                job_id=job_id,
                pieces=(Words(sendable, lang),),
                voice=voice,
                options=options,
                chime=tones.chime,
                chime_end=tones.chime_end,
                cache="bypass",  # this is to hear, or to measure, what the engine does
            )
        )
        audio_ms = 0.0
        while True:
            frame = self._next()
            match frame.message:
                case Planned() as planned:
                    yield planned
                case Audio(sample_rate_hz=rate_hz):
                    samples = frame.samples()
                    yield SpokenChunk(samples, rate_hz)
                    # whoever takes the chunk has room for it: synthesis is never held back here
                    audio_ms += len(samples) / rate_hz * 1000
                    self._channel.send(Played(job_id=job_id, played_ms=audio_ms))
                case SynthEnd() as end:
                    yield end
                    return
                case SynthFailed(code=code, what=what):
                    raise error_for(code, what)

    def _wait_ready(self) -> SynthReady:
        message = self._next().message
        match message:
            case SynthReady():
                return message
            case SynthUnavailable(code=code, what=what, hint=hint):
                raise error_for(code, what, hint)
        raise EngineError(f"synth said {message.type} before it was ready")

    def _next(self) -> Frame:
        try:
            frame = next(self._frames, None)
        except TimeoutError as error:
            raise EngineError(f"the synth process has been silent for {_SILENT_S:.0f} s") from error
        except ConnectionError:
            frame = None
        if frame is None:
            raise _gone()
        return frame

    def _refuse_unknown_voice(self, voice: str | None) -> None:
        known = [v.name for v in self.ready.voices]
        if voice is not None and voice.lower() not in map(str.lower, known):
            raise UnknownVoiceError(f"no voice {voice!r}", f"one of: {', '.join(known)}")


def _gone() -> EngineError:
    return EngineError("the synth process ended unexpectedly", "its last words above; edged doctor")


@contextlib.contextmanager
def open_synth(config: Config) -> Iterator[SynthClient]:
    """Start a synth process, wait until it is warm, end it afterwards; only its warnings are shown."""
    quiet = config.model_copy(update={"log": LogConfig(level="warning")})
    try:
        with spawned("edged.workers.synth", quiet, _SILENT_S) as channel:
            yield SynthClient(channel)
    except ConnectionError as error:
        raise _gone() from error


def engine_options(function: Decorated) -> Decorated:
    """--engine and --model, for the verbs that load an engine."""
    engine = click.option(
        "--engine", type=click.Choice(get_args(EngineName)), help="Engine [default: configured]."
    )
    model = click.option(
        "--model",
        type=click.Path(path_type=Path, file_okay=False),
        help="Model folder [default: the active one].",
    )
    return engine(model(function))


def with_engine(config: Config, engine: str | None, model: Path | None) -> Config:
    """The configuration with the engine options of the command line; another engine has another model."""
    speech = config.speech
    chosen = engine or speech.engine
    own_model = speech.model if chosen == speech.engine else None
    update = {"engine": chosen, "model": model or own_model}
    return config.model_copy(update={"speech": speech.model_copy(update=update)})
