"""The Kokoro voice as an engine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from edged.engine.base import EngineInfo, PcmChunk, Samples, SynthJob
from edged.engine.kokoro.acoustic import AcousticModel, Acoustics
from edged.engine.kokoro.generator import Generator
from edged.engine.kokoro.model_files import ModelFiles
from edged.engine.kokoro.phonemes import Phonemizer, split_phonemes
from edged.engine.kokoro.silence import Span, speech_span
from edged.engine.kokoro.source import SAMPLE_RATE_HZ, SAMPLES_PER_PITCH_FRAME
from edged.engine.runtime import CpuSettings
from edged.errors import EngineError
from edged.text.sentence import Lang, Sentence

_log = logging.getLogger(__name__)

_BOUNDARY_TOKEN = 0
_MAX_TOKENS = 510  # of the model, the two boundary tokens not counted
# 12.5 ms frames of speech a phoneme symbol takes at speed 1: 3.9 to 5.2, mean 4.5, over benchmarks/prompts
_FRAMES_PER_SYMBOL = 4.5
_SPLIT_SHARE = 0.6  # the larger piece at most, so that two pieces hold a part with a boundary near its middle
_LEAD_FRAMES, _TAIL_FRAMES = 2, 4  # 25 and 50 ms: soft onsets and the decay of the last sound
_FADE_MS = 5
# Kokoro's own pause at a comma is about this long; heard where a sentence had to be spoken in two parts
_CLAUSE_PAUSE_MS = 150
_WARM_UP: dict[Lang, str] = {"zh": "你好", "en": "hello"}


class KokoroEngine:
    """Implements edged.engine.base.Engine. Raises ModelUnavailableError for a folder that is no model."""

    def __init__(self, model_dir: Path, *, threads: int, cache_dir: Path | None, pin: bool = False) -> None:
        self._files = ModelFiles(model_dir)
        self._settings = CpuSettings(threads, pin, cache_dir)
        self._phonemizer = Phonemizer(model_dir)
        self._networks: tuple[AcousticModel, Generator] | None = None
        self._info = EngineInfo(
            name="kokoro",
            sample_rate_hz=self._files.spec.sample_rate_hz,
            voices=self._files.voices,
        )

    @property
    def info(self) -> EngineInfo:
        return self._info

    def warm_up(self) -> None:
        """Compile the networks, load both languages' phonemes, and speak one word in each."""
        sentences = tuple(Sentence(lang, word, 0) for lang, word in _WARM_UP.items())
        voices = {lang: self._info.default_voice(lang) for lang in _WARM_UP}
        for _ in self.synthesize(SynthJob("warm-up", sentences, voices)):
            pass

    def set_threads(self, threads: int) -> None:
        if threads != self._settings.threads:
            self._settings = replace(self._settings, threads=threads)
            self._networks = None

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        for index, sentence in enumerate(job.sentences):
            voice = job.voices[sentence.lang]
            for samples in self._speak(sentence, voice, job.speed):
                yield PcmChunk(samples, self._info.sample_rate_hz, index)

    def close(self) -> None:
        self._networks = None

    def speak_phonemes(self, phonemes: str, voice: str, speed: float = 1.0) -> Iterator[Samples]:
        """Speak a string in Kokoro's alphabet, in as many parts as its length needs, pauses between them."""
        acoustic, generator = self._compiled()
        pack = self._files.style_pack(voice)
        limit = int(generator.longest / _FRAMES_PER_SYMBOL * speed)
        waiting = split_phonemes(phonemes, min(max(limit, 1), _MAX_TOKENS))
        while waiting:
            part = waiting.pop(0)
            tokens = self._tokens(part)
            if not tokens:
                continue
            style = np.asarray(pack[len(tokens) - 1])
            acoustics = acoustic([_BOUNDARY_TOKEN, *tokens, _BOUNDARY_TOKEN], style, speed)
            span = speech_span(acoustics.energy)
            if span.frames > generator.longest:
                waiting[:0] = _halves(part)
                continue
            samples = _generate(generator, acoustics, span, style)
            yield np.concatenate([samples, self._silence(_CLAUSE_PAUSE_MS)]) if waiting else samples

    def _speak(self, sentence: Sentence, voice: str, speed: float) -> Iterator[Samples]:
        yield from self.speak_phonemes(self._phonemizer.phonemes(sentence), voice, speed)
        if sentence.pause_ms:
            yield self._silence(sentence.pause_ms)

    def _compiled(self) -> tuple[AcousticModel, Generator]:
        if self._networks is None:
            self._networks = (
                AcousticModel(self._files, self._settings),
                Generator(self._files, self._settings),
            )
        return self._networks

    def _tokens(self, phonemes: str) -> list[int]:
        vocabulary = self._files.vocabulary
        unknown = sorted({symbol for symbol in phonemes if symbol not in vocabulary})
        if unknown:
            _log.warning("kokoro cannot speak the symbols %s: left out", " ".join(unknown))
        return [vocabulary[symbol] for symbol in phonemes if symbol in vocabulary]

    def _silence(self, duration_ms: int) -> Samples:
        return np.zeros(self._info.sample_rate_hz * duration_ms // 1000, np.float32)


def _halves(part: str) -> list[str]:
    """A part that turned out too long, cut near its middle."""
    if len(part) == 1:
        raise EngineError(f"the sound {part!r} alone is too long to speak", "a speed nearer to 1")
    return split_phonemes(part, max(int(len(part) * _SPLIT_SHARE), 1))


def _generate(generator: Generator, acoustics: Acoustics, span: Span, style: Samples) -> Samples:
    """The samples of a span, the margins around the speech cut short and faded."""
    frames = slice(span.start, span.stop)
    samples = generator(acoustics.features[:, frames], acoustics.pitch_hz[frames], style, span.weights())
    start = max(span.speech_start - _LEAD_FRAMES, span.start) - span.start
    stop = min(span.speech_stop + _TAIL_FRAMES, span.stop) - span.start
    speech = samples[start * SAMPLES_PER_PITCH_FRAME : stop * SAMPLES_PER_PITCH_FRAME].copy()
    return _faded(speech, SAMPLE_RATE_HZ * _FADE_MS // 1000)


def _faded(samples: Samples, length: int) -> Samples:
    """Fade in and out, in place: no click where silence was cut."""
    length = min(length, len(samples))
    ramp = np.linspace(0, 1, length, dtype=np.float32)
    samples[:length] *= ramp
    samples[len(samples) - length :] *= ramp[::-1]
    return samples
