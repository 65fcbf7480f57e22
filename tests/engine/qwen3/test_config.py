"""Reading what a checkpoint says about itself."""

from __future__ import annotations

from copy import deepcopy
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
    config = deepcopy(tiny_config())
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
        ("talker_config.rms_norm_eps", float("inf")),
        ("talker_config.spk_id", {}),
        ("tts_model_size", "../../../x/y"),
        ("tts_model_size", "0b6\n"),
        ("tts_model_size", "x" * 33),
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


@pytest.mark.parametrize("index", [-1, 3072])
@pytest.mark.parametrize(
    "key",
    [
        "codec_eos_token_id",
        "codec_think_id",
        "codec_nothink_id",
        "codec_think_bos_id",
        "codec_think_eos_id",
        "codec_pad_id",
        "codec_bos_id",
        "codec_language_id.english",
        "spk_id.ryan",
    ],
)
def test_ids_beyond_the_codec_vocabulary_are_refused(key: str, index: int) -> None:
    """Every id has a row in the codec table; the error names id and table."""
    with pytest.raises(ConversionError, match=f"{key} is {index}, but there are 3072 codes"):
        parse(ModelConfig, _changed(f"talker_config.{key}", index), "config.json")


@pytest.mark.parametrize("beyond", [False, True])
@pytest.mark.parametrize("key", ["im_start", "im_end", "tts_pad", "tts_bos", "tts_eos"])
def test_ids_beyond_the_text_vocabulary_are_refused(key: str, beyond: bool) -> None:
    """Every control token has a row in the text table."""
    size = tiny_config()["talker_config"]["text_vocab_size"]
    index = size if beyond else -1
    with pytest.raises(ConversionError, match=f"{key}_token_id is {index}, but there are {size} text tokens"):
        parse(ModelConfig, _changed(f"{key}_token_id", index), "config.json")


@pytest.mark.parametrize("field", ["spk_id", "codec_language_id"])
def test_names_that_no_request_can_reach_are_refused(field: str) -> None:
    """Speakers and languages are looked up in lower case."""
    names = {**tiny_config()["talker_config"][field], "Ryan": 3061}
    with pytest.raises(ConversionError, match=f"{field}: not in lower case: 'Ryan'"):
        parse(ModelConfig, _changed(f"talker_config.{field}", names), "config.json")


def test_many_bad_ids_are_counted() -> None:
    """A message stays readable when everything is wrong."""
    speakers = {f"s{index}": 5000 for index in range(1000)}
    with pytest.raises(ConversionError, match=r"s3 is 5000 and 996 more, but") as caught:
        parse(ModelConfig, _changed("talker_config.spk_id", speakers), "config.json")
    assert len(caught.value.what) < 300


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


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("temperature", 2.1),
        ("subtalker_temperature", 0),
        ("subtalker_temperature", float("nan")),
        ("top_k", 100_001),
        ("subtalker_top_k", -1),
        ("repetition_penalty", float("inf")),
    ],
)
def test_sampling_out_of_range_is_refused(key: str, value: float) -> None:
    """A checkpoint's defaults keep to what a request may ask for."""
    with pytest.raises(ConversionError, match=f"generation_config.json: {key}: "):
        parse(Sampling, {key: value}, "generation_config.json")
