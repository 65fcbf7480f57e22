"""The code predictor: the talker's hidden state and code 0 of a frame -> its other codes.

All steps of a frame are one network and one call: step i reads lm_head i only, every step shares the weights
of the layers, and the sampled code's embedding goes straight into the next step. Drawing a code needs no
random numbers inside: adding Gumbel noise to logits and taking the largest is drawing from their softmax.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.engine.qwen3.config import PredictorConfig, TalkerConfig
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
    rms_norm,
)
from edged.engine.runtime import CpuSettings, compile_model, op, ov

_PREFIX = "talker.code_predictor."


def build_predictor(config: TalkerConfig, weights: Weights, *, top_k: int, trace: bool = False) -> Any:
    """The code predictor's network.

    Inputs `hidden` [1, talker hidden], `code0_embedding` [1, talker hidden] and `noise` [codes - 1, vocab].
    Outputs `codes` i32 [codes - 1] (code = argmax of the `top_k` largest logits + noise; 0: of all logits)
    and `embedding_sum` [1, talker hidden] of all codes of the frame, code 0 included. `trace` adds
    `logits_1`, `logits_2`...: [1, vocab] of each code, before mask and noise.
    """
    inner = config.code_predictor_config
    steps = config.num_code_groups - 1
    hidden = parameter("hidden", [1, config.hidden_size])
    code0 = parameter("code0_embedding", [1, config.hidden_size])
    noise = parameter("noise", [steps, inner.vocab_size])

    transformer = _Transformer(config, weights)
    noise_rows = op.split(noise, op.constant(np.int64(0)), steps).outputs()
    x = op.unsqueeze(op.concat([hidden, code0], 0), indices(0))
    codes, traces, total = [], [], code0
    for step in range(steps):
        head = matrix(weights(f"{_PREFIX}lm_head.{step}.weight"), bfloat16=weights.bfloat16)
        logits = linear(transformer(x), head)
        codes.append(_drawn(logits, noise_rows[step], top_k))
        traces.append(named_result(logits, f"logits_{step + 1}"))
        table = matrix(weights(f"{_PREFIX}model.codec_embedding.{step}.weight"), bfloat16=weights.bfloat16)
        embedding = op.gather(table, codes[-1], op.constant(np.int64(0)))
        total = op.add(total, embedding)
        x = op.unsqueeze(embedding, indices(0))
    results = [named_result(op.concat(codes, 0), "codes"), named_result(total, "embedding_sum")]
    return ov.Model(results + (traces if trace else []), [hidden, code0, noise], "predictor")


def _drawn(logits: Tensor, noise: Tensor, top_k: int) -> Tensor:
    """logits and noise [1, vocab] -> the drawn code, i32 [1]."""
    if top_k:
        largest = op.topk(logits, op.constant(np.int64(top_k)), 1, "max", "value").output(0)
        smallest_kept = op.reduce_min(largest, indices(1), True)
        logits = op.select(op.less(logits, smallest_kept), constant(-np.inf), logits)
    best = op.topk(op.add(logits, noise), op.constant(np.int64(1)), 1, "max", "none").output(1)
    return op.squeeze(best, indices(1))


class _Transformer:
    """The layers, called once per step; keys and values of earlier positions are kept between calls."""

    def __init__(self, config: TalkerConfig, weights: Weights) -> None:
        inner = config.code_predictor_config
        self._config = inner
        self._projection = _projection(config, weights)
        layers = range(inner.num_hidden_layers)
        self._layers = [Layer(inner, weights, f"{_PREFIX}model.layers.{index}.") for index in layers]
        self._gain = weights(f"{_PREFIX}model.norm.weight")
        self._past: list[tuple[Tensor, Tensor] | None] = [None for _ in layers]
        self._position = 0

    def __call__(self, x: Tensor) -> Tensor:
        """x [1, time, talker hidden] of the next positions -> hidden [1, predictor hidden] of the last."""
        time = x.get_output_shape(0)[1]
        cos, sin = _rotation(self._config, np.arange(self._position, self._position + time))
        x = self._projection(x)
        for index, layer in enumerate(self._layers):
            x = layer(x, cos, sin, partial(self._attend, index))
        self._position += time
        last = op.gather(x, op.constant(np.int64(-1)), op.constant(np.int64(1)))
        return rms_norm(last, self._gain, self._config.rms_norm_eps)

    def _attend(self, index: int, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        past = self._past[index]
        if past is not None:
            key, value = op.concat([past[0], key], 2), op.concat([past[1], value], 2)
        self._past[index] = key, value
        return _attention(self._config, query, key, value)


def _attention(config: PredictorConfig, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """What the last positions read from all positions up to their own; in the query's shape.

    Queries that share a key head are rows of one product, so that keys and values are never repeated.
    """
    heads, time = query.get_output_shape(0)[1:3]
    groups = heads // config.num_key_value_heads
    rows = op.reshape(query, indices(1, config.num_key_value_heads, groups * time, config.head_dim), False)
    scores = op.matmul(rows, key, False, True)
    if time > 1:  # a single position is the last one: it may look everywhere
        total = key.get_output_shape(0)[2]
        mask = np.triu(np.full((time, total), -np.inf, np.float32), total - time + 1)
        scores = op.add(scores, constant(np.tile(mask, (groups, 1))))
    read = op.matmul(op.softmax(scores, -1), value, False, False)
    return op.reshape(read, indices(1, heads, time, config.head_dim), False)


def _projection(config: TalkerConfig, weights: Weights) -> Any:
    if config.hidden_size == config.code_predictor_config.hidden_size:
        return lambda x: x
    name = f"{_PREFIX}small_to_mtp_projection."
    weight = matrix(weights(f"{name}weight"), bfloat16=weights.bfloat16)
    bias = constant(weights(f"{name}bias"))
    return lambda x: op.add(linear(x, weight), bias)


def _rotation(config: PredictorConfig, positions: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the positions, [1, 1, time, head_dim]."""
    turned = positions.astype(np.float32)[None, None, :, None] * frequencies(config)
    return constant(np.cos(turned)), constant(np.sin(turned))


class Predictor:
    """The compiled code predictor."""

    def __init__(self, model: Any, settings: CpuSettings) -> None:
        # its fifteen unrolled steps hold 317 such chains: 36 MB, and no faster with them
        compiled = compile_model(model, settings, activation_group=ACTIVATION_GROUP, snippets=False)
        self._request = compiled.create_infer_request()

    def __call__(
        self, hidden: FloatArray, code0_embedding: FloatArray, noise: FloatArray
    ) -> tuple[NDArray[np.int32], FloatArray]:
        """hidden and code0_embedding [talker hidden], noise [codes - 1, vocab] -> codes [codes - 1], sum [H].

        The code of each step is the largest of logits + noise: zeros choose greedily, temperature * Gumbel
        noise draws at that temperature. What is returned are copies.
        """
        request = self._request
        for name, values in (("hidden", hidden), ("code0_embedding", code0_embedding), ("noise", noise)):
            request.get_tensor(name).data[:] = values
        request.infer()
        return request.get_tensor("codes").data.copy(), request.get_tensor("embedding_sum").data[0].copy()
