"""The vocoder as two stateful networks: codes -> features -> samples.

The features network holds nine tenths of the weights: its time goes into reading them, so it takes several
frames at once and any number of them. The waveform network holds nine tenths of the activations: it takes one
frame at a time, whose activations stay in the cache, and its shapes are fixed, because only then does the CPU
plugin fuse the element-wise chains. A second compiled length of either would be a second copy of its weights.
"""

from __future__ import annotations

from math import prod

import numpy as np

from edged.engine.qwen3.config import VocoderConfig
from edged.engine.qwen3.graph import FloatArray, Tensor, Weights, constant, indices, linear, rms_norm, rotary
from edged.engine.qwen3.vocoder_layers import (
    Memory,
    affine,
    causal_convolution,
    causal_product,
    depthwise_convolution,
    snake,
    upsample,
    upsample_overlapping,
)
from edged.engine.runtime import op, ov

# Frames the features network takes at once. Twice as many would read the weights half as often per frame,
# which is worth 2 % by then, and make every later chunk wait.
LONGEST_CHUNK = 8

_CLUSTER_EPSILON = 1e-5
_LAYER_NORM_EPSILON = 1e-6
_MASKED = -1e9
_DILATIONS = (1, 3, 9)
# Waveform blocks that belong to the features network: the first has five times the weights of the second, and
# a fifth of its columns.
_FEATURE_BLOCKS = 1


def build_features_network(config: VocoderConfig, weights: Weights) -> ov.Model:
    """Input codes i32 [n, quantizers], 1 <= n <= LONGEST_CHUNK; output features [1, n * columns, channels].

    Codes are below `codebook_size`. Continues after the frames of the calls before, until its state is reset.
    """
    codes = op.parameter([-1, config.num_quantizers], ov.Type.i32, name="codes")
    memory = Memory()
    x = _dequantized(codes, config, weights)
    pre_conv = "decoder.pre_conv.conv"
    x = causal_product(x, weights(f"{pre_conv}.weight"), weights(f"{pre_conv}.bias"), memory, pre_conv)
    frames = op.gather(op.shape_of(codes), indices(0), indices(0))
    x = _Transformer(config, weights, memory, frames).apply(x)
    for index in range(len(config.upsampling_ratios)):
        x = _conv_next(x, f"decoder.upsample.{index}.", weights, memory)
    first = "decoder.decoder.0.conv"
    x = causal_product(x, weights(f"{first}.weight"), weights(f"{first}.bias"), memory, first)
    for block in range(1, _FEATURE_BLOCKS + 1):
        x = _upsampled(x, block, weights, memory)
        x = _channels_last(_residual_units(_channels_first(x), block, weights, memory))
    x = _upsampled(x, _FEATURE_BLOCKS + 1, weights, memory)
    x.output(0).set_names({"features"})
    return ov.Model([op.result(x)], memory.sinks, [codes], "vocoder_features")


def build_waveform_network(config: VocoderConfig, weights: Weights) -> ov.Model:
    """Input the features [1, columns, channels] of one frame, output its samples [samples per frame].

    Continues after the frames of the calls before, until its state is reset.
    """
    first = _FEATURE_BLOCKS + 1
    columns = prod(config.upsampling_ratios) * prod(config.upsample_rates[:first])
    features = op.parameter([1, columns, config.decoder_dim >> first], ov.Type.f32, name="features")
    memory = Memory()
    x = _residual_units(_channels_first(features), first, weights, memory)
    last = len(config.upsample_rates)
    for block in range(first + 1, last + 1):
        x = _channels_first(_upsampled(_channels_last(x), block, weights, memory))
        x = _residual_units(x, block, weights, memory)
    x = _snake(x, f"decoder.decoder.{last + 1}.", weights)
    conv = f"decoder.decoder.{last + 2}.conv"
    x = causal_convolution(x, weights(f"{conv}.weight"), weights(f"{conv}.bias"), memory, conv)
    samples = op.reshape(op.clamp(x, -1.0, 1.0), indices(-1), False)
    samples.output(0).set_names({"samples"})
    return ov.Model([op.result(samples)], memory.sinks, [features], "vocoder_waveform")


def _dequantized(codes: Tensor, config: VocoderConfig, weights: Weights) -> Tensor:
    """[n, quantizers] -> [1, n, codebook_dim]: the sum of the codes' vectors, the first one apart."""
    names = [("rvq_first", 0)] + [("rvq_rest", index) for index in range(config.num_quantizers - 1)]
    table = np.concatenate(
        [_codebook(f"decoder.quantizer.{name}.vq.layers.{i}.", weights) for name, i in names]
    )
    starts = np.arange(config.num_quantizers, dtype=np.int32) * config.codebook_size
    vectors = op.gather(constant(table), op.add(codes, op.constant(starts)), indices(0))
    split = op.variadic_split(vectors, op.constant(np.int64(1)), indices(1, -1)).outputs()
    sums = op.concat([op.reduce_sum(part, indices(1), False) for part in split], 1)
    projections = [
        weights(f"decoder.quantizer.{name}.output_proj.weight") for name in ("rvq_first", "rvq_rest")
    ]
    return op.unsqueeze(linear(sums, constant(np.concatenate(projections, axis=1)[:, :, 0])), indices(0))


