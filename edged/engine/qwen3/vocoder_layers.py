"""Building blocks of the vocoder's graphs: causal layers that remember the end of what they have heard.

Two layouts: channels-last [1, time, channels] for products, channels-first [1, channels, time] for
convolutions. Nothing looks ahead, so a stream decoded in pieces is the stream decoded at once.
"""

from __future__ import annotations

import math

import numpy as np

from edged.engine.qwen3.graph import FloatArray, Tensor, constant, indices, linear
from edged.engine.runtime import op, ov

_END = np.iinfo(np.int64).max
_SNAKE_EPSILON = 1e-9


class Memory:
    """What the layers of one network keep from call to call: a variable each, zeros at the start."""

    def __init__(self) -> None:
        self.sinks: list[Tensor] = []

    def behind(self, x: Tensor, columns: int, axis: int, name: str) -> Tensor:
        """x with the last `columns` steps before it in front, along `axis`; all other axes are fixed."""
        output = x if isinstance(x, ov.Output) else x.output(0)
        shape = [size.get_length() if size.is_static else -1 for size in output.get_partial_shape()]
        shape[axis] = columns
        before = op.read_value(constant(np.zeros(shape)), name, ov.Type.f32, ov.PartialShape(shape))
        both = op.concat([before, x], axis)
        last = op.slice(both, indices(-columns), indices(_END), indices(1), indices(axis))
        self.sinks.append(op.assign(last, name))
        return both


def affine(x: Tensor, weight: FloatArray, bias: FloatArray) -> Tensor:
    """x [..., in], weight [out, in] -> [..., out]."""
    return op.add(linear(x, constant(weight)), constant(bias))


def taps(x: Tensor, count: int) -> list[Tensor]:
    """x [1, time + count - 1, channels] -> `count` views [1, time, channels], the oldest first."""
    ends = [*range(1 - count, 0), _END]
    return [
        op.slice(x, indices(start), indices(end), indices(1), indices(1)) for start, end in enumerate(ends)
    ]


def causal_product(x: Tensor, kernel: FloatArray, bias: FloatArray, memory: Memory, name: str) -> Tensor:
    """A causal convolution as one product: x [1, time, in], kernel [out, in, taps] -> [1, time, out].

    Where there are few columns and many weights it is the faster form.
    """
    out_channels, in_channels, count = kernel.shape
    neighbours = op.concat(taps(memory.behind(x, count - 1, 1, name), count), 2)
    weight = kernel.transpose(0, 2, 1).reshape(out_channels, count * in_channels)
    return affine(neighbours, weight, bias)


def causal_convolution(
    x: Tensor, kernel: FloatArray, bias: FloatArray, memory: Memory, name: str, dilation: int = 1
) -> Tensor:
    """x [1, in, time], kernel [out, in, taps] -> [1, out, time]."""
    reach = (kernel.shape[2] - 1) * dilation
    heard = memory.behind(x, reach, 2, name) if reach else x
    y = op.convolution(heard, constant(kernel), [1], [0], [0], [dilation])
    return op.add(y, constant(bias[:, None]))


def depthwise_convolution(
    x: Tensor, kernel: FloatArray, bias: FloatArray, memory: Memory, name: str
) -> Tensor:
    """Each channel with its own taps: x [1, time, channels], kernel [channels, 1, taps] -> the same shape."""
    count = kernel.shape[2]
    heard = taps(memory.behind(x, count - 1, 1, name), count)
    y = constant(bias)
    for tap, values in enumerate(heard):
        y = op.add(y, op.multiply(values, constant(kernel[:, 0, tap])))
    return y


def upsample(x: Tensor, kernel: FloatArray, bias: FloatArray) -> Tensor:
    """A transposed convolution whose kernel is as long as its stride: `stride` columns out of each one.

    x [1, time, in], kernel [in, out, stride] -> [1, time * stride, out].
    """
    in_channels, out_channels, stride = kernel.shape
    weight = kernel.transpose(2, 1, 0).reshape(stride * out_channels, in_channels)
    return op.reshape(affine(x, weight, np.tile(bias, stride)), indices(1, -1, out_channels), False)


def upsample_overlapping(
    x: Tensor, kernel: FloatArray, bias: FloatArray, memory: Memory, name: str
) -> Tensor:
    """A causal transposed convolution whose kernel is two strides long: each output hears two columns.

    x [1, time, in], kernel [in, out, 2 * stride] -> [1, time * stride, out]. OpenVINO's own transposed
    convolution takes a slow path on the CPU; as a product it costs what its arithmetic does.
    """
    stride = kernel.shape[2] // 2
    previous, current = taps(memory.behind(x, 1, 1, name), 2)
    # the second half of the kernel is what a column still gives to its successor's samples
    both = np.concatenate([kernel[:, :, stride:], kernel[:, :, :stride]])
    return upsample(op.concat([previous, current], 2), both, bias)


def snake(x: Tensor, alpha: FloatArray, beta: FloatArray) -> Tensor:
    """x + sin(e^alpha x)^2 / e^beta; alpha and beta have a shape that broadcasts against x.

    Sin is a slow reference kernel in the CPU plugin; this polynomial is fused into one loop. sin^2 has period
    pi: with u = e^alpha x / pi and r = u - round(u), sin(pi r)^2 is a polynomial in r^2.
    """
    turns = op.multiply(x, constant(np.exp(alpha.astype(np.float64)) / math.pi))
    reduced = op.subtract(turns, op.round(turns, "half_to_even"))
    square = op.multiply(reduced, reduced)
    *lower, highest = _sine_squared_coefficients()
    value = constant(highest)
    for coefficient in reversed(lower):
        value = op.add(op.multiply(value, square), constant(coefficient))
    gain = constant(1 / (np.exp(beta.astype(np.float64)) + _SNAKE_EPSILON))
    return op.add(x, op.multiply(op.multiply(value, square), gain))


def _sine_squared_coefficients() -> list[float]:
    """sin(pi r)^2 / r^2 as a polynomial in r^2 for |r| <= 1/2, lowest first: error below 1e-7."""
    nodes = (np.cos(np.pi * (np.arange(64) + 0.5) / 64) + 1) / 8
    values = (math.pi * np.sinc(np.sqrt(nodes))) ** 2
    return [float(value) for value in np.polynomial.polynomial.polyfit(nodes, values, 5)]
