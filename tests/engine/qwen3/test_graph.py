"""The building blocks against plain numpy, and that the CPU plugin runs each as one kernel."""

from __future__ import annotations

import gc
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.qwen3 import graph
from edged.engine.runtime import CpuSettings, compile_model, op, ov
from tests.fakes.qwen3_numpy import tiny_talker_config

RNG = np.random.default_rng(1)


def randn(*shape: int) -> NDArray[np.float32]:
    return RNG.standard_normal(shape).astype(np.float32)


def run(y: Any, inputs: dict[Any, NDArray[Any]]) -> tuple[NDArray[np.float32], Counter[str]]:
    """The result of a graph, and how often each kind of kernel ran for it."""
    compiled = compile_model(ov.Model([op.result(y)], list(inputs)), CpuSettings(1))
    kinds = Counter(
        node.get_rt_info()["layerType"].astype(str) for node in compiled.get_runtime_model().get_ops()
    )
    return np.array(compiled(list(inputs.values()))[0]), kinds


def test_rms_norm() -> None:
    """x over its root mean square, epsilon inside the root, in one kernel."""
    x, values, gain = op.parameter([-1, 8], ov.Type.f32), randn(3, 8) * 1e-3, randn(8)
    y, kinds = run(graph.rms_norm(x, gain, 1e-6), {x: values})
    expected = values / np.sqrt((values**2).mean(-1, keepdims=True) + 1e-6) * gain
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    assert kinds["RMS"] == 1


def test_rotary_turns_pairs_half_a_head_apart() -> None:
    """Feature i and i + half are one complex number, turned by its position; in one kernel."""
    x = op.parameter([-1, 2, -1, 8], ov.Type.f32)
    cos, sin = (op.parameter([1, 1, -1, 8], ov.Type.f32) for _ in range(2))
    values = randn(1, 2, 3, 8)
    turn = np.tile(randn(1, 1, 3, 4), 2)
    y, kinds = run(graph.rotary(x, cos, sin), {x: values, cos: np.cos(turn), sin: np.sin(turn)})
    turned = (values[..., :4] + 1j * values[..., 4:]) * np.exp(1j * turn[..., :4])
    np.testing.assert_allclose(y, np.concatenate([turned.real, turned.imag], -1), rtol=1e-5, atol=1e-6)
    assert kinds["RoPE"] == 1


def test_frequencies_fall_from_one_radian_per_position() -> None:
    """theta^(-2i/head_dim) for feature i of each half."""
    config = tiny_talker_config().talker_config
    speeds = graph.frequencies(config)
    half = config.head_dim // 2
    np.testing.assert_allclose(speeds[:half], config.rope_theta ** (-np.arange(half) / half), rtol=1e-6)
    np.testing.assert_array_equal(speeds[:half], speeds[half:])


@pytest.mark.parametrize(("bfloat16", "stored"), [(True, ov.Type.bf16), (False, ov.Type.f32)])
def test_matrices_keep_their_values_and_own_them(bfloat16: bool, stored: Any) -> None:
    """What 16 bits hold is stored in 16 bits, and lives on when the array it came from is gone."""
    values = randn(64, 64)
    values.view(np.uint32)[:] &= 0xFFFF0000
    expected = values.copy()
    node = graph.matrix(values, bfloat16=bfloat16)
    values[:] = 0
    del values
    gc.collect()
    model = ov.Model([op.result(node)], [], "matrix")
    kinds = {n.get_element_type() for n in model.get_ops() if n.get_type_name() == "Constant"}
    assert kinds == {stored}
    np.testing.assert_array_equal(compile_model(model, CpuSettings(1))([])[0], expected)


def test_repeated_heads_stay_beside_each_other() -> None:
    """Key head k serves the query heads k * groups and up."""
    config = tiny_talker_config().talker_config
    heads, dim = config.num_key_value_heads, config.head_dim
    x, values = op.parameter([-1, heads, -1, dim], ov.Type.f32), randn(1, heads, 3, dim)
    y, _ = run(graph.repeat_heads(x, config), {x: values})
    np.testing.assert_array_equal(y, np.repeat(values, config.num_attention_heads // heads, axis=1))
