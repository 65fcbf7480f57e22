"""Drawing code 0: the same as transformers' processors on the same logits and noise."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from edged.engine.qwen3.sampler import Code0Sampler, Code0Sampling
from tests.fakes.qwen3_checkpoint import CODEC_IDS
from tests.parity.cases import DRAWS, Draws
from tests.parity.golden import Golden

_VOCAB_SIZE, _EOS = 3072, CODEC_IDS["codec_eos_token_id"]


@pytest.mark.parametrize("draws", DRAWS, ids=str)
def test_the_draws_are_the_same(draws: Draws, golden: Golden) -> None:
    """Penalty, shortest length, suppressed codes, temperature, top-k and top-p, draw after draw."""
    sampler = Code0Sampler(Code0Sampling(True, *astuple(draws)), vocab_size=_VOCAB_SIZE, eos=_EOS)
    rng = draws.rng()
    drawn = [sampler(logits, rng) for logits in draws.logits(_VOCAB_SIZE, _EOS)]
    assert drawn == golden.draws[str(DRAWS.index(draws))].tolist()
    assert drawn[-1] == _EOS
