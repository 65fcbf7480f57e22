"""Child of qwen3.py: the vocoder's graph as it is published, layer by layer. Arguments: CHECKPOINT THREADS.

What a converter would make of the reference: Sin for the activations, transposed convolutions, every scale
and offset an operation of its own, all frames of a chunk in one call, no memory of the chunk before. Answers
`{"do": "vocode", "frames": 8, "repeat": 3}` with `{"ms_per_frame": …}`, the best of so many.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.config import VocoderConfig
from edged.engine.qwen3.graph import Tensor, Weights, constant, indices, linear, rms_norm, rotary
from edged.engine.qwen3.tensors import TensorReader
from edged.engine.runtime import CpuSettings, compile_model, op, ov


def main() -> None:
    """Serve until standard input closes."""
    checkpoint = open_checkpoint(Path(sys.argv[1]))
    config, weights = checkpoint.speech.decoder_config, TensorReader(checkpoint.vocoder_weights)
    settings = CpuSettings(int(sys.argv[2]))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        best_ms = measure(config, weights, settings, request["frames"], request["repeat"])
        print(json.dumps({"ms_per_frame": best_ms}), flush=True)


def measure(
    config: VocoderConfig, weights: Weights, settings: CpuSettings, frames: int, repeat: int
) -> float:
    """Milliseconds per frame of the fastest of `repeat` chunks of so many frames."""
    infer = (
        compile_model(StraightVocoder(config, weights).build(frames), settings).create_infer_request().infer
    )
    codes = np.random.default_rng(0).integers(config.codebook_size, size=(frames, config.num_quantizers))
    infer({"codes": codes})
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        infer({"codes": codes})
        seconds.append(time.perf_counter() - start)
    return 1000 * min(seconds) / frames


class StraightVocoder:
    """Builds the network; everything is [1, channels, time] but the transformer."""

    def __init__(self, config: VocoderConfig, weights: Weights) -> None:
        self._config = config
        self._weights = weights

    def build(self, frames: int) -> ov.Model:
        """Input codes i64 [frames, quantizers], output samples [1, 1, 1920 * frames]."""
        config = self._config
        codes = op.parameter([frames, config.num_quantizers], ov.Type.i64, name="codes")
        x = self._conv(self._dequantized(codes), "decoder.pre_conv.conv.")
        x = self._transposed(self._transformer(self._transposed(x), frames))
        for index, ratio in enumerate(config.upsampling_ratios):
            x = self._upsampled(x, f"decoder.upsample.{index}.0.conv.", ratio)
            x = self._conv_next(x, f"decoder.upsample.{index}.1.")
        x = self._conv(x, "decoder.decoder.0.conv.")
        for index, rate in enumerate(config.upsample_rates, start=1):
            block = f"decoder.decoder.{index}.block."
            x = self._upsampled(self._snake(x, f"{block}0."), f"{block}1.conv.", rate)
            for unit, dilation in ((2, 1), (3, 3), (4, 9)):
                y = self._snake(x, f"{block}{unit}.act1.")
                y = self._conv(y, f"{block}{unit}.conv1.conv.", dilation)
                y = self._conv(self._snake(y, f"{block}{unit}.act2."), f"{block}{unit}.conv2.conv.")
                x = op.add(x, y)
        last = len(config.upsample_rates) + 1
        x = self._conv(self._snake(x, f"decoder.decoder.{last}."), f"decoder.decoder.{last + 1}.conv.")
        samples = op.clamp(x, -1.0, 1.0)
        samples.output(0).set_names({"samples"})
        return ov.Model([op.result(samples)], [codes], "straight_vocoder")

    def _constant(self, name: str) -> Tensor:
        return constant(self._weights(name))

    def _column(self, name: str) -> Tensor:
        """One value per channel, as [channels, 1]."""
        return constant(self._weights(name)[:, None])

    def _transposed(self, x: Tensor) -> Tensor:
        return op.transpose(x, indices(0, 2, 1))

    def _dequantized(self, codes: Tensor) -> Tensor:
        total = None
        for name, first, count in (("rvq_first", 0, 1), ("rvq_rest", 1, self._config.num_quantizers - 1)):
            prefix, vectors = f"decoder.quantizer.{name}.", None
            for index in range(count):
                book = f"{prefix}vq.layers.{index}._codebook."
                usage = np.maximum(self._weights(f"{book}cluster_usage"), 1e-5)
                table = constant(self._weights(f"{book}embedding_sum") / usage[:, None])
                own = op.gather(codes, op.constant(first + index), op.constant(1))
                vector = op.gather(table, own, op.constant(0))
                vectors = vector if vectors is None else op.add(vectors, vector)
            x = self._transposed(op.unsqueeze(vectors, indices(0)))
            x = op.convolution(x, self._constant(f"{prefix}output_proj.weight"), [1], [0], [0], [1])
            total = x if total is None else op.add(total, x)
        return total

    def _conv(self, x: Tensor, prefix: str, dilation: int = 1) -> Tensor:
        kernel = self._weights(f"{prefix}weight")
        before = (kernel.shape[2] - 1) * dilation
        y = op.convolution(x, constant(kernel), [1], [before], [0], [dilation])
        return op.add(y, self._column(f"{prefix}bias"))

    def _upsampled(self, x: Tensor, prefix: str, stride: int) -> Tensor:
        kernel = self._weights(f"{prefix}weight")
        trim = kernel.shape[2] - stride
        y = op.convolution_backprop_data(
            x, constant(kernel), strides=[stride], pads_begin=[0], pads_end=[trim], dilations=[1]
        )
        return op.add(y, self._column(f"{prefix}bias"))

    def _snake(self, x: Tensor, prefix: str) -> Tensor:
        alpha, beta = op.exp(self._column(f"{prefix}alpha")), op.exp(self._column(f"{prefix}beta"))
        sine = op.power(op.sin(op.multiply(x, alpha)), constant(2.0))
        return op.add(x, op.multiply(op.divide(constant(1.0), op.add(beta, constant(1e-9))), sine))

    def _conv_next(self, x: Tensor, prefix: str) -> Tensor:
        kernel = self._weights(f"{prefix}dwconv.conv.weight")
        before = kernel.shape[2] - 1
        y = op.group_convolution(x, constant(kernel[:, None]), [1], [before], [0], [1])
        y = self._transposed(op.add(y, self._column(f"{prefix}dwconv.conv.bias")))
        y = op.multiply(
            op.mvn(y, indices(-1), True, 1e-6, "INSIDE_SQRT"), self._constant(f"{prefix}norm.weight")
        )
        y = op.add(y, self._constant(f"{prefix}norm.bias"))
        y = self._linear(op.gelu(self._linear(y, f"{prefix}pwconv1."), "erf"), f"{prefix}pwconv2.")
        return op.add(x, self._transposed(op.multiply(y, self._constant(f"{prefix}gamma"))))

    def _linear(self, x: Tensor, prefix: str) -> Tensor:
        return op.add(linear(x, self._constant(f"{prefix}weight")), self._constant(f"{prefix}bias"))

    def _transformer(self, x: Tensor, frames: int) -> Tensor:
        config, prefix = self._config, "decoder.pre_transformer."
        x = self._linear(x, f"{prefix}input_proj.")
        ages = np.arange(frames)[:, None] - np.arange(frames)
        mask = constant(np.where((ages >= 0) & (ages < config.sliding_window), 0.0, -1e9))
        per_position = config.rope_theta ** -(np.arange(0, config.head_dim, 2) / config.head_dim)
        angles = np.tile(np.arange(frames)[:, None] * per_position, 2)
        turn = constant(np.cos(angles)), constant(np.sin(angles))
        for index in range(config.num_hidden_layers):
            x = self._layer(x, f"{prefix}layers.{index}.", turn, mask)
        x = rms_norm(x, self._weights(f"{prefix}norm.weight"), config.rms_norm_eps)
        return self._linear(x, f"{prefix}output_proj.")

    def _layer(self, x: Tensor, layer: str, turn: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        config, attention = self._config, f"{layer}self_attn."
        heard = rms_norm(x, self._weights(f"{layer}input_layernorm.weight"), config.rms_norm_eps)
        query, key, value = (
            op.transpose(
                op.reshape(
                    linear(heard, self._constant(f"{attention}{name}_proj.weight")),
                    indices(0, 0, -1, config.head_dim),
                    True,
                ),
                indices(0, 2, 1, 3),
            )
            for name in "qkv"
        )
        y = op.scaled_dot_product_attention(rotary(query, *turn), rotary(key, *turn), value, mask)
        y = op.reshape(op.transpose(y, indices(0, 2, 1, 3)), indices(0, 0, -1), True)
        y = linear(y, self._constant(f"{attention}o_proj.weight"))
        x = op.add(x, op.multiply(y, self._constant(f"{layer}self_attn_layer_scale.scale")))
        heard = rms_norm(x, self._weights(f"{layer}post_attention_layernorm.weight"), config.rms_norm_eps)
        gate, up = (
            linear(heard, self._constant(f"{layer}mlp.{name}_proj.weight")) for name in ("gate", "up")
        )
        y = linear(op.multiply(op.swish(gate), up), self._constant(f"{layer}mlp.down_proj.weight"))
        return op.add(x, op.multiply(y, self._constant(f"{layer}mlp_layer_scale.scale")))


if __name__ == "__main__":
    main()
