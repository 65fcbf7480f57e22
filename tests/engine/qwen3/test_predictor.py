"""The code predictor against plain numpy: codes, sums, drawing with noise, and how its weights are shared."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.qwen3.predictor import Predictor, build_predictor
from edged.engine.runtime import CpuSettings
from tests.fakes.qwen3_numpy import RandomWeights, predicted, tiny_talker_config

SETTINGS = CpuSettings(threads=1)
TOP_K = 50
GREEDY = np.zeros((15, 2048), np.float32)
FORCED = np.float32(1e6)  # more than any difference of logits


@cache
def network(wide: bool = False, top_k: int = TOP_K, trace: bool = False) -> Any:
    model = tiny_talker_config(wide=wide)
    return build_predictor(model.talker_config, RandomWeights(model), top_k=top_k, trace=trace)


@cache
def compiled(wide: bool = False, top_k: int = TOP_K) -> Predictor:
    return Predictor(network(wide, top_k), SETTINGS)


def frame(seed: int, wide: bool = False) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A hidden state and the embedding of a code 0."""
    hidden = tiny_talker_config(wide=wide).talker_config.hidden_size
    both = np.random.default_rng(seed).standard_normal((2, hidden)).astype(np.float32)
    return both[0], both[1]


def expected(seed: int, wide: bool = False) -> tuple[list[int], NDArray[Any], NDArray[Any]]:
    model = tiny_talker_config(wide=wide)
    return predicted(model.talker_config, RandomWeights(model), *frame(seed, wide))


@pytest.mark.parametrize("wide", [False, True])
def test_greedy_codes_equal_plain_arithmetic(wide: bool) -> None:
    """All codes of several frames, and the sum of all 16 embeddings; frames do not hear each other."""
    predictor = compiled(wide)
    for seed in range(4):
        codes, total = predictor(*frame(seed, wide), GREEDY)
        expected_codes, _, expected_total = expected(seed, wide)
        assert codes.tolist() == expected_codes
        np.testing.assert_allclose(total, expected_total, atol=1e-5)


def test_noise_decides_among_the_likeliest() -> None:
    """Enough noise on the least likely code that is kept makes it the code; its embedding is heard next."""
    _, logits, _ = expected(0)
    wanted = int(np.argsort(logits[0])[-TOP_K])
    noise = GREEDY.copy()
    noise[0, wanted] = FORCED
    codes, _ = compiled()(*frame(0), noise)
    greedy, _ = compiled()(*frame(0), GREEDY)
    assert codes[0] == wanted
    assert codes[1:].tolist() != greedy[1:].tolist()


def test_codes_beyond_the_top_k_are_never_drawn() -> None:
    """Whatever the noise; with top_k 0 every code can be."""
    greedy, logits, _ = expected(0)
    unlikely = int(np.argsort(logits[0])[-TOP_K - 1])
    noise = GREEDY.copy()
    noise[0, unlikely] = FORCED
    masked, _ = compiled()(*frame(0), noise)
    unmasked, _ = compiled(top_k=0)(*frame(0), noise)
    assert masked[0] == greedy[0]
    assert unmasked[0] == unlikely


def test_draws_follow_the_softmax() -> None:
    """With Gumbel noise at temperature 1 the first code comes as often as its probability says."""
    _, logits, _ = expected(1)
    kept = np.sort(np.argsort(logits[0])[-TOP_K:])
    chances = np.exp(logits[0][kept] - logits[0][kept].max())
    chances /= chances.sum()
    predictor, rng, draws = compiled(), np.random.default_rng(5), 400

    def noise() -> NDArray[np.float32]:
        return rng.gumbel(size=GREEDY.shape).astype(np.float32)

    drawn = Counter(int(predictor(*frame(1), noise())[0][0]) for _ in range(draws))
    assert set(drawn) <= set(kept.tolist())
    found = np.array([drawn[code] / draws for code in kept.tolist()])
    # the distance that 400 draws of the right distribution stay below in all but one of a thousand runs
    assert np.abs(np.cumsum(found) - np.cumsum(chances)).max() < 1.95 / np.sqrt(draws)


def test_what_is_returned_stays() -> None:
    """The next frame does not write into an earlier answer."""
    predictor = compiled()
    codes, total = predictor(*frame(0), GREEDY)
    kept = codes.copy(), total.copy()
    predictor(*frame(1), GREEDY)
    np.testing.assert_array_equal(codes, kept[0])
    np.testing.assert_array_equal(total, kept[1])


@pytest.mark.parametrize("wide", [False, True])
def test_the_steps_share_their_weights(wide: bool) -> None:
    """Each layer's four matrices are there once, not once per step; heads and tables once per code."""
    inner = tiny_talker_config(wide=wide).talker_config.code_predictor_config
    smallest = inner.hidden_size * inner.query_size  # of all weight matrices; any other constant is smaller
    constants = [n for n in network(wide).get_ops() if n.get_type_name() == "Constant"]
    large = [n for n in constants if np.prod(n.get_output_shape(0)) >= smallest]
    assert len(large) == 4 * inner.num_hidden_layers + 2 * 15 + wide


def test_a_trace_shows_every_codes_logits() -> None:
    """As they are before mask and noise."""

    class OpenPredictor(Predictor):
        def output(self, name: str) -> NDArray[np.float32]:
            return np.array(self._request.get_tensor(name).data)

    predictor = OpenPredictor(network(trace=True), SETTINGS)
    predictor(*frame(0), GREEDY)
    _, logits, _ = expected(0)
    for index, row in enumerate(logits):
        np.testing.assert_allclose(predictor.output(f"logits_{index + 1}")[0], row, atol=1e-4)
    assert not any("logits" in name for output in network().outputs for name in output.get_names())
