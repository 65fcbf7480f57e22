"""The autoregressive loop: a prompt becomes frames of codes, 80 ms of speech each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.integer[Any]]
Rng = np.random.Generator

FRAMES_PER_SECOND = 12.5


class TalkerNetwork(Protocol):
    """Continues what it was given since `reset`; see talker.py."""

    def reset(self) -> None: ...

    def __call__(self, embeds: Floats, /) -> tuple[Floats, Floats]:
        """embeds [T, H] -> logits [vocabulary] and hidden [H] of the last position."""


class PredictorNetwork(Protocol):
    """Has no memory; see predictor.py."""

    def __call__(self, hidden: Floats, code0_embedding: Floats, noise: Floats, /) -> tuple[Codes, Floats]:
        """hidden [H], embedding of code 0 [H], noise [N-1, vocabulary] -> codes [N-1], Σ embedding [H]."""


class SpeechPrompt(Protocol):
    """See prompt.py: `embeds` [T, H] to begin with, `trailing` [n, H] one row a frame, then `pad` [H]."""

    @property
    def embeds(self) -> Floats: ...
    @property
    def trailing(self) -> Floats: ...
    @property
    def pad(self) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Drawing:
    """How the codes of one utterance are drawn.

    `code0` draws code 0 (or `eos`) from logits [vocabulary]; `noise` is what the predictor adds to its own
    logits [N-1, vocabulary] before it takes the largest.
    """

    code0: Callable[[Floats, Rng], int]
    noise: Callable[[Rng], Floats]
    eos: int


def frames(
    talker: TalkerNetwork,
    predictor: PredictorNetwork,
    codec_embedding: Floats,
    prompt: SpeechPrompt,
    drawing: Drawing,
    rng: Rng,
) -> Iterator[Codes]:
    """Codes [N] of one frame after the other until the talker says that speech has ended.

    The same prompt, drawing and state of `rng` give the same codes. There is no limit here: who takes frames
    stops (see runaway.py), and closing the iterator costs nothing.
    """
    talker.reset()
    logits, hidden = talker(prompt.embeds)
    for index in count():
        code0 = drawing.code0(logits, rng)
        if code0 == drawing.eos:
            return
        codes, embedding = predictor(hidden, codec_embedding[code0], drawing.noise(rng))
        yield np.concatenate([[code0], codes])
        text = prompt.trailing[index] if index < len(prompt.trailing) else prompt.pad
        logits, hidden = talker((embedding + text)[None])
