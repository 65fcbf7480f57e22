"""Names and shapes of a checkpoint's tensors. That the reference accepts them is checked beside it."""

from __future__ import annotations

from math import prod

from edged.engine.qwen3.config import ModelConfig, VocoderConfig
from edged.engine.qwen3.layout import model_layout, vocoder_layout
from tests.fakes.qwen3_checkpoint import model_config, tiny_config, tokenizer_config

_TALKER = {
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "text_hidden_size": 2048,
}
_PREDICTOR = {
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 5,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
}


def _parameters(hidden: int, intermediate: int) -> int:
    talker = {**_TALKER, "hidden_size": hidden, "intermediate_size": intermediate}
    config = ModelConfig.model_validate(model_config("custom_voice", "full", talker, _PREDICTOR))
    return sum(prod(shape) for shape in model_layout(config).values())


def test_the_small_model_has_the_published_size() -> None:
    """0.6B: 0.44 billion in the talker's layers, 0.31 in the text table, 0.14 in the code predictor."""
    assert _parameters(1024, 3072) == 905_788_672


def test_the_large_model_has_the_published_size() -> None:
    """1.7B, whose predictor is as narrow as the small model's."""
    assert _parameters(2048, 6144) == 1_916_676_352


def test_a_wider_talker_is_projected_to_the_predictor() -> None:
    """The projection is there only where the widths differ; embeddings are as wide as the talker."""
    narrow = model_layout(ModelConfig.model_validate(tiny_config()))
    wide = model_layout(ModelConfig.model_validate(tiny_config(wide_talker=True)))
    projection = "talker.code_predictor.small_to_mtp_projection.weight"
    assert projection not in narrow
    assert wide[projection] == (64, 80)
    assert wide["talker.code_predictor.model.codec_embedding.14.weight"] == (2048, 80)
    assert wide["talker.code_predictor.lm_head.14.weight"] == (2048, 64)


def test_the_vocoder_halves_its_width_with_each_upsampling() -> None:
    """1536 channels at the latent rate become 96 at 24 kHz."""
    layout = vocoder_layout(VocoderConfig.model_validate(tokenizer_config()["decoder_config"]))
    assert layout["decoder.decoder.1.block.1.conv.weight"] == (1536, 768, 16)
    assert layout["decoder.decoder.4.block.1.conv.weight"] == (192, 96, 6)
    assert layout["decoder.decoder.6.conv.weight"] == (1, 96, 7)
    assert len([name for name in layout if name.endswith("embedding_sum")]) == 16
