"""The vocoder's building blocks against plain forms of the same arithmetic, whole and in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.qwen3.vocoder_layers import (
    Memory,
    causal_convolution,
    causal_product,
    depthwise_convolution,
    snake,
    upsample,
    upsample_overlapping,
)
from edged.engine.runtime import CpuSettings, compile_model, op, ov

RNG = np.random.default_rng(5)
FloatArray = NDArray[np.float32]
Layer = Callable[[Any, Memory], Any]


def randn(*shape: int) -> FloatArray:
    return RNG.standard_normal(shape).astype(np.float32)


def run(layer: Layer, x: FloatArray, pieces: tuple[int, ...], time_axis: int) -> FloatArray:
    """The layer's output for x given in pieces of these lengths."""
    shape = [-1 if axis == time_axis else size for axis, size in enumerate(x.shape)]
    parameter, memory = op.parameter(shape, ov.Type.f32), Memory()
    model = ov.Model([op.result(layer(parameter, memory))], memory.sinks, [parameter])
    request = compile_model(model, CpuSettings(1)).create_infer_request()
    parts = np.split(x, np.cumsum(pieces)[:-1], axis=time_axis)
    return np.concatenate([request.infer([part])[0].copy() for part in parts], axis=time_axis)


def causal(x: FloatArray, kernel: FloatArray, bias: FloatArray, dilation: int = 1) -> FloatArray:
    """x [in, time], kernel [out, in, taps] -> [out, time], zeros before the start."""
    count = kernel.shape[2]
    padded = np.pad(x, [(0, 0), ((count - 1) * dilation, 0)])
    shifted = [padded[:, tap * dilation : tap * dilation + x.shape[1]] for tap in range(count)]
    return sum(kernel[:, :, tap] @ shifted[tap] for tap in range(count)) + bias[:, None]


def transposed(x: FloatArray, kernel: FloatArray, bias: FloatArray, stride: int) -> FloatArray:
    """x [in, time], kernel [in, out, taps] -> [out, time * stride]: each adds its kernel, cut right."""
    time = x.shape[1]
    y = np.zeros((kernel.shape[1], time * stride + kernel.shape[2]), np.float32)
    for column in range(time):
        y[:, column * stride : column * stride + kernel.shape[2]] += np.einsum(
            "i,iok->ok", x[:, column], kernel
        )
    return y[:, : time * stride] + bias[:, None]


@pytest.mark.parametrize("pieces", [(12,), (1, 1, 7, 3), (5, 7)])
@pytest.mark.parametrize("count", [3, 7])
def test_causal_product_is_a_causal_convolution(count: int, pieces: tuple[int, ...]) -> None:
    """Each column hears itself and those before it, also across pieces."""
    x, kernel, bias = randn(4, 12), randn(6, 4, count), randn(6)
    y = run(lambda x, memory: causal_product(x, kernel, bias, memory, "it"), x.T[None], pieces, 1)
    np.testing.assert_allclose(y[0].T, causal(x, kernel, bias), atol=1e-5)


@pytest.mark.parametrize("pieces", [(40,), (1, 2, 30, 7)])
@pytest.mark.parametrize("dilation", [1, 3, 9])
def test_causal_convolution_reaches_back_by_its_dilation(dilation: int, pieces: tuple[int, ...]) -> None:
    """Seven taps, `dilation` apart, also where a piece is shorter than the reach."""
    x, kernel, bias = randn(4, 40), randn(6, 4, 7), randn(6)
    y = run(lambda x, memory: causal_convolution(x, kernel, bias, memory, "it", dilation), x[None], pieces, 2)
    np.testing.assert_allclose(y[0], causal(x, kernel, bias, dilation), atol=1e-5)


@pytest.mark.parametrize("pieces", [(12,), (1, 8, 3)])
def test_depthwise_convolution_keeps_channels_apart(pieces: tuple[int, ...]) -> None:
    """One kernel per channel."""
    x, kernel, bias = randn(5, 12), randn(5, 1, 7), randn(5)
    full = np.zeros((5, 5, 7), np.float32)
    full[np.arange(5), np.arange(5)] = kernel[:, 0]
    y = run(lambda x, memory: depthwise_convolution(x, kernel, bias, memory, "it"), x.T[None], pieces, 1)
    np.testing.assert_allclose(y[0].T, causal(x, full, bias), atol=1e-5)


def test_upsampling_spreads_each_column_over_its_stride() -> None:
    """A transposed convolution as long as its stride."""
    x, kernel, bias = randn(4, 6), randn(4, 3, 2), randn(3)
    y = run(lambda x, _: upsample(x, kernel, bias), x.T[None], (6,), 1)
    np.testing.assert_allclose(y[0].T, transposed(x, kernel, bias, 2), atol=1e-5)


@pytest.mark.parametrize("pieces", [(6,), (1, 1, 4)])
@pytest.mark.parametrize("stride", [3, 4, 5, 8])
def test_overlapping_upsampling_is_a_transposed_convolution(stride: int, pieces: tuple[int, ...]) -> None:
    """Kernels of two strides overlap; what is cut off is at the end, so nothing is heard early."""
    x, kernel, bias = randn(4, 6), randn(4, 3, 2 * stride), randn(3)
    y = run(lambda x, memory: upsample_overlapping(x, kernel, bias, memory, "it"), x.T[None], pieces, 1)
    np.testing.assert_allclose(y[0].T, transposed(x, kernel, bias, stride), atol=1e-5)


def test_snake_is_exact_where_speech_is_and_sound_far_outside() -> None:
    """x + sin(e^a x)^2 / e^b to 1e-6 within |x| <= 8, and no worse than float32 angles far outside."""
    x = np.concatenate([np.linspace(-8, 8, 4001), np.linspace(-3000, 3000, 4001)]).astype(np.float32)
    alpha, beta = (
        np.array([-1.0, 0.0, 0.7], np.float32)[:, None],
        np.array([0.4, 0.0, -0.6], np.float32)[:, None],
    )
    x = np.broadcast_to(x, (1, 3, x.size)).copy()
    y = run(lambda x, _: snake(x, alpha, beta), x, (x.shape[2],), 2)[0]
    expected = x[0] + np.sin(np.exp(alpha.astype(np.float64)) * x[0]) ** 2 / np.exp(beta.astype(np.float64))
    near = 4001
    np.testing.assert_allclose(y[:, :near], expected[:, :near], rtol=0, atol=3e-6)
    np.testing.assert_allclose(y[:, near:], expected[:, near:], rtol=0, atol=3e-3)
