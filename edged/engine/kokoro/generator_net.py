"""Generator network: features and harmonic excitation -> magnitude and phase of the waveform's spectrum.

Nine tenths of the arithmetic, all of it convolutions at 800 and 4800 frames a second. It is compiled for a
fixed length, because only then does the CPU plugin fuse the element-wise chains around the
convolutions. Shorter speech is padded; `weight` says what is speech, and padding is kept out of every
normalisation and zeroed before every convolution, so that it does not change the sound.
"""

from __future__ import annotations

import math

import numpy as np

from edged.engine.kokoro.layers import (
    Tensor,
    Valid,
    channels_conv,
    constant,
    dequantize,
    half_constant,
    indices,
    leaky_relu,
    style_gain_offset,
    upsample_conv,
)
from edged.engine.kokoro.onnx_weights import OnnxWeights
from edged.engine.kokoro.source import SPECTRUM_BINS
from edged.engine.runtime import op, ov

_PATH = "/decoder/decoder/generator"
_BASE = "decoder.decoder.generator"
_DILATIONS = (1, 3, 5)
_FIRST_STRIDE, _SECOND_STRIDE = 10, 6
_UPSAMPLE_SLOPE = 0.1
_LAST_SLOPE = 0.01


def build_generator_network(export: OnnxWeights) -> ov.Model:
    """Inputs features [1, 512, n], excitation [1, 22, 60n + 1], style [1, 256], weight [1, 1, n] (see
    silence.Span); output spectrum [1, 22, 60n + 1]. n is free here and fixed before compiling.
    """
    features = op.parameter([1, 512, -1], ov.Type.f32, name="features")
    excitation = op.parameter([1, 2 * SPECTRUM_BINS, -1], ov.Type.f32, name="excitation")
    style = op.parameter([1, 256], ov.Type.f32, name="style")
    weight = op.parameter([1, 1, -1], ov.Type.f32, name="weight")
    decoder_style = op.slice(style, indices(0), indices(128), indices(1), indices(1))
    build = _Stage(export, decoder_style)
    first, second = _stage_weights(weight)
    x = build.stage(leaky_relu(features, _UPSAMPLE_SLOPE), excitation, Valid(first, time_axis=2), 0)
    x = build.stage(x, excitation, Valid(second, time_axis=2), 1)
    kernel = half_constant(export.float_array(f"{_PATH}/Mul_2_output_0"))
    spectrum = channels_conv(x, kernel, export.float_array(f"{_BASE}.conv_post.bias"), padding=3)
    spectrum.output(0).set_names({"spectrum"})
    return ov.Model([op.result(spectrum)], [features, excitation, style, weight], "kokoro_generator")


def _stage_weights(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Weights per feature frame [1, 1, n] at the rates of both stages: [1, 1, 10n] and [1, 1, 60n + 1]."""
    column = op.unsqueeze(weight, indices(3))
    first, second = (
        op.reshape(op.tile(column, indices(1, 1, 1, times)), indices(1, 1, -1), False)
        for times in (_FIRST_STRIDE, _FIRST_STRIDE * _SECOND_STRIDE)
    )
    start = op.slice(second, indices(0), indices(1), indices(1), indices(2))
    return first, op.concat([start, second], 2)


class _Stage:
    """Builds the two upsampling stages; both have the same parts with other numbers."""

    def __init__(self, weights: OnnxWeights, style: Tensor) -> None:
        self._weights = weights
        self._style = style

    def stage(self, x: Tensor, excitation: Tensor, valid: Valid, index: int) -> Tensor:
        """Upsample x (activated, padding zeroed), add the excitation, refine; returns the same kind."""
        stride = (_FIRST_STRIDE, _SECOND_STRIDE)[index]
        x = upsample_conv(x, *self._weights.transposed_conv(f"{_PATH}/ups.{index}/ConvTranspose"), stride)
        if index == 1:  # the excitation has one frame more: mirror one in at the start
            x = op.concat([op.slice(x, indices(1), indices(2), indices(1), indices(2)), x], 2)
        source = self._noise_conv(excitation, index)
        source = self._residual(source, valid, f"noise_res.{index}")
        x = op.add(x, source)
        blocks = [self._residual(x, valid, f"resblocks.{3 * index + block}") for block in range(3)]
        x = op.multiply(op.add(op.add(blocks[0], blocks[1]), blocks[2]), constant(1 / 3))
        return valid.only(leaky_relu(x, (_UPSAMPLE_SLOPE, _LAST_SLOPE)[index]))

    def _noise_conv(self, excitation: Tensor, index: int) -> Tensor:
        layer = self._weights.conv(f"{_PATH}/noise_convs.{index}")
        stride, padding = ((_SECOND_STRIDE, _SECOND_STRIDE // 2), (1, 0))[index]
        return channels_conv(excitation, dequantize(layer.weight), layer.bias, stride=stride, padding=padding)

    def _residual(self, x: Tensor, valid: Valid, name: str) -> Tensor:
        """Three times: norm, snake, dilated convolution, norm, snake, convolution, plus the input."""
        for index, dilation in enumerate(_DILATIONS):
            y = self._norm_snake(x, valid, name, f"1.{index}")
            y = self._conv(y, f"{name}/convs1.{index}", dilation)
            y = self._norm_snake(y, valid, name, f"2.{index}")
            x = op.add(self._conv(y, f"{name}/convs2.{index}", 1), x)
        return x

    def _conv(self, x: Tensor, name: str, dilation: int) -> Tensor:
        layer = self._weights.conv(f"{_PATH}/{name}")
        padding = dilation * (layer.weight.data.shape[2] - 1) // 2
        return channels_conv(x, dequantize(layer.weight), layer.bias, dilation=dilation, padding=padding)

    def _norm_snake(self, x: Tensor, valid: Valid, name: str, number: str) -> Tensor:
        """Style norm over the valid frames, then snake: y + sin(alpha y)^2 / alpha; padding zeroed."""
        layer = self._weights.linear(f"{_PATH}/{name}/adain{number}/fc/Gemm_MatMul")
        gain, offset = style_gain_offset(self._style, layer, axis=1)
        y = valid.normalised(x, gain, offset)
        alpha = self._weights.float_array(f"{_BASE}.{name}.alpha{number}")
        snake = op.multiply(sine_squared(op.multiply(y, constant(alpha))), constant(1 / alpha))
        return valid.only(op.add(y, snake))


def sine_squared(x: Tensor) -> Tensor:
    """sin(x)^2 for any x, as a polynomial that the CPU plugin fuses into its neighbours (Sin it does not).

    sin^2 has period pi; with r = x - pi * round(x / pi) in [-pi/2, pi/2], sin(r)^2 is a polynomial in r^2.
    """
    turns = op.round(op.multiply(x, constant(1 / math.pi)), "half_to_even")
    reduced = op.subtract(x, op.multiply(turns, constant(math.pi)))
    square = op.multiply(reduced, reduced)
    coefficients = _sine_squared_coefficients()
    value = constant(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = op.add(op.multiply(value, square), constant(coefficient))
    return op.multiply(value, square)


def _sine_squared_coefficients() -> list[float]:
    """sin(r)^2 / r^2 as polynomial in r^2 over [0, pi^2/4]: least squares, error below 1e-7."""
    nodes = (np.cos(np.pi * (np.arange(64) + 0.5) / 64) + 1) / 2 * (math.pi / 2) ** 2
    values = np.sinc(np.sqrt(nodes) / math.pi) ** 2
    return [float(c) for c in np.polynomial.polynomial.polyfit(nodes, values, 5)]
