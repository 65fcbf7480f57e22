"""Qwen3-TTS as an engine."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from edged.engine.base import EngineInfo, PcmChunk, Samples, SynthJob
from edged.engine.huge_pages import use_huge_pages
from edged.engine.memory import release
from edged.engine.qwen3.config import ModelConfig, Sampling
from edged.engine.qwen3.generate import Codes, Drawing, PredictorNetwork, Rng, TalkerNetwork, frames
from edged.engine.qwen3.model_files import PREDICTOR_FILE, TALKER_FILE, TEXT_TABLE_FILE, ModelFiles
from edged.engine.qwen3.options import SpeechSettings, resolve
from edged.engine.qwen3.overlap import VocoderNetwork, decoded, decoded_in_turn
from edged.engine.qwen3.parts import parts
from edged.engine.qwen3.pieces import InPieces
from edged.engine.qwen3.predictor import Predictor
from edged.engine.qwen3.prompt import Prompt, PromptBuilder
from edged.engine.qwen3.runaway import Guard, Limits
from edged.engine.qwen3.sampler import Code0Sampler, gumbel
from edged.engine.qwen3.talker import Talker
from edged.engine.qwen3.text_table import TextTable
from edged.engine.qwen3.tokenizer import Tokenizer
from edged.engine.qwen3.vocoder import FEATURES_FILE, WAVEFORM_FILE, Vocoder
from edged.engine.runtime import CpuSettings, read_model
from edged.errors import RunawayError
from edged.text import homophones
from edged.text.sentence import Sentence

_log = logging.getLogger(__name__)

_ATTEMPTS = 2
_AGAIN_PAUSE_MS = 400  # heard between words that went wrong and the sentence said again
_OVERLAP_THREADS = 3  # with fewer the networks are in each other's way (overlap.py)
_WARM_UP_FRAMES = 16  # every chunk length once
_OPTIONS = frozenset(
    {"language", "dialect", "temperature", "top_k", "top_p", "repetition_penalty", "seed", "max_seconds"}
)


@dataclass(frozen=True, slots=True)
class Networks:
    """What an utterance goes through."""

    talker: TalkerNetwork
    predictor: PredictorNetwork
    vocoder: VocoderNetwork


def load_networks(files: ModelFiles, settings: CpuSettings) -> Networks:
    """Compile the networks of a model folder."""
    return Networks(
        InPieces(Talker(read_model(files.path(TALKER_FILE)), settings)),
        Predictor(read_model(files.path(PREDICTOR_FILE)), settings),
        Vocoder(read_model(files.path(FEATURES_FILE)), read_model(files.path(WAVEFORM_FILE)), settings),
    )


class Qwen3Engine:
    """Implements edged.engine.base.Engine. Raises ModelUnavailableError for a folder that is no model.

    A job with a seed sounds the same each time, on the same CPU: sentence i of it draws from a generator made
    of (seed, i). Without one the engine picks a seed and logs it.

    A generation that goes astray (runaway.py) is tried once more with another draw, then it is a
    RunawayError. What was already given out cannot be taken back: after a pause the sentence is said again
    from its beginning, as somebody who lost the thread would.
    """

    def __init__(
        self,
        model_dir: Path,
        *,
        threads: int,
        cache_dir: Path | None,
        pin: bool = False,
        voices_dir: Path | None = None,
    ) -> None:
        self._files = files = ModelFiles(model_dir, voices_dir)
        self._settings = CpuSettings(threads, pin, cache_dir)
        self._codec_embedding = files.codec_embedding()
        self._prompts = PromptBuilder(
            files.config,
            Tokenizer(model_dir, files.config),
            TextTable(files.path(TEXT_TABLE_FILE)),
            self._codec_embedding,
        )
        self._networks: Networks | None = None
        self._info = EngineInfo("qwen3", files.spec.sample_rate_hz, files.voices, _options(files.config))

    @property
    def info(self) -> EngineInfo:
        return self._info

    @property
    def config(self) -> ModelConfig:
        """Shapes and ids of the model."""
        return self._files.config

    def warm_up(self) -> None:
        """Compile the networks and run each once; nothing is spoken."""
        sentence = Sentence("zh", "你好", 0)
        job = SynthJob("warm-up", (sentence,), {"zh": self._info.default_voice("zh")})
        settings = self._speech_settings(job, sentence)
        codes = self._frames(sentence.spoken, settings, np.random.default_rng(0))
        for _ in self._decoded(islice(codes, _WARM_UP_FRAMES)):
            pass
        use_huge_pages()
        self._release()

    def set_threads(self, threads: int) -> None:
        """The networks are compiled again, which takes seconds, fewer with a compile cache."""
        if threads != self._settings.threads:
            self._settings = replace(self._settings, threads=threads)
            self._networks = None
            self.warm_up()

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        # all of them first: a bad option is reported before the first sample
        settings = [self._speech_settings(job, sentence) for sentence in job.sentences]
        seed = secrets.randbits(32) if job.options.seed is None else job.options.seed
        _log.info("job %s: seed %d", job.job_id, seed)
        try:
            for index, sentence in enumerate(job.sentences):
                with closing(self._sentence(sentence, settings[index], (seed, index))) as speech:
                    for samples in speech:
                        yield PcmChunk(samples, self._info.sample_rate_hz, index)
        finally:
            self._release()

    def close(self) -> None:
        self._networks = None

    def networks(self) -> Networks:
        """The networks as they speak; compiled by the first call."""
        if self._networks is None:
            self._networks = load_networks(self._files, self._settings)
        return self._networks

    def _release(self) -> None:
        """Rows of the tables that were read are mapped again: 80 MB by the end of a few sentences."""
        cache_dir = self._settings.cache_dir
        release(self._files.folder, *([cache_dir] if cache_dir else []))

    def _sentence(
        self, sentence: Sentence, settings: SpeechSettings, seeds: tuple[int, ...]
    ) -> Generator[Samples]:
        frames_left = settings.max_frames
        for index, spoken in enumerate(parts(_respelt(sentence))):
            if frames_left:
                part_settings = replace(settings, max_frames=frames_left)
                frames_left -= yield from self._part(spoken, part_settings, (*seeds, index))
        if sentence.pause_ms:
            yield self._silence(sentence.pause_ms)

    def _part(
        self, spoken: str, settings: SpeechSettings, seeds: tuple[int, ...]
    ) -> Generator[Samples, None, int]:
        """One utterance, said again when it went astray. Returns how many frames were given out."""
        frames_left = settings.max_frames
        for attempt in range(_ATTEMPTS):
            guard = Guard(Limits.of_text(spoken))
            bounded = replace(settings, max_frames=frames_left)
            try:
                yield from self._utter(spoken, bounded, guard, np.random.default_rng([*seeds, attempt]))
                frames_left -= guard.frames_heard
                break
            except RunawayError as error:
                if attempt + 1 == _ATTEMPTS:
                    raise
                _log.warning("%r: %s; once more with another draw", spoken, error.what)
            frames_left -= guard.frames_heard
            if frames_left <= 0:
                break
            yield self._silence(_AGAIN_PAUSE_MS)
        return settings.max_frames - frames_left

    def _utter(self, spoken: str, settings: SpeechSettings, guard: Guard, rng: Rng) -> Generator[Samples]:
        codes = guard.watch(self._frames(spoken, settings, rng))
        # whoever bounds the speech wants what fits: that is no fault
        with closing(self._decoded(islice(codes, settings.max_frames))) as chunks:
            for samples, count in chunks:
                guard.hear(samples, count)
                yield samples

    def _decoded(self, codes: Iterator[Codes]) -> Generator[tuple[Samples, int]]:
        how = decoded if self._settings.threads >= _OVERLAP_THREADS else decoded_in_turn
        return how(codes, self.networks().vocoder)

    def _frames(self, spoken: str, settings: SpeechSettings, rng: Rng) -> Iterator[Codes]:
        networks = self.networks()
        drawing = _drawing(self._files.config, self._files.sampling, settings)
        prompt = self._prompt(spoken, settings)
        return frames(networks.talker, networks.predictor, self._codec_embedding, prompt, drawing, rng)

    def _prompt(self, spoken: str, settings: SpeechSettings) -> Prompt:
        kind = self._files.config.tts_model_type
        return self._prompts.build(
            spoken,
            language=settings.language,
            speaker=settings.voice if kind == "custom_voice" else None,
            x_vector=self._files.x_vector(settings.voice) if kind == "base" else None,
            instruct=settings.instruct,
            streaming_text=settings.streaming_text,
        )

    def _speech_settings(self, job: SynthJob, sentence: Sentence) -> SpeechSettings:
        resolved = resolve(
            job.options,
            voice=job.voices[sentence.lang],
            lang=sentence.lang,
            config=self._files.config,
            defaults=self._files.sampling,
            voices=[voice.name for voice in self._info.voices],
        )
        for warning in resolved.warnings:
            _log.warning("job %s: %s", job.job_id, warning)
        return resolved.settings

    def _silence(self, duration_ms: int) -> Samples:
        return np.zeros(self._info.sample_rate_hz * duration_ms // 1000, np.float32)


def _respelt(sentence: Sentence) -> str:
    """What the talker reads: it knows characters, not pinyin."""
    respelt = homophones.respelt(sentence)
    if respelt.left:
        _log.info(
            "%r: no homophone for %s; read as the voice knows it", sentence.spoken, ", ".join(respelt.left)
        )
    return respelt.spoken


def _drawing(config: ModelConfig, sampling: Sampling, settings: SpeechSettings) -> Drawing:
    talker = config.talker_config
    shape = (talker.num_code_groups - 1, talker.code_predictor_config.vocab_size)
    # a temperature of zero: the largest logit, whatever is drawn
    scale = np.float32(sampling.subtalker_temperature if sampling.subtalker_dosample else 0)
    sampler = Code0Sampler(settings.code0, vocab_size=talker.vocab_size, eos=talker.codec_eos_token_id)
    return Drawing(sampler, lambda rng: scale * gumbel(rng, shape), talker.codec_eos_token_id)


def _options(config: ModelConfig) -> frozenset[str]:
    """What this model has a use for; 0.6B models were not trained to follow instructions."""
    match config.tts_model_type:
        case "voice_design":
            return _OPTIONS | {"instruct"}
        case "custom_voice":
            return _OPTIONS | {"speaker"} | ({"instruct"} if config.tts_model_size != "0b6" else set())
        case "base":
            return _OPTIONS | {"speaker"}
