"""The building blocks against plain forms of the same arithmetic, and padding against no padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.kokoro.generator_net import sine_squared
from edged.engine.kokoro.layers import (
    Valid,
    bidirectional_lstm,
    constant,
    dequantize,
    frames_conv,
    half_constant,
    upsample_conv,
)
from edged.engine.kokoro.onnx_weights import Layer, LstmWeights, QuantizedTensor
from edged.engine.runtime import CpuSettings, compile_model, op, ov

RNG = np.random.default_rng(1)
FloatArray = NDArray[np.float32]


def randn(*shape: int) -> FloatArray:
    return RNG.standard_normal(shape).astype(np.float32)


def quantized(*shape: int, scale: float = 0.01) -> QuantizedTensor:
    data = RNG.integers(-128, 128, shape).astype(np.int8)
    ones = (1,) * len(shape)
    return QuantizedTensor(data, np.full(ones, scale, np.float32), np.zeros(ones, np.float32))


def run(outputs: Any, inputs: dict[Any, NDArray[Any]]) -> list[FloatArray]:
    """Results of a graph, exact in its activations."""
    outputs = outputs if isinstance(outputs, list) else [outputs]
    model = ov.Model([op.result(node) for node in outputs], list(inputs))
    compiled = compile_model(model, CpuSettings(1), exact_activations=True)
    answer = compiled(list(inputs.values()))
    return [np.array(answer[index]) for index in range(len(outputs))]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_dequantised_weights_are_the_numbers_the_8_bits_stand_for(dtype: type[np.generic]) -> None:
    """(data - zero point) * scale per row, in the graph as in numpy."""
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    data = RNG.integers(limits.min, limits.max, (3, 8)).astype(dtype)
    tensor = QuantizedTensor(data, randn(3, 1), np.array([[0], [3], [60]], np.float32))
    x = op.parameter([1, 8], ov.Type.f32)
    values = randn(1, 8)
    (y,) = run(op.matmul(x, dequantize(tensor), False, True), {x: values})
    np.testing.assert_allclose(y, values @ tensor.dequantized().T, rtol=1e-4, atol=1e-3)


def test_half_constants_survive_any_memory_order() -> None:
    """A transposed array is stored as what it shows, not as it lies in memory."""
    values = randn(5, 3).T
    x = op.parameter([3, 5], ov.Type.f32)
    (y,) = run(op.add(x, half_constant(values)), {x: np.zeros((3, 5), np.float32)})
    np.testing.assert_allclose(y, values, rtol=1e-3)


def test_sine_squared_is_accurate_far_from_zero() -> None:
    """Within 1e-5 of sin(x)^2 for |x| up to 100; snake's arguments stay below 40."""
    x = op.parameter([1, 1001], ov.Type.f32)
    values = np.linspace(-100, 100, 1001, dtype=np.float32)[None]
    (y,) = run(sine_squared(x), {x: values})
    np.testing.assert_allclose(y, np.sin(values.astype(np.float64)) ** 2, atol=1e-5)