def _codebook(layer: str, weights: Weights) -> FloatArray:
    """The vectors of one quantizer, [codebook_size, codebook_dim / 2]: means over their clusters."""
    usage = np.maximum(weights(f"{layer}_codebook.cluster_usage"), np.float32(_CLUSTER_EPSILON))
    return np.divide(weights(f"{layer}_codebook.embedding_sum"), usage[:, None], dtype=np.float32)


class _Transformer:
    """The transformer over frames: each hears itself and the `sliding_window - 1` before it.

    Keys are remembered as they were before the rotary embedding, and the whole window is turned anew in each
    call: only distances matter, so positions count from the oldest frame in it and never grow.
    """

    def __init__(self, config: VocoderConfig, weights: Weights, memory: Memory, frames: Tensor) -> None:
        self._config = config
        self._weights = weights
        self._memory = memory
        self._past = config.sliding_window - 1
        window = op.add(frames, indices(self._past))
        angles = self._angles()
        # (cos, sin) of the keys' positions; the queries' are the last of them
        self._turn_keys = [_first(constant(part), window, 0) for part in (np.cos(angles), np.sin(angles))]
        self._turn_queries = [
            op.slice(part, indices(self._past), indices(LONGEST_CHUNK + self._past), indices(1), indices(0))
            for part in self._turn_keys
        ]
        self._mask = self._attention_mask(frames, window)

    def apply(self, x: Tensor) -> Tensor:
        """x [1, n, latent] -> [1, n, latent]."""
        prefix, weights = "decoder.pre_transformer.", self._weights
        x = affine(x, weights(f"{prefix}input_proj.weight"), weights(f"{prefix}input_proj.bias"))
        for index in range(self._config.num_hidden_layers):
            x = self._layer(x, f"{prefix}layers.{index}.")
        x = rms_norm(x, weights(f"{prefix}norm.weight"), self._config.rms_norm_eps)
        return affine(x, weights(f"{prefix}output_proj.weight"), weights(f"{prefix}output_proj.bias"))

    def _layer(self, x: Tensor, layer: str) -> Tensor:
        weights, epsilon = self._weights, self._config.rms_norm_eps
        heard = rms_norm(x, weights(f"{layer}input_layernorm.weight"), epsilon)
        x = op.add(x, self._attention(heard, layer))
        heard = rms_norm(x, weights(f"{layer}post_attention_layernorm.weight"), epsilon)
        gate_up = self._joined_product(heard, f"{layer}mlp.gate", f"{layer}mlp.up")
        gate, up = op.split(gate_up, op.constant(np.int64(2)), 2).outputs()
        down = weights(f"{layer}mlp.down_proj.weight") * weights(f"{layer}mlp_layer_scale.scale")[:, None]
        return op.add(x, linear(op.multiply(op.swish(gate), up), constant(down)))

    def _attention(self, x: Tensor, layer: str) -> Tensor:
        """x [1, n, hidden] -> what attention adds to it, [1, n, hidden]."""
        weights, attention = self._weights, f"{layer}self_attn."
        config = self._config
        sizes = config.num_attention_heads * config.head_dim, 2 * config.num_key_value_heads * config.head_dim
        joined = self._joined_product(x, *(f"{attention}{name}" for name in "qkv"))
        query, both = op.variadic_split(joined, op.constant(np.int64(2)), indices(*sizes)).outputs()
        both = self._memory.behind(both, self._past, 1, f"{attention}keys_and_values")
        key, value = op.split(both, op.constant(np.int64(2)), 2).outputs()
        y = op.scaled_dot_product_attention(
            rotary(self._heads(query), *self._turn_queries),
            self._shared(rotary(self._heads(key), *self._turn_keys)),
            self._shared(self._heads(value)),
            self._mask,
        )
        y = op.reshape(op.transpose(y, indices(0, 2, 1, 3)), indices(1, -1, sizes[0]), False)
        scale = weights(f"{layer}self_attn_layer_scale.scale")[:, None]
        return linear(y, constant(weights(f"{attention}o_proj.weight") * scale))

    def _joined_product(self, x: Tensor, *names: str) -> Tensor:
        """The projections of one input, side by side: fewer and longer reads of weights."""
        return linear(x, constant(np.concatenate([self._weights(f"{name}_proj.weight") for name in names])))

    def _heads(self, x: Tensor) -> Tensor:
        """[1, time, heads * head_dim] -> [1, heads, time, head_dim]."""
        by_head = op.reshape(x, indices(0, 0, -1, self._config.head_dim), True)
        return op.transpose(by_head, indices(0, 2, 1, 3))

    def _shared(self, x: Tensor) -> Tensor:
        """Key or value heads, each as often as query heads share it."""
        heads, own = self._config.num_attention_heads, self._config.num_key_value_heads
        if heads == own:
            return x
        return op.gather(x, indices(*np.repeat(np.arange(own), heads // own)), indices(1))

    def _angles(self) -> FloatArray:
        """Of the rotary embedding for the longest window, [positions, head_dim]."""
        config = self._config
        per_position = config.rope_theta ** -(np.arange(0, config.head_dim, 2) / config.head_dim)
        half = np.arange(self._past + LONGEST_CHUNK)[:, None] * per_position
        return np.concatenate([half, half], axis=1)

    def _attention_mask(self, frames: Tensor, window: Tensor) -> Tensor:
        """[n, window]: 0 where a frame hears another, very negative where not, as before the first frame."""
        row, column = np.arange(LONGEST_CHUNK)[:, None], np.arange(self._past + LONGEST_CHUNK)
        allowed = ((column >= row) & (column <= row + self._past)).astype(np.float32)
        now = _first(constant(np.ones((1, LONGEST_CHUNK))), frames, 1)
        heard = self._memory.behind(now, self._past, 1, "decoder.pre_transformer.heard")
        allowed = op.multiply(heard, _first(_first(constant(allowed), frames, 0), window, 1))
        return op.multiply(op.subtract(constant(1.0), allowed), constant(_MASKED))


def _first(x: Tensor, count: Tensor, axis: int) -> Tensor:
    """The first `count` (an int64 tensor of one) elements along `axis`."""
    return op.slice(x, indices(0), count, indices(1), indices(axis))


def _conv_next(x: Tensor, block: str, weights: Weights, memory: Memory) -> Tensor:
    """One upsampling block: more columns, then a ConvNeXt unit. x [1, time, latent].

    The scales and offsets of its norm and of its output are folded into the products beside them.
    """
    x = upsample(x, weights(f"{block}0.conv.weight"), weights(f"{block}0.conv.bias"))
    depthwise = f"{block}1.dwconv.conv"
    y = depthwise_convolution(
        x, weights(f"{depthwise}.weight"), weights(f"{depthwise}.bias"), memory, depthwise
    )
    y = op.mvn(y, indices(-1), True, _LAYER_NORM_EPSILON, "INSIDE_SQRT")
    wide = weights(f"{block}1.pwconv1.weight")
    offset = weights(f"{block}1.pwconv1.bias") + wide @ weights(f"{block}1.norm.bias")
    y = op.gelu(affine(y, wide * weights(f"{block}1.norm.weight"), offset), "erf")
    gamma = weights(f"{block}1.gamma")
    narrow = weights(f"{block}1.pwconv2.weight") * gamma[:, None]
    return op.add(x, affine(y, narrow, weights(f"{block}1.pwconv2.bias") * gamma))


def _upsampled(x: Tensor, block: int, weights: Weights, memory: Memory) -> Tensor:
    """The first half of a waveform block: x [1, time, channels] -> [1, time * rate, channels / 2]."""
    prefix = f"decoder.decoder.{block}.block."
    alpha, beta = weights(f"{prefix}0.alpha"), weights(f"{prefix}0.beta")
    conv = f"{prefix}1.conv"
    kernel, bias = weights(f"{conv}.weight"), weights(f"{conv}.bias")
    return upsample_overlapping(snake(x, alpha, beta), kernel, bias, memory, conv)


def _residual_units(x: Tensor, block: int, weights: Weights, memory: Memory) -> Tensor:
    """The second half: three units that hear ever further back. x [1, channels, time]."""
    for unit, dilation in enumerate(_DILATIONS, start=2):
        prefix = f"decoder.decoder.{block}.block.{unit}."
        y = x
        for part in (1, 2):
            conv = f"{prefix}conv{part}.conv"
            y = _snake(y, f"{prefix}act{part}.", weights)
            kernel, bias = weights(f"{conv}.weight"), weights(f"{conv}.bias")
            y = causal_convolution(y, kernel, bias, memory, conv, dilation)
        x = op.add(y, x)
    return x


def _snake(x: Tensor, prefix: str, weights: Weights) -> Tensor:
    """Of x [1, channels, time]."""
    return snake(x, weights(f"{prefix}alpha")[:, None], weights(f"{prefix}beta")[:, None])


def _channels_first(x: Tensor) -> Tensor:
    return op.transpose(x, indices(0, 2, 1))


def _channels_last(x: Tensor) -> Tensor:
    return op.transpose(x, indices(0, 2, 1))
