"""What the vocoder's arithmetic amounts to: the part of a machine's limit that its FP32 peak sets."""

from __future__ import annotations

from math import prod

from edged.engine.qwen3.config import VocoderConfig
from edged.engine.qwen3.layout import vocoder_layout

# codebooks are looked up, and the quantizers' way in is for encoding
_NOT_MULTIPLIED = ("embedding_sum", "rvq_first.input_proj.weight", "rvq_rest.input_proj.weight")


def vocoder_flop_per_frame(config: VocoderConfig) -> int:
    """Floating-point operations that one 80 ms frame takes: two for each product of a weight and a value.

    Counted are matrix products, convolutions and attention over a full window; the element-wise rest is a
    hundredth of it.
    """
    products = sum(
        prod(shape) * _columns(name, config)
        for name, shape in vocoder_layout(config).items()
        if len(shape) > 1 and not name.endswith(_NOT_MULTIPLIED)
    )
    attention = 2 * config.sliding_window * config.num_attention_heads * config.head_dim
    return 2 * (products + config.num_hidden_layers * attention)


def _columns(name: str, config: VocoderConfig) -> int:
    """How often per frame a weight is applied: the columns that go into its layer."""
    match name.split(".")[1:]:
        case ["upsample", index, "0", *_]:
            return prod(config.upsampling_ratios[: int(index)])
        case ["upsample", index, *_]:
            return prod(config.upsampling_ratios[: int(index) + 1])
        case ["decoder", index, "block", "1", *_]:
            return prod(config.upsampling_ratios) * prod(config.upsample_rates[: int(index) - 1])
        case ["decoder", index, *_]:
            return prod(config.upsampling_ratios) * prod(config.upsample_rates[: int(index)])
    return 1
