"""Qwen3-TTS's talker and code predictor in plain numpy, the whole past computed again at every step.

Slow and obvious: what the graphs are compared with where the reference implementation is not at hand.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from edged.engine.qwen3.config import ModelConfig, TalkerConfig, TransformerConfig
from edged.engine.qwen3.graph import Weights
from edged.engine.qwen3.layout import model_layout
from tests.fakes.qwen3_checkpoint import random_tensor, tiny_config

Floats = NDArray[np.float64]


class RandomWeights:
    """The tensors of a tiny checkpoint, made when asked for; with `bfloat16` none needs more than 16 bits."""

    def __init__(self, config: ModelConfig, *, bfloat16: bool = False) -> None:
        self._layout, self.bfloat16 = model_layout(config), bfloat16

    def __call__(self, name: str) -> NDArray[np.float32]:
        values = random_tensor(name, self._layout[name], np.random.default_rng(zlib.crc32(name.encode())))
        if self.bfloat16:
            values = (values.view(np.uint32) & 0xFFFF0000).view(np.float32)
        return values


def tiny_talker_config(*, wide: bool = False) -> ModelConfig:
    """Shapes for tests; `wide` as in 1.7B: the talker is wider than its predictor."""
    return ModelConfig.model_validate(tiny_config(wide_talker=wide))


def talker_states(config: TalkerConfig, weights: Weights, embeds: NDArray[np.float32]) -> list[Floats]:
    """[time, hidden] after each layer, then after the final norm."""
    return transformer(config, weights, "talker.model.", embeds)


def predicted(
    config: TalkerConfig, weights: Weights, hidden: NDArray[np.float32], code0_embedding: NDArray[np.float32]
) -> tuple[list[int], Floats, Floats]:
    """Greedy codes of a frame, logits [codes - 1, vocab] they are the largest of, and the embeddings' sum."""
    prefix = "talker.code_predictor."
    rows: list[Floats] = [hidden.astype(np.float64), code0_embedding.astype(np.float64)]
    codes, logits = [], []
    for step in range(config.num_code_groups - 1):
        x = np.stack(rows)
        if config.hidden_size != config.code_predictor_config.hidden_size:
            projection = f"{prefix}small_to_mtp_projection."
            x = x @ weights(f"{projection}weight").T + weights(f"{projection}bias")
        last = transformer(config.code_predictor_config, weights, f"{prefix}model.", x)[-1][-1]
        logits.append(last @ weights(f"{prefix}lm_head.{step}.weight").T)
        codes.append(int(np.argmax(logits[-1])))
        rows.append(weights(f"{prefix}model.codec_embedding.{step}.weight")[codes[-1]].astype(np.float64))
    return codes, np.stack(logits), np.sum(rows[1:], axis=0)


def transformer(
    config: TransformerConfig, weights: Weights, prefix: str, x: NDArray[np.floating]
) -> list[Floats]:
    """x [time, hidden] -> [time, hidden] after each layer, then after the final norm."""
    states = []
    for index in range(config.num_hidden_layers):
        layer = f"{prefix}layers.{index}."
        x = x + _attention(
            config, weights, layer, _norm(config, x, weights(f"{layer}input_layernorm.weight"))
        )
        y = _norm(config, x, weights(f"{layer}post_attention_layernorm.weight"))
        gate = y @ weights(f"{layer}mlp.gate_proj.weight").T
        inner = gate / (1 + np.exp(-gate)) * (y @ weights(f"{layer}mlp.up_proj.weight").T)
        x = x + inner @ weights(f"{layer}mlp.down_proj.weight").T
        states.append(np.asarray(x, np.float64))
    return [*states, _norm(config, states[-1], weights(f"{prefix}norm.weight"))]


def _attention(config: TransformerConfig, weights: Weights, layer: str, x: NDArray[np.floating]) -> Floats:
    prefix, time = f"{layer}self_attn.", len(x)

    def heads(name: str) -> Floats:
        y = (x @ weights(f"{prefix}{name}_proj.weight").T).reshape(time, -1, config.head_dim)
        return np.asarray(y, np.float64)

    query = _turned(config, _norm(config, heads("q"), weights(f"{prefix}q_norm.weight")))
    key = _turned(config, _norm(config, heads("k"), weights(f"{prefix}k_norm.weight")))
    groups = config.num_attention_heads // config.num_key_value_heads
    key, value = (np.repeat(part, groups, axis=1) for part in (key, heads("v")))
    scores = np.einsum("qhd,khd->hqk", query, key) / np.sqrt(config.head_dim)
    scores[:, np.triu(np.ones((time, time), bool), 1)] = -np.inf
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    read = np.einsum("hqk,khd->qhd", shares, value).reshape(time, -1)
    return np.asarray(read @ weights(f"{prefix}o_proj.weight").T, np.float64)


def _turned(config: TransformerConfig, x: Floats) -> Floats:
    half = config.head_dim // 2
    speeds = config.rope_theta ** (-np.arange(half) / half)
    turn = np.exp(1j * np.arange(len(x))[:, None] * speeds)[:, None]
    turned = (x[..., :half] + 1j * x[..., half:]) * turn
    return np.concatenate([turned.real, turned.imag], axis=-1)


def _norm(config: TransformerConfig, x: NDArray[np.floating], gain: NDArray[np.float32]) -> Floats:
    square = np.mean(np.square(x, dtype=np.float64), axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt(square + config.rms_norm_eps) * gain, np.float64)
