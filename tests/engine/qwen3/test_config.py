"""Reading what a checkpoint says about itself."""

from __future__ import annotations

from typing import Any

import pytest

from edged.engine.qwen3.config import ModelConfig, Sampling, SpeechTokenizerConfig, parse
from edged.errors import ConversionError
from tests.fakes.qwen3_checkpoint import tiny_config, tokenizer_config


@pytest.mark.parametrize("model_type", ["custom_voice", "base", "voice_design"])
def test_every_published_kind_is_read(model_type: str) -> None:
    """The three kinds of model differ in their speakers; all ids come from the file."""
    config = parse(ModelConfig, tiny_config(model_type), "config.json")
    assert config.tts_model_type == model_type
    assert bool(config.talker_config.spk_id) == (model_type == "custom_voice")
    assert config.talker_config.codec_language_id["chinese"] == 2055


def test_a_dialect_speaker_and_a_plain_one() -> None:
    """`spk_is_dialect` is a dialect's name or false."""
    talker = ModelConfig.model_validate(tiny_config()).talker_config
    assert talker.spk_is_dialect["dylan"] == "beijing_dialect"
    assert talker.spk_is_dialect["vivian"] is False


def test_an_x_vector_is_as_long_as_the_talker_is_wide() -> None:
    """Speaker embeddings take the place of a row of the codec table."""
    assert ModelConfig.model_validate(tiny_config("base", wide_talker=True)).x_vector_size == 80


def _changed(key: str, value: object) -> dict[str, Any]:
    config = tiny_config()
    *path, last = key.split(".")
    place = config
    for part in path:
        place = place[part]
    place[last] = value
    return config


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model_type", "qwen3_asr"),
        ("tokenizer_type", "qwen3_tts_tokenizer_25hz"),
        ("tts_model_type", "singing"),
        ("talker_config.hidden_act", "gelu"),
        ("talker_config.attention_bias", True),
        ("talker_config.head_dim", 15),
        ("talker_config.num_key_value_heads", 3),
        ("talker_config.code_predictor_config.num_code_groups", 8),
        ("talker_config.codec_eos_token_id", "last"),
        ("talker_config.spk_is_dialect", {"eric": "martian"}),
    ],
)
def test_what_the_graphs_do_not_implement_is_refused_by_name(key: str, value: object) -> None:
    """The error names the file and the key, so that nobody gets noise instead of speech."""
    with pytest.raises(ConversionError) as raised:
        parse(ModelConfig, _changed(key, value), "dir/config.json")
    assert raised.value.what.startswith("dir/config.json: ")
    assert (
        key.removesuffix(".num_key_value_heads").split(".")[-1].removesuffix("_config") in raised.value.what
    )


def test_every_bad_key_is_told_at_once() -> None:
    """Two mistakes need one run to find."""
    config = _changed("talker_config.hidden_size", -1)
    config["tts_model_type"] = "singing"
    with pytest.raises(ConversionError, match=r"tts_model_type.*hidden_size|hidden_size.*tts_model_type"):
        parse(ModelConfig, config, "config.json")


def test_a_missing_key_is_named() -> None:
    """A config cut short does not fall back to defaults of another model."""
    config = tiny_config()
    del config["talker_config"]["rope_theta"]
    with pytest.raises(ConversionError, match=r"talker_config\.rope_theta"):
        parse(ModelConfig, config, "config.json")


def test_the_vocoder_makes_80_ms_of_each_frame() -> None:
    """8 x 5 x 4 x 3 x 2 x 2 samples at 24 kHz."""
    config = parse(SpeechTokenizerConfig, tokenizer_config(), "config.json")
    assert config.decoder_config.samples_per_frame == 1920


def test_rates_that_disagree_are_refused() -> None:
    """A vocoder of another rate would play at the wrong pitch."""
    broken = tokenizer_config({"upsample_rates": [8, 5, 4, 2]})
    with pytest.raises(ConversionError, match="1920, but the decoder's rates multiply to 1280"):
        parse(SpeechTokenizerConfig, broken, "config.json")


def test_sampling_defaults_are_the_published_ones() -> None:
    """An empty generation_config.json means upstream's defaults."""
    sampling = Sampling()
    assert (sampling.temperature, sampling.top_k, sampling.top_p) == (0.9, 50, 1.0)
    assert sampling.repetition_penalty == 1.05
