"""The talker against plain numpy, what it remembers, and that its attention is the fused one."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.qwen3.talker import Talker, build_talker
from edged.engine.runtime import CpuSettings, op, ov
from tests.fakes.qwen3_numpy import RandomWeights, talker_states, tiny_talker_config

SETTINGS = CpuSettings(threads=1)
TIME = 13


@cache
def network(wide: bool = False, bfloat16: bool = False, trace: bool = False) -> Any:
    model = tiny_talker_config(wide=wide)
    return build_talker(model.talker_config, RandomWeights(model, bfloat16=bfloat16), trace=trace)


def embeds(wide: bool = False) -> NDArray[np.float32]:
    hidden = tiny_talker_config(wide=wide).talker_config.hidden_size
    return np.random.default_rng(2).standard_normal((TIME, hidden)).astype(np.float32)


def close(found: NDArray[Any], expected: NDArray[Any]) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("bfloat16", [False, True])
def test_equals_plain_arithmetic(wide: bool, bfloat16: bool) -> None:
    """Logits and hidden state of the last position, for weights of 16 and of 32 bits."""
    model = tiny_talker_config(wide=wide)
    weights = RandomWeights(model, bfloat16=bfloat16)
    logits, hidden = Talker(network(wide, bfloat16), SETTINGS)(embeds(wide))
    expected = talker_states(model.talker_config, weights, embeds(wide))[-1][-1]
    close(hidden, expected)
    close(logits, expected @ weights("talker.codec_head.weight").T)


@pytest.mark.parametrize("parts", [[1] * TIME, [5, 8], [9, 1, 1, 1, 1], [2, 1, 7, 3]])
def test_positions_may_come_in_any_parts(parts: list[int]) -> None:
    """A prompt at once, then frame by frame, or any other way: the same answer after the same positions."""
    model = tiny_talker_config()
    states = talker_states(model.talker_config, RandomWeights(model), embeds())[-1]
    talker, start = Talker(network(), SETTINGS), 0
    for part in parts:
        _, hidden = talker(embeds()[start : start + part])
        start += part
        close(hidden, states[start - 1])


def test_a_reset_forgets_the_utterance() -> None:
    """The next utterance sounds as if it were the first."""
    talker = Talker(network(), SETTINGS)
    first = [talker(embeds()[:4]), talker(embeds()[4:5])]
    talker.reset()
    again = [talker(embeds()[:4]), talker(embeds()[4:5])]
    np.testing.assert_array_equal([hidden for _, hidden in first], [hidden for _, hidden in again])


def test_what_is_returned_stays() -> None:
    """The next step does not write into an earlier answer."""
    talker = Talker(network(), SETTINGS)
    logits, hidden = talker(embeds()[:3])
    kept = logits.copy(), hidden.copy()
    talker(embeds()[3:4])
    np.testing.assert_array_equal(logits, kept[0])
    np.testing.assert_array_equal(hidden, kept[1])


class OpenTalker(Talker):
    """One whose compiled network can be looked into."""

    @property
    def compiled(self) -> Any:
        return self._request.get_compiled_model()

    def output(self, name: str) -> NDArray[np.float32]:
        return np.array(self._request.get_tensor(name).data)


def test_attention_keeps_its_memory_and_nothing_is_done_in_pieces() -> None:
    """Every layer has the attention that holds keys and values itself; norms and rotations are one kernel."""
    graph = OpenTalker(network(), SETTINGS).compiled.get_runtime_model()
    kinds = Counter(node.get_rt_info()["layerType"].astype(str) for node in graph.get_ops())
    layers = tiny_talker_config().talker_config.num_hidden_layers
    attention = [
        n for n in graph.get_ops() if n.get_rt_info()["layerType"].astype(str) == "ScaledDotProductAttention"
    ]
    assert len(attention) == layers
    # a memory of its own: besides q, k, v, mask, scale and beams it gets both pasts and gives both futures
    assert {len(node.outputs()) for node in attention} == {3}
    assert (kinds["RMS"], kinds["RoPE"], kinds["FullyConnected"]) == (
        4 * layers + 1,
        2 * layers,
        4 * layers + 1,
    )


def test_keys_and_values_are_as_precise_as_the_weights() -> None:
    """Float weights: float32, to be exact; rounded weights: halves. OpenVINO's own 8 bits change codes."""
    assert OpenTalker(network(), SETTINGS).compiled.get_property("KV_CACHE_PRECISION") == ov.Type.f32
    assert OpenTalker(rounded(), SETTINGS).compiled.get_property("KV_CACHE_PRECISION") == ov.Type.f16


def rounded() -> Any:
    """The network with the weights of its head in 8 bits."""
    model = network().clone()
    head = next(n for n in model.get_results() if "logits" in n.get_output_tensor(0).get_names())
    product = head.input_value(0).get_node()
    weights = product.input_value(1).get_node().data
    step = np.abs(weights).max() / 127
    eight = op.convert(op.constant(np.rint(weights / step).astype(np.int8)), "f32")
    product.input(1).replace_source_output(op.multiply(eight, op.constant(np.float32(step))).output(0))
    model.validate_nodes_and_infer_types()
    return model


def test_a_trace_shows_every_layer() -> None:
    """[1, time, hidden] after each layer, beside the usual outputs."""
    model = tiny_talker_config()
    talker = OpenTalker(network(trace=True), SETTINGS)
    talker(embeds())
    expected = talker_states(model.talker_config, RandomWeights(model), embeds())[:-1]
    for index, state in enumerate(expected):
        close(talker.output(f"layer_{index}")[0], state)
    assert not any("layer_" in name for output in network().outputs for name in output.get_names())
