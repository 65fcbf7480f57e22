"""How code 0 of a frame is drawn: transformers' processors in transformers' order, then Gumbel-max.

Adding Gumbel noise and taking the largest is drawing from the softmax, in one pass and without normalising.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edged.errors import EngineError

Scores = NDArray[np.float32]

# the end of the codec vocabulary is no sound: speakers, languages, control ids; of these only eos is drawn
_CONTROL_CODES = 1024
_MIN_FRAMES = 2  # speech cannot end earlier: the reference's min_new_tokens
_BARRED = np.float32(-np.inf)
# about the least step of a float32 exponential variate, which is 0 in one of 2^23 draws; that would be noise
# without end, on a code that may be barred
_SHORTEST_WAIT = np.float32(2**-24)


@dataclass(frozen=True, slots=True)
class Code0Sampling:
    """Settings of the draw; `top_k` 0 and `top_p` 1 keep every code; without `do_sample` the best wins."""

    do_sample: bool
    temperature: float
    top_k: int
    top_p: float
    repetition_penalty: float


class Code0Sampler:
    """Draws the codes 0 of one utterance; each draw looks back on those before it."""

    def __init__(self, sampling: Code0Sampling, *, vocab_size: int, eos: int) -> None:
        self._sampling = sampling
        self._vocab_size = vocab_size
        self._eos = eos
        self._history: list[int] = []

    def __call__(self, logits: Scores, rng: np.random.Generator) -> int:
        """A code, or the id of the end of speech, for logits [vocabulary].

        Raises EngineError for logits that are not numbers.
        """
        scores = code0_scores(logits, self._history, self._sampling, eos=self._eos)
        if self._sampling.do_sample:
            scores += gumbel(rng, (self._vocab_size,))
        code = int(scores.argmax())
        if np.isnan(scores[code]):
            raise EngineError(
                "the talker's logits are not numbers", "check the model with `edged model verify`"
            )
        self._history.append(code)
        return code


def code0_scores(logits: Scores, history: list[int], sampling: Code0Sampling, *, eos: int) -> Scores:
    """What the noise is added to, [vocabulary]; -inf bars a code. `logits` are not changed.

    `history` are the codes 0 drawn so far: prompts are embeddings and have no ids that a penalty could find.
    """
    scores = logits.astype(np.float32)
    if history and sampling.repetition_penalty != 1:
        _penalise(scores, history, np.float32(sampling.repetition_penalty))
    end = _BARRED if len(history) < _MIN_FRAMES else scores[eos]
    scores[-_CONTROL_CODES:] = _BARRED
    scores[eos] = end
    if sampling.do_sample:
        scores /= np.float32(sampling.temperature)
        if 0 < sampling.top_k < len(scores):
            scores[scores < np.partition(scores, -sampling.top_k)[-sampling.top_k]] = _BARRED
        if sampling.top_p < 1:
            _keep_top_p(scores, sampling.top_p)
    return scores


def gumbel(rng: np.random.Generator, shape: tuple[int, ...]) -> Scores:
    """Standard Gumbel noise: minus the logarithm of an exponential variate."""
    waits = rng.standard_exponential(shape, np.float32)
    noise: Scores = -np.log(np.maximum(waits, _SHORTEST_WAIT))
    return noise


def _penalise(scores: Scores, history: list[int], penalty: np.float32) -> None:
    """Make every code that was drawn less likely, however often it was."""
    codes = list(set(history))
    drawn = scores[codes]
    scores[codes] = np.where(drawn < 0, drawn * penalty, drawn / penalty)


def _keep_top_p(scores: Scores, top_p: float) -> None:
    """Bar the least likely codes that together have no more than 1 - top_p; the likeliest always stays."""
    open_codes = np.flatnonzero(scores > _BARRED)
    rising = open_codes[np.argsort(scores[open_codes], kind="stable")]
    shares = np.exp(scores[rising] - scores[rising[-1]])
    below = np.cumsum(shares / shares.sum())
    scores[rising[:-1][below[:-1] <= 1 - top_p]] = _BARRED
