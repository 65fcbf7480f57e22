"""Frames network: features stretched to 25 ms frames -> pitch, energy and what the generator speaks from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edged.engine.kokoro.layers import (
    Tensor,
    Valid,
    bidirectional_lstm,
    channels_conv,
    constant,
    frames_conv,
    indices,
    leaky_relu,
    style_gain_offset,
)
from edged.engine.kokoro.onnx_weights import FloatArray, Layer, OnnxWeights
from edged.engine.runtime import op, ov

_DECODER = "/decoder/decoder"


def build_frames_network(weights: OnnxWeights) -> ov.Model:
    """Inputs prosody [1, t, 640], articulation [1, t, 512] (zero in the padding), valid [1, t, 1] (0 marks
    padding), style [1, 256]; outputs pitch_hz, energy [1, 2t], features [1, 512, 2t], at 80 frames a second.
    """
    prosody = op.parameter([1, -1, 640], ov.Type.f32, name="prosody")
    articulation = op.parameter([1, -1, 512], ov.Type.f32, name="articulation")
    weight = op.parameter([1, -1, 1], ov.Type.f32, name="valid")
    style = op.parameter([1, 256], ov.Type.f32, name="style")
    decoder_style = op.slice(style, indices(0), indices(128), indices(1), indices(1))
    prosody_style = op.slice(style, indices(128), indices(256), indices(1), indices(1))
    rates = _Rates(Valid(weight, time_axis=1), Valid(_interleave(weight, weight), time_axis=1))
    shared = bidirectional_lstm(prosody, weights.lstm("/encoder/shared"), rates.single)
    pitch = _curve(shared, _Blocks(weights, prosody_style, rates), "F0")
    energy = _curve(shared, _Blocks(weights, prosody_style, rates), "N")
    features = _decoder(articulation, pitch, energy, _Blocks(weights, decoder_style, rates))
    outputs = {
        "pitch_hz": op.squeeze(pitch, indices(2)),
        "energy": op.squeeze(energy, indices(2)),
        "features": op.transpose(features, indices(0, 2, 1)),
    }
    results = []
    for name, node in outputs.items():
        node.output(0).set_names({name})
        results.append(op.result(node))
    return ov.Model(results, [prosody, articulation, weight, style], "kokoro_frames")


@dataclass(frozen=True, slots=True)
class _Rates:
    """The valid frames at 25 ms and at 12.5 ms a frame."""

    single: Valid
    double: Valid


def _curve(x: Tensor, blocks: _Blocks, name: str) -> Tensor:
    """[1, t, 512] -> [1, 2t, 1]: the pitch (F0) or energy (N) curve."""
    valid = blocks.rates.single
    for index in range(3):
        x, valid = blocks.residual(x, valid, f"/encoder/{name}.{index}")
    return frames_conv(x, blocks.weights.conv(f"/encoder/{name}_proj"))


def _decoder(articulation: Tensor, pitch: Tensor, energy: Tensor, blocks: _Blocks) -> Tensor:
    """[1, t, 512] and the two curves [1, 2t, 1] -> [1, 2t, 512]."""
    weights, valid = blocks.weights, blocks.rates.single
    pitch = _halving_conv(pitch, weights.conv(f"{_DECODER}/F0_conv"))
    energy = _halving_conv(energy, weights.conv(f"{_DECODER}/N_conv"))
    x = op.concat([articulation, pitch, energy], 2)
    x, valid = blocks.residual(x, valid, f"{_DECODER}/encode")
    residual = frames_conv(articulation, weights.conv(f"{_DECODER}/asr_res/asr_res.0"))
    for index in range(4):
        x = op.concat([x, residual, pitch, energy], 2)
        x, valid = blocks.residual(x, valid, f"{_DECODER}/decode.{index}")
    return x


def _halving_conv(curve: Tensor, layer: Layer) -> Tensor:
    """The 3-tap stride-2 convolution of one channel, [1, 2t, 1] -> [1, t, 1]."""
    x = op.transpose(curve, indices(0, 2, 1))
    y = channels_conv(x, constant(layer.weight.dequantized()), layer.bias, stride=2, padding=1)
    return op.transpose(y, indices(0, 2, 1))


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Builds residual blocks that speak in one style."""

    weights: OnnxWeights
    style: Tensor
    rates: _Rates

    def residual(self, x: Tensor, valid: Valid, path: str) -> tuple[Tensor, Valid]:
        """Twice style norm, leaky ReLU, convolution, plus the input; returns the result and its valid frames.

        Doubles the frame rate where the export has a pooling layer.
        """
        y = self._norm(x, valid, f"{path}/norm1")
        if self.weights.has_node(f"{path}/pool/ConvTranspose"):
            y = _pool_upsample(y, *self.weights.transposed_conv(f"{path}/pool/ConvTranspose"))
            x = _interleave(x, x)
            valid = self.rates.double
        y = frames_conv(valid.only(y), self.weights.conv(f"{path}/conv1"))
        y = frames_conv(self._norm(y, valid, f"{path}/norm2"), self.weights.conv(f"{path}/conv2"))
        if self.weights.has_node(f"{path}/conv1x1/Conv_quant"):
            x = frames_conv(x, self.weights.conv(f"{path}/conv1x1"))
        return op.multiply(op.add(y, x), constant(1 / math.sqrt(2))), valid

    def _norm(self, x: Tensor, valid: Valid, path: str) -> Tensor:
        gain, offset = style_gain_offset(self.style, self.weights.linear(f"{path}/fc/Gemm_MatMul"), axis=2)
        return valid.only(leaky_relu(valid.normalised(x, gain, offset)))


def _interleave(even: Tensor, odd: Tensor) -> Tensor:
    """Two of [1, t, c] -> [1, 2t, c], frame by frame in turn."""
    channels = even.get_output_partial_shape(0)[2].get_length()
    return op.reshape(op.concat([even, odd], 2), indices(1, -1, channels), False)


def _pool_upsample(x: Tensor, weight: FloatArray, bias: FloatArray) -> Tensor:
    """The depthwise 3-tap transposed convolution of stride 2, one output frame per parity.

    `weight` [channels, 1, 3]: frame 2j is x[j]*w1, frame 2j+1 is x[j]*w2 + x[j+1]*w0.
    """
    w0, w1, w2 = (constant(weight[:, 0, tap].reshape(1, 1, -1)) for tap in range(3))
    offset = constant(bias.reshape(1, 1, -1))
    padded = op.pad(x, indices(0, 0, 0), indices(0, 1, 0), "constant", constant(0.0))
    following = op.slice(padded, indices(1), indices(np.iinfo(np.int64).max), indices(1), indices(1))
    even = op.add(op.multiply(x, w1), offset)
    odd = op.add(op.add(op.multiply(x, w2), op.multiply(following, w0)), offset)
    return _interleave(even, odd)
