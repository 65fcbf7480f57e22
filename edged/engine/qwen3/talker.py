"""The talker: embeddings of the prompt and of every frame -> logits of code 0 and the hidden state.

One stateful network. Keys and values of past positions stay inside it; the graph has the form in which the
CPU plugin keeps them and attends to them in one kernel, without copying what is already there.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from edged.engine.qwen3.config import TalkerConfig
from edged.engine.qwen3.graph import (
    ACTIVATION_GROUP,
    FloatArray,
    Layer,
    Tensor,
    Weights,
    constant,
    frequencies,
    indices,
    linear,
    matrix,
    named_result,
    parameter,
    repeat_heads,
    rms_norm,
)
from edged.engine.runtime import CpuSettings, KvCache, compile_model, op, ov

_PREFIX = "talker.model."
_ROUNDED_WEIGHTS = (ov.Type.i8, ov.Type.u8, ov.Type.i4, ov.Type.u4)


def build_talker(config: TalkerConfig, weights: Weights, *, trace: bool = False) -> Any:
    """The talker's network.

    Inputs `inputs_embeds` [batch, time, hidden], `positions` f32 [time] (0, 1, 2... over an utterance),
    `mask` [1, 1, time, past + time] (added to attention scores) and `beam_idx` i32 [batch] (which past each
    row continues; 0 for one row). Outputs, of the last position: `logits` [batch, vocab] and `hidden`
    [batch, hidden], after the final norm. `trace` adds `layer_0`, `layer_1`...: [batch, time, hidden] after
    each layer.
    """
    embeds = parameter("inputs_embeds", [-1, -1, config.hidden_size])
    positions = parameter("positions", [-1])
    mask = parameter("mask", [1, 1, -1, -1])
    beams = parameter("beam_idx", [-1], ov.Type.i32)
    cos, sin = _rotation(config, positions)
    memory = _Memory(config, embeds, beams, mask)
    x, traces = embeds, []
    for index in range(config.num_hidden_layers):
        layer = Layer(config, weights, f"{_PREFIX}layers.{index}.")
        x = layer(x, cos, sin, partial(memory.attend, index))
        traces.append(named_result(x, f"layer_{index}"))
    last = op.gather(x, op.constant(np.int64(-1)), op.constant(np.int64(1)))
    hidden = rms_norm(last, weights(f"{_PREFIX}norm.weight"), config.rms_norm_eps)
    head = matrix(weights("talker.codec_head.weight"), bfloat16=weights.bfloat16)
    results = [named_result(linear(hidden, head), "logits"), named_result(hidden, "hidden")]
    return ov.Model(
        results + (traces if trace else []), memory.assigns, [embeds, positions, mask, beams], "talker"
    )


def _rotation(config: TalkerConfig, positions: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines and sines of every position, [1, 1, time, head_dim]."""
    turned = op.multiply(op.unsqueeze(positions, indices(0, 1, 3)), constant(frequencies(config)))
    return op.cos(turned), op.sin(turned)


class _Memory:
    """Keys and values of all layers: what the network remembers between calls."""

    def __init__(self, config: TalkerConfig, embeds: Tensor, beams: Tensor, mask: Tensor) -> None:
        self._config, self._beams, self._mask = config, beams, mask
        batch = op.gather(op.shape_of(embeds), indices(0), op.constant(np.int64(0)))
        shape = op.concat([batch, indices(config.num_key_value_heads, 0, config.head_dim)], 0)
        self._nothing = op.broadcast(constant(0.0), shape)
        self.assigns: list[Any] = []

    def attend(self, index: int, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """What the query reads from everything up to its own position."""
        key = self._grown(f"layer_{index}.key", key)
        value = self._grown(f"layer_{index}.value", value)
        key, value = repeat_heads(key, self._config), repeat_heads(value, self._config)
        return op.scaled_dot_product_attention(query, key, value, self._mask, constant(1.0))

    def _grown(self, name: str, new: Tensor) -> Tensor:
        shape = ov.PartialShape([-1, self._config.num_key_value_heads, -1, self._config.head_dim])
        past = op.read_value(self._nothing, name, ov.Type.f32, shape)
        past = op.gather(past, self._beams, op.constant(np.int64(0)))
        grown = op.concat([past, new], 2)
        self.assigns.append(op.assign(grown, name))
        return grown


class Talker:
    """The compiled talker with one utterance in its memory."""

    def __init__(self, model: Any, settings: CpuSettings) -> None:
        compiled = compile_model(
            model, settings, activation_group=ACTIVATION_GROUP, kv_cache=_kv_cache_precision(model)
        )
        self._request = compiled.create_infer_request()
        self._request.set_tensor("beam_idx", ov.Tensor(np.zeros(1, np.int32)))
        self._past = 0

    def reset(self) -> None:
        """Forget the utterance."""
        self._request.reset_state()
        self._past = 0

    def __call__(self, embeds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """embeds [time, hidden] of the next positions -> logits [vocab], hidden [hidden] of the last one.

        Both are copies.
        """
        time, request = len(embeds), self._request
        end = self._past + time
        request.set_tensor("inputs_embeds", ov.Tensor(np.ascontiguousarray(embeds[None])))
        request.set_tensor("positions", ov.Tensor(np.arange(self._past, end, dtype=np.float32)))
        request.set_tensor("mask", ov.Tensor(_causal_mask(self._past, time)))
        request.infer()
        self._past = end
        return request.get_tensor("logits").data[0].copy(), request.get_tensor("hidden").data[0].copy()


def _kv_cache_precision(model: Any) -> KvCache:
    """Halves are finer than any rounded weight, and half the memory to read; float weights deserve floats."""
    constants = (node for node in model.get_ops() if node.get_type_name() == "Constant")
    return "f16" if any(node.get_element_type() in _ROUNDED_WEIGHTS for node in constants) else "f32"


def _causal_mask(past: int, time: int) -> FloatArray:
    """[1, 1, time, past + time]: 0 where a position may look, -inf at later ones."""
    return np.triu(np.full((time, past + time), -np.inf, np.float32), past + 1)[None, None]
