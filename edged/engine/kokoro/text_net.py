"""Text network: tokens and style -> how long each token lasts, and what it sounds like.

ALBERT (12 passes through one layer) feeds the prosody encoder; a second, convolutional encoder reads the
tokens for their articulation. Everything runs at token rate, so this is a few percent of the work.
"""

from __future__ import annotations

import numpy as np

from edged.engine.kokoro.layers import (
    Tensor,
    Valid,
    bidirectional_lstm,
    constant,
    dequantize,
    frames_conv,
    indices,
    layer_norm,
    leaky_relu,
    linear,
    plain_layer_norm,
    style_gain_offset,
)
from edged.engine.kokoro.onnx_weights import OnnxWeights
from edged.engine.runtime import op, ov

_ALBERT_PASSES = 12
_HEADS, _HEAD_DIM = 12, 64
_BERT_EPSILON = 1e-12
_UNSEEN = 1e9
_LAYER = "encoder.bert.encoder.albert_layer_groups.0.albert_layers.0"
_LAYER_PATH = "/encoder/bert/encoder/albert_layer_groups.0/albert_layers.0"


def build_text_network(weights: OnnxWeights) -> ov.Model:
    """Inputs tokens i64 [1, n], valid [1, n, 1] (0 marks padding), style [1, 256]; outputs durations [1, n]
    (frames at speed 1, not rounded), prosody [1, n, 640], articulation [1, n, 512].
    """
    tokens = op.parameter([1, -1], ov.Type.i64, name="tokens")
    weight = op.parameter([1, -1, 1], ov.Type.f32, name="valid")
    style = op.parameter([1, 256], ov.Type.f32, name="style")
    valid = Valid(weight, time_axis=1)
    prosody_style = op.slice(style, indices(128), indices(256), indices(1), indices(1))
    bert = _albert(tokens, valid, weights)
    prosody = _prosody_encoder(bert, prosody_style, valid, weights)
    durations = _durations(prosody, valid, weights)
    articulation = _articulation_encoder(tokens, valid, weights)
    outputs = {"durations": durations, "prosody": prosody, "articulation": articulation}
    results = []
    for name, node in outputs.items():
        node.output(0).set_names({name})
        results.append(op.result(node))
    return ov.Model(results, [tokens, weight, style], "kokoro_text")


def _embed(tokens: Tensor, weights: OnnxWeights, name: str) -> Tensor:
    return op.gather(dequantize(weights.embedding(name)), tokens, op.constant(np.int64(0)))


def _albert(tokens: Tensor, valid: Valid, weights: OnnxWeights) -> Tensor:
    base = "encoder.bert.embeddings"
    length = op.gather(op.shape_of(tokens), indices(1), indices(0))
    positions = op.slice(
        dequantize(weights.embedding(f"{base}.position_embeddings")),
        indices(0),
        length,
        indices(1),
        indices(0),
    )
    token_type = weights.embedding(f"{base}.token_type_embeddings").dequantized()[0]
    x = op.add(op.add(_embed(tokens, weights, f"{base}.word_embeddings"), positions), constant(token_type))
    x = layer_norm(
        x,
        weights.float_array(f"{base}.LayerNorm.weight"),
        weights.float_array(f"{base}.LayerNorm.bias"),
        _BERT_EPSILON,
    )
    x = linear(x, weights.linear("/encoder/bert/encoder/embedding_hidden_mapping_in/MatMul"))
    albert_pass = _AlbertLayer(weights)
    # added to the attention scores: none for padding
    attention_mask = op.multiply(op.subtract(valid.mask, constant(1.0)), constant(_UNSEEN))
    attention_mask = op.reshape(attention_mask, indices(1, 1, 1, -1), False)
    for _ in range(_ALBERT_PASSES):
        x = albert_pass(x, attention_mask)
    return x


