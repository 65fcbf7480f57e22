"""Weights in fewer bits, on a network small enough to see through."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.qwen3.compress import compress, float32_of, share_constants
from edged.engine.qwen3.graph import matrix
from edged.engine.qwen3.precision import Precision
from edged.engine.runtime import CpuSettings, compile_model, op, ov

FloatArray = NDArray[np.float32]
WIDTH = 96
X = np.random.default_rng(1).standard_normal((3, WIDTH)).astype(np.float32)


def network(*, bfloat16: bool = False) -> Any:
    """Two products with a gain between them, the first of them used twice."""
    rng = np.random.default_rng(0)
    first, second = (rng.standard_normal((WIDTH, WIDTH), np.float32) / WIDTH**0.5 for _ in range(2))
    if bfloat16:
        first, second = (round_to_bfloat16(weights) for weights in (first, second))
    gain = op.constant(1 + rng.standard_normal(WIDTH).astype(np.float32) / 3)
    x = op.parameter([-1, WIDTH], ov.Type.f32, name="x")
    shared = matrix(first, bfloat16=bfloat16)
    y = op.matmul(op.matmul(x, shared, False, True), shared, False, True)
    y = op.matmul(op.multiply(y, gain), matrix(second, bfloat16=bfloat16), False, True)
    return ov.Model([op.result(y)], [x], "tiny")


def round_to_bfloat16(values: FloatArray) -> FloatArray:
    return (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def result(net: Any) -> FloatArray:
    return np.asarray(compile_model(net, CpuSettings(threads=1), exact_activations=True)([X])[0])


def snr_db(expected: FloatArray, found: FloatArray) -> float:
    noise = ((expected - found) ** 2).sum()
    return float(10 * np.log10((expected**2).sum() / noise)) if noise else np.inf


def stored_types(net: Any) -> Counter[str]:
    """How many matrices there are of each element type."""
    constants = [node for node in net.get_ordered_ops() if node.get_type_name() == "Constant"]
    return Counter(
        node.get_element_type().get_type_name()
        for node in constants
        if np.prod(node.get_output_shape(0)) >= WIDTH**2
    )


@pytest.mark.parametrize("bfloat16", [False, True])
@pytest.mark.parametrize(
    ("precision", "stored", "least_db"),
    [(Precision.INT8, "i8", 38), (Precision.FP16, "f16", 65)],
)
def test_matrices_get_the_precision_asked_for(
    bfloat16: bool, precision: Precision, stored: str, least_db: float
) -> None:
    """From float32 and bfloat16 alike, a matrix that is used twice stays one; the result stays close."""
    compressed = compress(network(bfloat16=bfloat16), precision)
    assert stored_types(compressed) == {stored: 2}
    assert snr_db(result(network(bfloat16=bfloat16)), result(compressed)) > least_db


def test_4_bits_have_scales_for_groups_of_inputs() -> None:
    """The last product, where speech is decided, keeps 8 bits; groups divide any width."""
    compressed = compress(network(), Precision.INT4)
    assert stored_types(compressed)["i4"] == 1
    constants = [n for n in compressed.get_ordered_ops() if n.get_type_name() == "Constant"]
    scales = [n for n in constants if list(n.get_output_shape(0)) == [WIDTH, 3, 1]]
    assert scales, "groups of 32 inputs share a scale"
    assert snr_db(result(network()), result(compressed)) > 12


def test_fp32_changes_nothing() -> None:
    """Whatever the checkpoint had is kept, to the last bit."""
    assert stored_types(compress(network(bfloat16=True), Precision.FP32)) == {"bf16": 2}
    np.testing.assert_array_equal(result(compress(network(), Precision.FP32)), result(network()))


def test_small_constants_stay_exact_in_fp16() -> None:
    """Gains, angles and biases are not rounded: they cost nothing and count most."""
    constants = [
        n for n in compress(network(), Precision.FP16).get_ordered_ops() if n.get_type_name() == "Constant"
    ]
    gain = next(n for n in constants if list(n.get_output_shape(0)) == [WIDTH])
    assert gain.get_element_type() == ov.Type.f32


def test_bfloat16_constants_are_read_exactly() -> None:
    """Numpy sees the bits of bfloat16 as another type; the numbers come out right all the same."""
    weights = round_to_bfloat16(X.copy())
    constant = matrix(weights, bfloat16=True).input_value(0).get_node()
    np.testing.assert_array_equal(float32_of(constant), weights)


def test_equal_small_constants_become_one() -> None:
    """Of three gains, two of them alike, two are left; matrices and results stay as they were."""
    rng = np.random.default_rng(2)
    x = op.parameter([-1, WIDTH], ov.Type.f32, name="x")
    gain = rng.standard_normal(WIDTH).astype(np.float32)
    weights = rng.standard_normal((2 * WIDTH, WIDTH)).astype(np.float32)
    y = op.matmul(op.multiply(x, op.constant(gain)), op.constant(weights), False, True)
    y = op.matmul(y, op.constant(weights), False, False)
    y = op.multiply(op.multiply(y, op.constant(gain.copy())), op.constant(gain + 1))
    net = ov.Model([op.result(y)], [x], "repeats")
    before = result(net)
    share_constants(net)
    sizes = Counter(n.data.size for n in net.get_ordered_ops() if n.get_type_name() == "Constant")
    assert sizes == {WIDTH: 2, weights.size: 2}
    np.testing.assert_array_equal(result(net), before)
