"""Eight-bit arithmetic for residual convolutions, on a network small enough to see through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.kokoro.calibrate import constant_value, quantize_residual_blocks
from edged.engine.kokoro.layers import channels_conv, dequantize, half_constant
from edged.engine.kokoro.onnx_weights import QuantizedTensor
from edged.engine.runtime import CpuSettings, compile_model, op, ov

RNG = np.random.default_rng(2)
LENGTH = 32
FloatArray = NDArray[np.float32]


def network() -> Any:
    """A convolution that narrows 512 features to 4 channels, a residual one of 4, and unused other inputs."""
    features = op.parameter([1, 512, -1], ov.Type.f32, name="features")
    excitation = op.parameter([1, 22, -1], ov.Type.f32, name="excitation")
    weight = op.parameter([1, 1, -1], ov.Type.f32, name="weight")
    narrow = channels_conv(features, half_constant(RNG.standard_normal((4, 512, 1)).astype(np.float32)), None)
    data = RNG.integers(0, 256, (4, 4, 3)).astype(np.uint8)
    stored = QuantizedTensor(data, np.full((1, 1, 1), 0.01, np.float32), np.full((1, 1, 1), 120, np.float32))
    residual = channels_conv(narrow, dequantize(stored), np.ones(4, np.float32), padding=1)
    return ov.Model([op.result(residual)], [features, excitation, weight])


def case() -> dict[str, FloatArray]:
    """Inputs of the fixed length."""
    shapes = {"features": (1, 512, LENGTH), "excitation": (1, 22, 60 * LENGTH + 1), "weight": (1, 1, LENGTH)}
    return {name: RNG.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def test_only_residual_convolutions_are_quantised_and_stay_close() -> None:
    """One of the two gets 8-bit inputs and signed weights; the result stays within 2 % of its range."""
    model, inputs = network(), case()
    exact = compile_model(model, CpuSettings(1))(inputs)[0].copy()
    quantize_residual_blocks(model, [inputs, case()], LENGTH)
    rounded_inputs = [n for n in model.get_ordered_ops() if n.get_type_name() == "FakeQuantize"]
    assert len(rounded_inputs) == 1
    rounded = compile_model(model, CpuSettings(1))(inputs)[0]
    assert np.abs(rounded - exact).max() < 0.02 * np.ptp(exact)
    assert np.any(rounded != exact)


def test_zero_stays_zero() -> None:
    """Padding is zero; were it rounded to a neighbour, the speech beside it would hear it."""
    model = network()
    quantize_residual_blocks(model, [case()], LENGTH)
    (fake_quantize,) = (n for n in model.get_ordered_ops() if n.get_type_name() == "FakeQuantize")
    low, high = (float(constant_value(fake_quantize.input_value(i).get_node())) for i in (1, 2))
    levels_below_zero = -low * 255 / (high - low)
    assert levels_below_zero == pytest.approx(round(levels_below_zero), abs=1e-3)


def test_other_operations_are_no_weights() -> None:
    """A constant behind something else than a decompression is a mistake of the caller."""
    with pytest.raises(ValueError, match="Tanh"):
        constant_value(op.tanh(op.constant(np.float32(1))))