class _AlbertLayer:
    """One ALBERT layer; its constants are made once and shared by all passes."""

    def __init__(self, weights: OnnxWeights) -> None:
        self._parts = {}
        for name in ("query", "key", "value", "dense", "ffn", "ffn_output"):
            parent = _LAYER_PATH if name.startswith("ffn") else f"{_LAYER_PATH}/attention"
            layer = weights.linear(f"{parent}/{name}/MatMul")
            if layer.bias is None:
                raise ValueError(f"{parent}/{name} has no bias")
            self._parts[name] = (dequantize(layer.weight), constant(layer.bias))
        self._norms = {}
        for name in ("attention.LayerNorm", "full_layer_layer_norm"):
            gain = weights.float_array(f"{_LAYER}.{name}.weight")
            self._norms[name] = (gain, weights.float_array(f"{_LAYER}.{name}.bias"))

    def __call__(self, x: Tensor, attention_mask: Tensor) -> Tensor:
        query, key, value = (self._heads(self._linear(x, name)) for name in ("query", "key", "value"))
        attended = op.scaled_dot_product_attention(query, key, value, attention_mask)
        attended = op.reshape(
            op.transpose(attended, indices(0, 2, 1, 3)), indices(1, -1, _HEADS * _HEAD_DIM), False
        )
        x = self._norm(op.add(x, self._linear(attended, "dense")), "attention.LayerNorm")
        inner = op.gelu(self._linear(x, "ffn"), "tanh")
        return self._norm(op.add(self._linear(inner, "ffn_output"), x), "full_layer_layer_norm")

    def _linear(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self._parts[name]
        return op.add(op.matmul(x, weight, False, True), bias)

    def _heads(self, x: Tensor) -> Tensor:
        return op.transpose(op.reshape(x, indices(1, -1, _HEADS, _HEAD_DIM), False), indices(0, 2, 1, 3))

    def _norm(self, x: Tensor, name: str) -> Tensor:
        gain, offset = self._norms[name]
        return layer_norm(x, gain, offset, _BERT_EPSILON)


def _prosody_encoder(x: Tensor, style: Tensor, valid: Valid, weights: OnnxWeights) -> Tensor:
    """[1, n, 768] -> [1, n, 640]: three LSTMs, the style beside each one's input and in each one's norm."""
    x = linear(x, weights.linear("/encoder/bert_encoder/MatMul"))
    path = "/encoder/predictor/text_encoder/lstms"
    length = op.gather(op.shape_of(x), indices(1), indices(0))
    shape = op.concat([indices(1), length, indices(128)], 0)
    everywhere = op.broadcast(op.unsqueeze(style, indices(1)), shape, "BIDIRECTIONAL")
    x = op.concat([x, everywhere], 2)
    for index in (0, 2, 4):
        x = bidirectional_lstm(x, weights.lstm(f"{path}.{index}"), valid)
        gain, offset = style_gain_offset(style, weights.linear(f"{path}.{index + 1}/fc/Gemm_MatMul"), axis=2)
        x = op.add(op.multiply(plain_layer_norm(x), gain), offset)
        x = op.concat([x, everywhere], 2)
    return x


def _durations(prosody: Tensor, valid: Valid, weights: OnnxWeights) -> Tensor:
    x = bidirectional_lstm(prosody, weights.lstm("/encoder/predictor/lstm"), valid)
    steps = op.sigmoid(linear(x, weights.linear("/encoder/predictor/duration_proj/linear_layer/MatMul")))
    return op.reduce_sum(steps, indices(2), False)


def _articulation_encoder(tokens: Tensor, valid: Valid, weights: OnnxWeights) -> Tensor:
    x = _embed(tokens, weights, "encoder.text_encoder.embedding")
    for index in range(3):
        x = frames_conv(valid.only(x), weights.conv(f"/encoder/text_encoder/cnn.{index}/cnn.{index}.0"))
        base = f"encoder.text_encoder.cnn.{index}.1"
        x = layer_norm(x, weights.float_array(f"{base}.gamma"), weights.float_array(f"{base}.beta"))
        x = leaky_relu(x)
    return bidirectional_lstm(x, weights.lstm("/encoder/text_encoder/lstm"), valid)
