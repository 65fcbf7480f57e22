"""The parts of edged's engine between a text and its samples, put together for the parity tests."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np

from edged.engine.qwen3.engine import load_networks
from edged.engine.qwen3.generate import Codes, Drawing, Floats, TalkerNetwork, frames
from edged.engine.qwen3.model_files import CODEC_EMBEDDING_FILE, TEXT_TABLE_FILE, VOICES_FOLDER, ModelFiles
from edged.engine.qwen3.prompt import Prompt, PromptBuilder
from edged.engine.qwen3.sampler import Code0Sampler, Code0Sampling, gumbel
from edged.engine.qwen3.text_table import TextTable
from edged.engine.qwen3.tokenizer import Tokenizer
from edged.engine.runtime import CpuSettings
from tests.parity.cases import CASES, Case


def write_voices(model: Path, checkpoint: str) -> None:
    """Put the x-vectors of the cases where a Base model's user puts them."""
    (model / VOICES_FOLDER).mkdir()
    hidden_size = np.load(model / CODEC_EMBEDDING_FILE, mmap_mode="r").shape[1]
    for case in CASES:
        x_vector = case.x_vector(hidden_size)
        if case.checkpoint == checkpoint and x_vector is not None:
            np.save(model / VOICES_FOLDER / f"{_voice(case)}.npy", x_vector)


def _voice(case: Case) -> str:
    return f"voice-{case.voice_seed}"


class _Heard:
    """A talker whose hidden states are kept."""

    def __init__(self, talker: TalkerNetwork) -> None:
        self._talker = talker
        self.hidden: list[Floats] = []

    def reset(self) -> None:
        self._talker.reset()

    def __call__(self, embeds: Floats, /) -> tuple[Floats, Floats]:
        logits, hidden = self._talker(embeds)
        self.hidden.append(hidden)
        return logits, hidden


class Speech:
    """A model folder, loaded. `networks` has talker, predictor and vocoder."""

    def __init__(self, model: Path) -> None:
        self._files = files = ModelFiles(model)
        self._sampling = files.sampling
        self._talker = files.config.talker_config
        self._codec_embedding = files.codec_embedding()
        self._prompts = PromptBuilder(
            files.config,
            Tokenizer(model, files.config),
            TextTable(files.path(TEXT_TABLE_FILE)),
            self._codec_embedding,
        )
        self.networks = load_networks(files, CpuSettings(threads=1))

    def prompt(self, case: Case) -> Prompt:
        """What the talker is fed."""
        return self._prompts.build(
            case.text,
            language=case.language,
            speaker=case.speaker,
            x_vector=None if case.voice_seed is None else self._files.x_vector(_voice(case)),
            instruct=case.instruct,
            streaming_text=case.streaming_text,
        )

    def speak(self, case: Case, most: int) -> tuple[Codes, Floats]:
        """Codes [n, 16] and the talker's hidden states before them [n, H], of up to `most` frames."""
        talker = _Heard(self.networks.talker)
        codes = frames(
            talker,
            self.networks.predictor,
            self._codec_embedding,
            self.prompt(case),
            self._drawing(do_sample=case.noise_seed is not None),
            np.random.default_rng(case.noise_seed),
        )
        spoken = list(islice(codes, most))
        return np.array(spoken), np.array(talker.hidden[: len(spoken)])

    def _drawing(self, *, do_sample: bool) -> Drawing:
        talker, defaults = self._talker, self._sampling
        sampling = Code0Sampling(
            do_sample, defaults.temperature, defaults.top_k, defaults.top_p, defaults.repetition_penalty
        )
        shape = (talker.num_code_groups - 1, talker.code_predictor_config.vocab_size)
        scale = np.float32(defaults.subtalker_temperature if do_sample else 0)
        return Drawing(
            Code0Sampler(sampling, vocab_size=talker.vocab_size, eos=talker.codec_eos_token_id),
            lambda rng: scale * gumbel(rng, shape),
            talker.codec_eos_token_id,
        )
