"""Building blocks of the talker's and the code predictor's graphs: a causal transformer layer and its parts.

Everything is [batch, time, features] and [batch, heads, time, head_dim]. The arithmetic is written in the
forms that the CPU plugin recognises and runs as one kernel each: RMSNorm, rotary embedding, attention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from edged.engine.qwen3.config import TransformerConfig
from edged.engine.runtime import op, ov

FloatArray = NDArray[np.float32]
Tensor = Any  # an OpenVINO node or output; the package has no type stubs

# Neighbours that are rounded to 8 bits with one scale, beside INT8 weights. 256 instead of OpenVINO's 32: a
# frame's 15 predictor steps take 29 ms instead of 33, and the hidden state is 27 dB over its rounding noise
# instead of 28 (random weights; 30 without any rounding of activations).
ACTIVATION_GROUP = 256
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


class Weights(Protocol):
    """The tensors of a checkpoint, read on demand; nothing is kept.

    `bfloat16` says that every value is exactly representable in 16 bits, so that constants may be stored so.
    """

    bfloat16: bool

    def __call__(self, name: str) -> FloatArray:
        """One tensor by its published name."""


def constant(values: NDArray[Any] | float) -> Tensor:
    """A float32 constant."""
    return op.constant(np.array(values, dtype=np.float32, order="C"))


def indices(*values: int) -> Tensor:
    """An int64 vector for axes, shapes and slices."""
    return op.constant(np.asarray(values, dtype=np.int64))


def matrix(values: FloatArray, *, bfloat16: bool) -> Tensor:
    """A large constant, used as float32; stored in half the space where that loses nothing."""
    if not bfloat16:
        return constant(values)
    owner = ov.Tensor(ov.Type.bf16, values.shape)  # a tensor made from an array would only borrow it
    owner.data.view(np.uint16)[:] = np.ascontiguousarray(values).view(np.uint32) >> 16
    return op.convert(op.constant(owner), "f32")


def parameter(name: str, shape: list[int], dtype: Any = ov.Type.f32) -> Any:
    """An input of a network under a name; -1 is any length."""
    node = op.parameter(shape, dtype, name=name)
    node.output(0).set_names({name})
    return node


def named_result(x: Tensor, name: str) -> Any:
    """An output of a network under a name."""
    result = op.result(x)
    result.output(0).set_names({name})
    return result


def linear(x: Tensor, weight: Tensor) -> Tensor:
    """x [..., in], weight [out, in] -> [..., out]."""
    return op.matmul(x, weight, False, True)


def rms_norm(x: Tensor, gain: FloatArray, epsilon: float) -> Tensor:
    """x / sqrt(mean(x^2) + epsilon) * gain over the last axis."""
    mean_square = op.reduce_mean(op.power(x, constant(2.0)), indices(-1), True)
    root = op.sqrt(op.add(mean_square, constant(epsilon)))
    return op.multiply(op.multiply(x, op.divide(constant(1.0), root)), constant(gain))


def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate x [batch, heads, time, head_dim] by its positions; cos and sin are [..., time, head_dim]."""
    half = x.get_output_partial_shape(0)[3].get_length() // 2
    first, second = op.variadic_split(x, op.constant(np.int64(3)), indices(half, half)).outputs()
    rotated = op.concat([op.multiply(second, constant(-1.0)), first], -1)
    return op.add(op.multiply(x, cos), op.multiply(rotated, sin))


def frequencies(config: TransformerConfig) -> FloatArray:
    """How far each feature turns per position, in radians: [head_dim], both halves alike."""
    exponents = np.arange(0, config.head_dim, 2, dtype=np.float32) / np.float32(config.head_dim)
    return np.tile(np.float32(1.0) / np.float32(config.rope_theta) ** exponents, 2)


class Layer:
    """One transformer layer. Its constants are made once, however often it is called."""

    def __init__(self, config: TransformerConfig, weights: Weights, prefix: str) -> None:
        self._config = config

        def joined(*names: str) -> Tensor:
            rows = [weights(f"{prefix}{name}_proj.weight") for name in names]
            return matrix(np.concatenate(rows), bfloat16=weights.bfloat16)

        # products of one input are one product: fewer and longer reads of weights
        self._query_key_value = joined("self_attn.q", "self_attn.k", "self_attn.v")
        self._output = joined("self_attn.o")
        self._gate_up = joined("mlp.gate", "mlp.up")
        self._down = joined("mlp.down")
        self._input_gain = weights(f"{prefix}input_layernorm.weight")
        self._feed_forward_gain = weights(f"{prefix}post_attention_layernorm.weight")
        # attention's scale is part of it: one multiplication less
        self._query_gain = weights(f"{prefix}self_attn.q_norm.weight") * np.float32(config.head_dim**-0.5)
        self._key_gain = weights(f"{prefix}self_attn.k_norm.weight")

    def __call__(self, x: Tensor, cos: Tensor, sin: Tensor, attend: Attend) -> Tensor:
        """x [batch, time, hidden] -> the same shape.

        `attend` gets q [batch, heads, time, head_dim], k and v [batch, key heads, time, head_dim], q and k
        rotated, q scaled as well, and returns what q read, in q's shape.
        """
        query, key, value = self._heads(self._norm(x, self._input_gain))
        context = attend(rotary(query, cos, sin), rotary(key, cos, sin), value)
        context = op.reshape(op.transpose(context, indices(0, 2, 1, 3)), indices(0, 0, -1), True)
        x = op.add(x, linear(context, self._output))
        return op.add(x, self._feed_forward(self._norm(x, self._feed_forward_gain)))

    def _heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        config = self._config
        sizes = indices(config.query_size, config.key_size, config.key_size)
        joined = linear(x, self._query_key_value)
        query, key, value = op.variadic_split(joined, op.constant(np.int64(2)), sizes).outputs()
        query, key, value = (
            op.reshape(part, indices(0, 0, -1, config.head_dim), True) for part in (query, key, value)
        )
        query, key = self._norm(query, self._query_gain), self._norm(key, self._key_gain)
        query, key, value = (op.transpose(part, indices(0, 2, 1, 3)) for part in (query, key, value))
        return query, key, value

    def _feed_forward(self, x: Tensor) -> Tensor:
        gate, up = op.split(linear(x, self._gate_up), op.constant(np.int64(2)), 2).outputs()
        return linear(op.multiply(op.swish(gate), up), self._down)

    def _norm(self, x: Tensor, gain: FloatArray) -> Tensor:
        return rms_norm(x, gain, self._config.rms_norm_eps)


def repeat_heads(x: Tensor, config: TransformerConfig) -> Tensor:
    """Keys or values of the shared heads, once for every query head that reads them.

    In exactly this form, which the fused attention looks for and then never carries out.
    """
    groups = config.num_attention_heads // config.num_key_value_heads
    repeated = op.broadcast(
        op.unsqueeze(x, indices(2)), indices(1, 1, groups, 1, 1), broadcast_spec="BIDIRECTIONAL"
    )
    return op.reshape(repeated, indices(0, config.num_attention_heads, -1, config.head_dim), True)
