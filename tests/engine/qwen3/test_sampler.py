from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.engine.qwen3.sampler import Code0Sampler, Code0Sampling, code0_scores, gumbel
from edged.errors import EngineError

GOLDEN = Path(__file__).parents[2] / "golden" / "qwen3" / "sampler.npz"
VOCAB_SIZE, EOS = 3072, 2150
DEFAULTS = Code0Sampling(do_sample=True, temperature=0.9, top_k=50, top_p=1.0, repetition_penalty=1.05)
GREEDY = replace(DEFAULTS, do_sample=False, repetition_penalty=1.0)


def _logits(seed: int = 0) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.random.default_rng(seed).standard_normal(VOCAB_SIZE, np.float32)


def _sampler(sampling: Code0Sampling) -> Code0Sampler:
    return Code0Sampler(sampling, vocab_size=VOCAB_SIZE, eos=EOS)


def test_scores_are_those_of_transformers() -> None:
    """Penalty, shortest length, suppression, temperature, top-k, top-p; with ties and extreme values."""
    with np.load(GOLDEN) as golden:
        rows = zip(golden["logits"], golden["history"], golden["sampling"], golden["scores"], strict=True)
        eos = int(golden["eos"])
    for logits, history, (do_sample, temperature, top_k, top_p, penalty), scores in rows:
        sampling = Code0Sampling(bool(do_sample), temperature, int(top_k), top_p, penalty)
        found = code0_scores(logits, history[history >= 0].tolist(), sampling, eos=eos)
        np.testing.assert_allclose(found, scores, rtol=1e-6, err_msg=str(sampling))


def test_logits_are_left_as_they_are() -> None:
    """They may be the network's own memory."""
    logits = _logits()
    code0_scores(logits, [1, 2, 3], replace(DEFAULTS, top_p=0.5), eos=EOS)
    assert np.array_equal(logits, _logits())


def test_only_sounds_and_the_end_are_drawn() -> None:
    """Speakers, languages and control ids never are, however likely; the end is, from the third frame on."""
    logits = _logits()
    logits[2048:] = 100
    sampler, rng = _sampler(replace(DEFAULTS, top_k=0)), np.random.default_rng(0)
    first = [sampler(logits, rng) for _ in range(2)]
    assert all(code < 2048 for code in first)
    assert sampler(logits, rng) == EOS


def test_greedy_takes_the_likeliest() -> None:
    """No temperature, no top-k, no noise; the penalty stays."""
    logits = _logits()
    logits[[5, 7]] = 8.1, 8
    rng = np.random.default_rng(0)
    greedy, penalised = _sampler(GREEDY), _sampler(replace(GREEDY, repetition_penalty=1.05))
    assert [greedy(logits, rng) for _ in range(3)] == [5, 5, 5]
    assert [penalised(logits, rng) for _ in range(3)] == [5, 7, 5]


def test_a_code_is_penalised_once_however_often_it_came() -> None:
    """A sound that was heard is less likely, and not ever less."""
    sampling = replace(DEFAULTS, top_k=0)
    never, once, often = (code0_scores(_logits(), [9, 9, *[7] * n], sampling, eos=EOS) for n in (0, 1, 3000))
    assert once[7] < never[7]
    assert np.array_equal(often, once)


def test_the_same_seed_draws_the_same_codes() -> None:
    """And another one others."""

    def draw(seed: int) -> list[int]:
        sampler, rng = _sampler(DEFAULTS), np.random.default_rng(seed)
        return [sampler(_logits(number), rng) for number in range(50)]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_codes_come_as_often_as_their_probability_says() -> None:
    """A draw is one from the softmax of logits over temperature: within 5 standard errors of it."""
    count, live = 20_000, np.array([2, 1, 0, -1, -3], np.float32)
    logits = np.full(VOCAB_SIZE, -np.inf, np.float32)
    logits[: live.size] = live
    sampler = _sampler(replace(DEFAULTS, temperature=2.0, top_k=0, repetition_penalty=1.0))
    rng = np.random.default_rng(0)
    shares = np.bincount([sampler(logits, rng) for _ in range(count)], minlength=live.size) / count
    probabilities = np.exp(live / 2) / np.exp(live / 2).sum()
    error = np.sqrt(probabilities * (1 - probabilities) / count)
    assert np.all(np.abs(shares - probabilities) < 5 * error)


@pytest.mark.parametrize("seed", range(10))
def test_one_code_always_stays(seed: int) -> None:
    """The likeliest, however little of the probability top-p leaves and rounding adds up to."""
    scores = code0_scores(_logits(seed), [], replace(DEFAULTS, top_p=1e-9), eos=EOS)
    assert np.flatnonzero(np.isfinite(scores)).tolist() == [int(_logits(seed)[:2048].argmax())]


class _NoWait(np.random.Generator):
    """Draws the exponential variate 0, as any generator does now and then."""

    def standard_exponential(self, size: Any = None, *arguments: Any, **more: Any) -> Any:
        return np.zeros(size, np.float32)


def test_noise_is_finite() -> None:
    """Infinite noise would draw a code that is barred."""
    noise = gumbel(_NoWait(np.random.PCG64(0)), (15, 2048))
    assert noise.shape == (15, 2048)
    assert noise.dtype == np.float32
    assert np.isfinite(noise).all()


@pytest.mark.parametrize("sampling", [DEFAULTS, GREEDY, replace(DEFAULTS, top_p=0.5)])
def test_logits_that_are_not_numbers_are_an_error(sampling: Code0Sampling) -> None:
    """A damaged network must not go on speaking."""
    logits = _logits()
    logits[17] = np.nan
    with pytest.raises(EngineError, match="not numbers"):
        _sampler(sampling)(logits, np.random.default_rng(0))
