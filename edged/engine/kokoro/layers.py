"""OpenVINO building blocks of Kokoro's networks: INT8 weights, float32 arithmetic.

Two layouts: the text and frames networks are channels-last [1, time, channels], with convolutions written as
one MatMul over neighbouring frames, because only MatMul keeps its weights in INT8 in memory; the generator
is channels-first [1, channels, time], because there arithmetic counts and the convolution kernels are
faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.engine.kokoro.onnx_weights import FloatArray, Layer, LstmWeights, QuantizedTensor
from edged.engine.runtime import op

Tensor = Any  # an OpenVINO node or output; the package has no type stubs

LEAKY_SLOPE = 0.2
NORM_EPSILON = 1e-5


def constant(values: NDArray[Any] | float) -> Tensor:
    """A float32 constant."""
    return op.constant(np.array(values, dtype=np.float32, order="C"))


def indices(*values: int) -> Tensor:
    """An int64 vector for axes, shapes and slices."""
    return op.constant(np.asarray(values, dtype=np.int64))


def half_constant(values: FloatArray) -> Tensor:
    """Values stored as float16 (the file is half as large), used as float32."""
    return op.convert(op.constant(np.array(values, dtype=np.float16, order="C")), "f32")


def dequantize(tensor: QuantizedTensor) -> Tensor:
    """The 8-bit constant with the decompression that OpenVINO folds into the layer using it."""
    value = op.convert(op.constant(np.ascontiguousarray(tensor.data)), "f32")
    if np.any(tensor.zero_point):
        value = op.subtract(value, constant(tensor.zero_point))
    return op.multiply(value, constant(tensor.scale))


def linear(x: Tensor, layer: Layer) -> Tensor:
    """x [..., in] -> [..., out]."""
    y = op.matmul(x, dequantize(layer.weight), False, True)
    return y if layer.bias is None else op.add(y, constant(layer.bias))


def frames_conv(x: Tensor, layer: Layer) -> Tensor:
    """A same-padded convolution over time as one MatMul: x [1, time, in] -> [1, time, out]."""
    out_channels, in_channels, taps = layer.weight.data.shape
    rows = layer.weight.data.transpose(0, 2, 1).reshape(out_channels, taps * in_channels)
    per_row = np.ones((out_channels, 1), np.float32)
    weight = QuantizedTensor(rows, layer.weight.scale * per_row, layer.weight.zero_point * per_row)
    return linear(_neighbours(x, taps), Layer(weight, layer.bias))


def _neighbours(x: Tensor, taps: int) -> Tensor:
    """[1, time, channels] -> [1, time, taps * channels]: each frame beside its neighbours, zeros outside."""
    reach = taps // 2
    if reach == 0:
        return x
    padded = op.pad(x, indices(0, reach, 0), indices(0, reach, 0), "constant", constant(0.0))
    shifted = []
    for tap in range(taps):
        last = tap + 1 - taps
        end = indices(last) if last else indices(np.iinfo(np.int64).max)
        shifted.append(op.slice(padded, indices(tap), end, indices(1), indices(1)))
    return op.concat(shifted, 2)


def channels_conv(
    x: Tensor,
    weight: Tensor,
    bias: FloatArray | None,
    *,
    stride: int = 1,
    dilation: int = 1,
    padding: int = 0,
) -> Tensor:
    """An ordinary 1-D convolution: x [1, in, time], weight [out, in, taps]."""
    y = op.convolution(x, weight, [stride], [padding], [padding], [dilation])
    return y if bias is None else op.add(y, constant(bias.reshape(1, -1, 1)))


def upsample_conv(x: Tensor, weight: FloatArray, bias: FloatArray, stride: int) -> Tensor:
    """A transposed convolution of 2*stride taps and stride/2 padding: [1, in, t] -> [1, out, stride*t].

    Written as a 2-tap convolution that makes `stride` samples per input frame, then interleaved: the CPU
    plugin runs real transposed convolutions on a slow path. `weight` is [in, out, 2*stride].
    """
    in_channels, out_channels, taps = weight.shape
    if taps != 2 * stride or stride % 2:
        raise ValueError(f"a transposed convolution of {taps} taps and stride {stride} cannot be rewritten")
    previous, current = weight[:, :, stride:], weight[:, :, :stride]
    two_taps = np.stack([previous, current], axis=-1)  # [in, out, stride, 2]
    two_taps = two_taps.transpose(1, 2, 0, 3).reshape(out_channels * stride, in_channels, 2)
    y = channels_conv(x, half_constant(two_taps), np.repeat(bias, stride), padding=1)
    y = op.reshape(y, indices(1, out_channels, stride, -1), False)
    y = op.reshape(op.transpose(y, indices(0, 1, 3, 2)), indices(1, out_channels, -1), False)
    return op.slice(y, indices(stride // 2), indices(-(stride // 2)), indices(1), indices(2))


def leaky_relu(x: Tensor, slope: float = LEAKY_SLOPE) -> Tensor:
    """max(x, slope * x)."""
    return op.prelu(x, constant(np.array([slope])))


def layer_norm(x: Tensor, gain: FloatArray, offset: FloatArray, epsilon: float = NORM_EPSILON) -> Tensor:
    """Normalise each frame over its channels (last axis)."""
    return op.add(op.multiply(plain_layer_norm(x, epsilon), constant(gain)), constant(offset))


def plain_layer_norm(x: Tensor, epsilon: float = NORM_EPSILON) -> Tensor:
    """Zero mean and unit variance over the last axis."""
    return op.mvn(x, indices(-1), True, epsilon, "INSIDE_SQRT")


class Valid:
    """How much each frame counts in statistics over time; 0 marks padding, which no layer may hear."""

    def __init__(self, weight: Tensor, time_axis: int) -> None:
        self.weight = weight
        self.mask = op.convert(op.greater(weight, constant(0.0)), "f32")
        self._axis = indices(time_axis)
        self._mean_factor = op.divide(constant(1.0), op.reduce_sum(weight, self._axis, True))

    def normalised(self, x: Tensor, gain: Tensor, offset: Tensor) -> Tensor:
        """Zero mean and unit variance over the valid frames, times `gain`, plus `offset`."""
        centred = op.subtract(x, self._mean(op.multiply(x, self.weight)))
        variance = self._mean(op.multiply(op.multiply(centred, centred), self.weight))
        gain = op.divide(gain, op.sqrt(op.add(variance, constant(NORM_EPSILON))))
        return op.add(op.multiply(centred, gain), offset)

    def only(self, x: Tensor) -> Tensor:
        """x with its padding zeroed, as a convolution over the valid frames alone would see it."""
        return op.multiply(x, self.mask)

    def _mean(self, weighted: Tensor) -> Tensor:
        return op.multiply(op.reduce_sum(weighted, self._axis, True), self._mean_factor)


# In padded steps this input times a weight of -127 (times the scale, >= 0.002) shuts the gates it is wired
# to.
_SHUT = 1000.0


def bidirectional_lstm(x: Tensor, weights: LstmWeights, valid: Valid) -> Tensor:
    """[1, time, in] -> [1, time, 2*hidden], forward half first; zero in the padding.

    OpenVINO runs sequences of a length known only at run time step by step. Instead one more input, set in
    the padding, shuts the input and forget gates: the state stays zero there, and the backward half starts
    as fresh at the last valid frame as it should.
    """
    hidden = weights.r.data.shape[2]
    padding = op.multiply(op.subtract(constant(1.0), valid.mask), constant(_SHUT))
    x = op.concat([x, padding], 2)
    w, r = (
        dequantize(QuantizedTensor(_openvino_gates(data, hidden), part.scale, part.zero_point))
        for data, part in ((_with_gate_shutter(weights.w.data), weights.w), (weights.r.data, weights.r))
    )
    halves = weights.bias[:, : 4 * hidden] + weights.bias[:, 4 * hidden :]
    bias = constant(_openvino_gates(halves, hidden))
    state = constant(np.zeros((1, 2, hidden), np.float32))
    length = op.gather(op.shape_of(x), indices(1), indices(0))
    sequence = op.lstm_sequence(x, state, state, length, w, r, bias, hidden, "bidirectional")
    by_time = op.transpose(sequence.output(0), indices(0, 2, 1, 3))  # [1, time, 2, hidden]
    return op.reshape(by_time, indices(1, -1, 2 * hidden), False)


def _with_gate_shutter(w: NDArray[Any]) -> NDArray[Any]:
    """[2, 4H, in] in ONNX gate order -> [2, 4H, in + 1]: the new input closes i and f, not o and c."""
    shutter = np.zeros((*w.shape[:2], 1), w.dtype)
    gates = shutter.reshape(w.shape[0], 4, -1)
    gates[:, [0, 2]] = -127
    return np.concatenate([w, shutter], axis=2)


def _openvino_gates(values: NDArray[Any], hidden: int) -> NDArray[Any]:
    """Reorder gates along axis 1 from ONNX (i, o, f, c) to OpenVINO (f, i, c, o)."""
    i, o, f, c = (values[:, gate * hidden : (gate + 1) * hidden] for gate in range(4))
    return np.concatenate([f, i, c, o], axis=1)


def style_gain_offset(style: Tensor, layer: Layer, axis: int) -> tuple[Tensor, Tensor]:
    """Gain (1 + gamma) and offset of a style [1, 128], each [1, 1, n] (axis 2) or [1, n, 1] (axis 1)."""
    channels = layer.weight.data.shape[0] // 2
    shape = indices(1, 2, 1, channels) if axis == 2 else indices(1, 2, channels, 1)
    both = op.reshape(linear(style, layer), shape, False)
    gamma = op.gather(both, op.constant(np.int64(0)), op.constant(np.int64(1)))
    offset = op.gather(both, op.constant(np.int64(1)), op.constant(np.int64(1)))
    return op.add(gamma, constant(1.0)), offset