@pytest.mark.parametrize("stride", [6, 10])
def test_upsampling_equals_the_transposed_convolution(stride: int) -> None:
    """The 2-tap convolution and interleaving give what ConvTranspose gives, weights in float16."""
    weight, bias = randn(8, 4, 2 * stride).astype(np.float16).astype(np.float32), randn(4)
    x = op.parameter([1, 8, 25], ov.Type.f32)
    pads = [stride // 2]
    plain = op.convolution_backprop_data(x, constant(weight), [stride], pads_begin=pads, pads_end=pads)
    ours, theirs = run([upsample_conv(x, weight, bias, stride), plain], {x: randn(1, 8, 25)})
    np.testing.assert_allclose(ours, theirs + bias.reshape(1, -1, 1), atol=1e-4)


def test_upsampling_refuses_other_shapes() -> None:
    """A transposed convolution that the rewrite does not cover is an error, not a wrong sound."""
    x = op.parameter([1, 8, 25], ov.Type.f32)
    with pytest.raises(ValueError, match="cannot be rewritten"):
        upsample_conv(x, randn(8, 4, 7), randn(4), 3)


@pytest.mark.parametrize("taps", [1, 3, 5])
def test_frames_conv_equals_a_convolution(taps: int) -> None:
    """One MatMul over neighbouring frames is the same-padded convolution, zeros outside."""
    bias = randn(6)
    layer = Layer(quantized(6, 8, taps), bias)
    x = op.parameter([1, -1, 8], ov.Type.f32)
    values = randn(1, 11, 8)
    (y,) = run(frames_conv(x, layer), {x: values})
    padded = np.pad(values[0], [(taps // 2, taps // 2), (0, 0)])
    weight = layer.weight.dequantized()
    expected = np.stack([padded[tap : tap + 11] @ weight[:, :, tap].T for tap in range(taps)]).sum(axis=0)
    np.testing.assert_allclose(y[0], expected + bias, atol=1e-3)


def test_an_lstm_does_not_hear_its_padding() -> None:
    """With garbage in the padding, valid frames are as without padding, and the padding comes out zero."""
    weights = LstmWeights(quantized(2, 16, 5), quantized(2, 16, 4), randn(2, 32))
    values = randn(1, 9, 5)
    answers = []
    for length in (9, 16):
        x, valid = op.parameter([1, -1, 5], ov.Type.f32), op.parameter([1, -1, 1], ov.Type.f32)
        padded = np.concatenate([values, 50 * randn(1, length - 9, 5)], axis=1)
        mask = (np.arange(length) < 9).astype(np.float32).reshape(1, -1, 1)
        answers += run(bidirectional_lstm(x, weights, Valid(valid, time_axis=1)), {x: padded, valid: mask})
    exact, padded_answer = answers
    np.testing.assert_allclose(padded_answer[:, :9], exact, atol=1e-6)
    assert not np.any(padded_answer[:, 9:])


def reference_lstm(x: FloatArray, weights: LstmWeights) -> FloatArray:
    """ONNX's LSTM, both directions, step by step."""

    def sigmoid(value: FloatArray) -> FloatArray:
        squashed: FloatArray = np.reciprocal(1 + np.exp(-value))
        return squashed

    hidden, halves = weights.r.data.shape[2], []
    for direction, steps in ((0, range(len(x))), (1, range(len(x))[::-1])):
        w, r = weights.w.dequantized()[direction], weights.r.dequantized()[direction]
        bias = weights.bias[direction, : 4 * hidden] + weights.bias[direction, 4 * hidden :]
        h = c = np.zeros(hidden, np.float32)
        out = np.zeros((len(x), hidden), np.float32)
        for step in steps:
            i, o, f, g = np.split(w @ x[step] + r @ h + bias, 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            out[step] = h = sigmoid(o) * np.tanh(c)
        halves.append(out)
    return np.concatenate(halves, axis=1)


def test_an_lstm_follows_the_onnx_gate_order() -> None:
    """The reordered gates give what ONNX defines."""
    weights = LstmWeights(quantized(2, 16, 5), quantized(2, 16, 4), randn(2, 32))
    x, valid = op.parameter([1, -1, 5], ov.Type.f32), op.parameter([1, -1, 1], ov.Type.f32)
    values = randn(1, 9, 5)
    lstm = bidirectional_lstm(x, weights, Valid(valid, time_axis=1))
    (y,) = run(lstm, {x: values, valid: np.ones((1, 9, 1), np.float32)})
    np.testing.assert_allclose(y[0], reference_lstm(values[0], weights), atol=1e-5)


def test_statistics_leave_padding_out_and_count_weights() -> None:
    """A frame of weight 3 counts as three frames, one of weight 0 as none."""
    values = randn(1, 2, 6)
    weight = np.array([1, 1, 3, 1, 0, 0], np.float32).reshape(1, 1, 6)
    x, w = op.parameter([1, 2, 6], ov.Type.f32), op.parameter([1, 1, 6], ov.Type.f32)
    (y,) = run(Valid(w, time_axis=2).normalised(x, constant(1.0), constant(0.0)), {x: values, w: weight})
    counted = np.repeat(values, [1, 1, 3, 1, 0, 0], axis=2)
    mean, deviation = counted.mean(axis=2, keepdims=True), counted.std(axis=2, keepdims=True)
    np.testing.assert_allclose(y[..., :4], ((values - mean) / deviation)[..., :4], atol=1e-4)
