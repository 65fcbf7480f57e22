"""Stand-ins for the compiled networks of Qwen3-TTS, scripted frame by frame."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from edged.engine.base import Samples
from edged.engine.qwen3.generate import Codes, Drawing, Floats

# as the tiny checkpoints have them
HIDDEN, VOCABULARY, EOS, GROUPS = 64, 3072, 2150, 16
SAMPLES_PER_FRAME = 1920

Script = Callable[[int], int]
GREEDY = Drawing(
    lambda logits, rng: int(np.argmax(logits)), lambda rng: np.zeros((GROUPS - 1, 8), np.float32), EOS
)


def never_ending(frame: int) -> int:
    """Another code for each frame, and never the end."""
    return frame * 7 % 2048


def ending_after(*lengths: int) -> Callable[[int, int], int]:
    """Utterance i ends after lengths[i] frames, the last length holds for all that follow."""

    def code(utterance: int, frame: int) -> int:
        length = lengths[min(utterance, len(lengths) - 1)]
        return never_ending(frame) if frame < length else EOS

    return code


@dataclass(slots=True)
class FakeTalker:
    """Logits whose largest is what `script(utterance, frame)` says; remembers what it was given."""

    script: Callable[[int, int], int]
    given: list[Floats] = field(default_factory=list)
    utterances: int = 0
    steps: int = 0

    def reset(self) -> None:
        self.utterances += 1
        self.given.clear()

    def __call__(self, embeds: Floats) -> tuple[Floats, Floats]:
        self.given.append(embeds)
        # several rows are the prompt or a piece of it
        self.steps = self.steps + 1 if len(embeds) == 1 else 0
        logits = np.zeros(VOCABULARY, np.float32)
        logits[self.script(self.utterances - 1, self.steps)] = 1
        return logits, np.full(HIDDEN, self.steps + 1, np.float32)


@dataclass(slots=True)
class FakePredictor:
    """Codes 1, 2, 3... whatever it is given; the sum of embeddings is that of code 0 plus `hidden`."""

    given: list[tuple[Floats, Floats, Floats]] = field(default_factory=list)

    def __call__(self, hidden: Floats, code0_embedding: Floats, noise: Floats) -> tuple[Codes, Floats]:
        self.given.append((hidden, code0_embedding, noise))
        return np.arange(1, GROUPS), code0_embedding + hidden


@dataclass(slots=True)
class FakeVocoder:
    """Samples of a frame are its code 0 scaled, from frame `silent_from` on zeros.

    `gate` holds every call back until it is set; `fails_at` is the call that raises.
    """

    silent_from: int | None = None
    fails_at: int | None = None
    gate: threading.Event | None = None
    chunks: list[int] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)

    def reset(self) -> None:
        self.chunks.clear()

    def __call__(self, codes: Codes) -> Samples:
        if self.gate is not None:
            self.gate.wait()
        self.threads.add(threading.current_thread().name)
        if self.fails_at == len(self.chunks):
            raise RuntimeError("the vocoder broke")
        first = sum(self.chunks)
        self.chunks.append(len(codes))
        return np.concatenate([self._frame(first + index, int(row[0])) for index, row in enumerate(codes)])

    def _frame(self, frame: int, code0: int) -> Samples:
        silent = self.silent_from is not None and frame >= self.silent_from
        return np.full(SAMPLES_PER_FRAME, 0.0 if silent else sample_of(code0), np.float32)


def sample_of(code0: int) -> float:
    """What FakeVocoder makes of a code: never silence, always within full scale."""
    return float(np.float32(0.1 + code0 / 4096))


def coded(codes0: Sequence[int]) -> list[Codes]:
    """Frames of codes with these codes 0."""
    return [np.array([code0, *range(1, GROUPS)]) for code0 in codes0]
