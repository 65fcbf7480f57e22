"""What edged and the reference both speak: checkpoints, requests, windows of codes, sampler settings.

Shared by `tests/reference/make_golden.py`, which runs the reference on them, and the parity tests, which run
edged. Imports nothing that only one of the two environments has.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path

import numpy as np
import safetensors
from numpy.typing import NDArray

from tests.fakes.qwen3_checkpoint import Dtype, write_tiny_checkpoint

SAMPLE_STRIDE = 7  # shares no factor with the 1920 samples of a frame: every phase is kept in a few frames
HIDDEN_STRIDE = 8  # frames between two hidden states that are kept
NEAR_TIE = 1e-4  # logits closer than this are told apart by rounding, which differs between CPUs


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A tiny checkpoint with random weights."""

    model_type: str
    wide_talker: bool = False
    dtype: Dtype = "float32"

    def write(self, folder: Path, seed: int) -> Path:
        """Write it with the weights of `seed`."""
        return write_tiny_checkpoint(
            folder, self.model_type, wide_talker=self.wide_talker, seed=seed, dtype=self.dtype
        )


@dataclass(frozen=True, slots=True)
class Case:
    """One utterance: greedy unless `noise_seed` draws it; `voice_seed` draws the x-vector of a Base model."""

    name: str
    checkpoint: str
    text: str
    language: str = "auto"
    speaker: str | None = None
    instruct: str | None = None
    voice_seed: int | None = None
    streaming_text: bool = False
    noise_seed: int | None = None

    def x_vector(self, size: int) -> NDArray[np.float32] | None:
        """The speaker embedding [size], if the case has one."""
        if self.voice_seed is None:
            return None
        return np.random.default_rng(self.voice_seed).standard_normal(size, np.float32)

    def rng(self) -> np.random.Generator | None:
        """Where the noise of the draws comes from; None: greedy."""
        return None if self.noise_seed is None else np.random.default_rng(self.noise_seed)


@dataclass(frozen=True, slots=True)
class Draws:
    """Settings under which a run of codes 0 is drawn, as in an utterance: each counts as said in the next."""

    temperature: float = 0.9
    top_k: int = 50
    top_p: float = 1.0
    repetition_penalty: float = 1.05

    def logits(self, vocab_size: int, eos: int) -> NDArray[np.float32]:
        """Logits [draws, vocab]: alike from draw to draw, so that codes repeat; the last one is `eos`."""
        rng = np.random.default_rng(DRAWS.index(self))
        logits = rng.standard_normal((DRAWS_EACH, vocab_size), np.float32)
        logits += 3 * rng.standard_normal(vocab_size, np.float32)
        logits[:, eos] = -30
        logits[[0, 1, -1], eos] = 30  # not allowed as early as in the first two draws
        return logits

    def rng(self) -> np.random.Generator:
        """Where the noise of the draws comes from."""
        return np.random.default_rng([DRAWS.index(self), 1])


CHECKPOINTS = {
    "custom_voice": Checkpoint("custom_voice"),
    "base": Checkpoint("base", dtype="bfloat16"),  # as published
    "voice_design": Checkpoint("voice_design", wide_talker=True),
}

_ZH = "尊敬的乘客，开往上海虹桥的G1234次列车即将检票，请到3号检票口。"
_EN = "Gate 42 is now open. Please have the QR code ready, the train leaves at 09:15."
_MIXED = "请在 Gate 7 扫描 QR code，谢谢！Thank you."
_SHORT = "好"


def _in_both_text_modes(case: Case) -> tuple[Case, Case]:
    return case, replace(case, name=f"{case.name}-streamed", streaming_text=True)


CASES = tuple(
    chain.from_iterable(
        _in_both_text_modes(case)
        for case in (
            Case("speaker", "custom_voice", _ZH, speaker="serena"),
            Case("speaker-english", "custom_voice", _EN, speaker="ryan", language="english"),
            Case("speaker-korean", "custom_voice", _SHORT, speaker="Ono_Anna", language="Korean"),
            Case("dialect-auto", "custom_voice", _MIXED, speaker="eric"),
            Case("dialect-chinese", "custom_voice", _MIXED, speaker="dylan", language="chinese"),
            Case("dialect-unused", "custom_voice", _EN, speaker="dylan", language="japanese"),
            Case("speaker-instruct", "custom_voice", _MIXED, speaker="vivian", instruct="用愤怒的语气说"),
            Case("speaker-drawn", "custom_voice", _ZH, speaker="uncle_fu", noise_seed=1),
            Case("x-vector", "base", _MIXED, voice_seed=1),
            Case("x-vector-chinese", "base", _ZH, voice_seed=2, language="chinese"),
            Case("x-vector-german", "base", _EN, voice_seed=3, language="german"),
            Case("x-vector-drawn", "base", _EN, voice_seed=4, noise_seed=2),
            Case("design", "voice_design", _EN, instruct="年轻活泼的女声"),
            Case("design-chinese", "voice_design", _ZH, instruct="A calm old man.", language="chinese"),
            Case("design-english", "voice_design", _EN, instruct="Nervous.", language="english"),
            Case("design-plain", "voice_design", _MIXED, language="french"),
            Case("design-drawn", "voice_design", _MIXED, instruct="Whispering.", noise_seed=3),
        )
    )
)

WINDOWS = (1, 9, 24, 50)  # frames: a start, then more than one and more than a few attention windows of 6
DRAWS = (
    Draws(),
    Draws(temperature=0.3, top_k=5),
    Draws(temperature=1.7, top_k=0, top_p=0.8),
    Draws(top_k=20, top_p=0.5, repetition_penalty=1.5),
    Draws(top_k=1, repetition_penalty=1.2),
    Draws(top_k=0, top_p=0.01, repetition_penalty=1.0),
    Draws(top_k=0, repetition_penalty=0.8),
)
DRAWS_EACH = 200


def codes_window(frames: int) -> NDArray[np.int64]:
    """The codes [frames, 16] of a window."""
    return np.random.default_rng(frames).integers(0, 2048, (frames, 16))


def fingerprint(checkpoint: Path) -> str:
    """SHA-256 of what a checkpoint says: names and values of its tensors, and its other files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in checkpoint.rglob("*") if path.is_file()):
        digest.update(path.relative_to(checkpoint).as_posix().encode())
        if path.suffix != ".safetensors":
            digest.update(path.read_bytes())
            continue
        # the order and the header of the file are its writer's affair
        tensors = safetensors.deserialize(path.read_bytes())  # type: ignore[no-untyped-call]
        for name, tensor in sorted(tensors, key=itemgetter(0)):
            digest.update(f"{name} {tensor['dtype']} {tensor['shape']}".encode())
            digest.update(tensor["data"])
    return digest.hexdigest()
