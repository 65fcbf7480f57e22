"""The vocoder's arithmetic, counted from the configuration and from a graph."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from benchmarks.qwen3_straight_vocoder import StraightVocoder
from edged.engine.qwen3.config import VocoderConfig
from edged.engine.qwen3.layout import vocoder_layout
from edged.engine.qwen3.vocoder_cost import vocoder_flop_per_frame
from edged.engine.runtime import ov
from tests.fakes.qwen3_checkpoint import TINY_VOCODER, tokenizer_config


def config_of(**changes: int) -> VocoderConfig:
    return VocoderConfig.model_validate(tokenizer_config({**TINY_VOCODER, **changes})["decoder_config"])


class Zeros:
    bfloat16 = False

    def __init__(self, config: VocoderConfig) -> None:
        self._shapes = vocoder_layout(config)

    def __call__(self, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.zeros(self._shapes[name], np.float32)


def products_with_weights(model: ov.Model) -> int:
    """Multiplications of a value with a constant in the model's products and convolutions."""
    total = 0
    for node in model.get_ops():
        kind = node.get_type_name()
        if kind in ("Convolution", "GroupConvolution", "MatMul"):
            columns = prod(node.get_output_shape(0)) // node.get_output_shape(0)[2 if kind == "MatMul" else 1]
        elif kind == "ConvolutionBackpropData":
            columns = node.get_input_shape(0)[2]
        else:
            continue
        total += prod(node.get_input_shape(1)) * columns
    return total


@pytest.mark.parametrize("changes", [{}, {"num_hidden_layers": 5, "latent_dim": 40}, {"decoder_dim": 96}])
def test_the_count_is_that_of_the_published_layers(changes: dict[str, int]) -> None:
    """Twice the products of a graph built layer by layer for one frame, and attention over a window."""
    config = config_of(**changes)
    products = products_with_weights(StraightVocoder(config, Zeros(config)).build(1))
    attention = 2 * config.sliding_window * config.num_attention_heads * config.head_dim
    expected = 2 * (products + config.num_hidden_layers * attention)
    assert vocoder_flop_per_frame(config) == expected


def test_the_published_vocoder_takes_62_gflop_per_second_of_sound() -> None:
    """12.5 frames of it."""
    published = VocoderConfig.model_validate(tokenizer_config()["decoder_config"])
    assert 12.5 * vocoder_flop_per_frame(published) == pytest.approx(62.0e9, rel=0.001)
