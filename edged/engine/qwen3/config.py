"""What a Qwen3-TTS checkpoint says about itself: `config.json` and `speech_tokenizer/config.json`.

Field names are the published ones. Keys that only matter for training or for other libraries are ignored;
those that change the arithmetic and that the graphs do not implement are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from edged.errors import ConversionError

_Model = TypeVar("_Model", bound=BaseModel)
ModelType = Literal["custom_voice", "base", "voice_design"]
Size = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,32}$")]  # becomes part of a model's name
_Spoken = Annotated[str, Field(min_length=1, max_length=64)]  # a speaker or language, as requests name it
_SHOWN = 4  # ids or problems in a message


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class TransformerConfig(_Section):
    """Shapes of one causal transformer with grouped-query attention and SwiGLU.

    `hidden_size` features, `num_attention_heads` query heads over `num_key_value_heads` key/value heads of
    `head_dim` each, feed-forward width `intermediate_size`.
    """

    hidden_size: int = Field(gt=0)
    intermediate_size: int = Field(gt=0)
    num_hidden_layers: int = Field(gt=0)
    num_attention_heads: int = Field(gt=0)
    num_key_value_heads: int = Field(gt=0)
    head_dim: int = Field(gt=0, multiple_of=2)
    rms_norm_eps: float = Field(gt=0)
    rope_theta: float = Field(gt=0)
    hidden_act: Literal["silu"] = "silu"
    attention_bias: Literal[False] = False

    @model_validator(mode="after")
    def _heads_share_keys_evenly(self) -> TransformerConfig:
        if self.num_attention_heads % self.num_key_value_heads:
            raise ValueError(
                f"num_attention_heads {self.num_attention_heads} is no multiple of "
                f"num_key_value_heads {self.num_key_value_heads}"
            )
        return self

    @property
    def query_size(self) -> int:
        """Width of all query heads together."""
        return self.num_attention_heads * self.head_dim

    @property
    def key_size(self) -> int:
        """Width of all key (or value) heads together."""
        return self.num_key_value_heads * self.head_dim


class PredictorConfig(TransformerConfig):
    """The code predictor: codes 1 to 15 of a frame, from the talker's hidden state and code 0."""

    vocab_size: int = Field(gt=0)
    num_code_groups: int = Field(ge=2)


class TalkerConfig(TransformerConfig):
    """The talker: code 0 of every frame. Also owns the text table and every id of the codec vocabulary."""

    vocab_size: int = Field(gt=1024)
    text_vocab_size: int = Field(gt=0)
    text_hidden_size: int = Field(gt=0)
    num_code_groups: int = Field(ge=2)
    max_position_embeddings: int = Field(gt=0)
    code_predictor_config: PredictorConfig
    codec_eos_token_id: int
    codec_think_id: int
    codec_nothink_id: int
    codec_think_bos_id: int
    codec_think_eos_id: int
    codec_pad_id: int
    codec_bos_id: int
    codec_language_id: dict[_Spoken, int]
    spk_id: dict[_Spoken, int] = {}
    spk_is_dialect: dict[str, str | Literal[False]] = {}

    @model_validator(mode="after")
    def _parts_fit_together(self) -> TalkerConfig:
        if self.code_predictor_config.num_code_groups != self.num_code_groups:
            raise ValueError("code_predictor_config.num_code_groups differs from num_code_groups")
        for speaker, dialect in self.spk_is_dialect.items():
            if dialect and dialect not in self.codec_language_id:
                raise ValueError(f"spk_is_dialect.{speaker}: {dialect!r} is no codec_language_id")
        return self

    @model_validator(mode="after")
    def _codec_ids_are_codes(self) -> TalkerConfig:
        names = (
            name for name in type(self).model_fields if name.startswith("codec_") and name.endswith("_id")
        )
        plain = {name: getattr(self, name) for name in names if name != "codec_language_id"}
        _require_ids(plain, self.vocab_size, "codes")
        for field, ids in (("codec_language_id", self.codec_language_id), ("spk_id", self.spk_id)):
            _require_ids({f"{field}.{name}": index for name, index in ids.items()}, self.vocab_size, "codes")
            shouted = [name for name in ids if name != name.lower()]
            if shouted:  # requests' names are looked up in lower case
                raise ValueError(f"{field}: not in lower case: {_brief(map(repr, shouted))}")
        return self


class ModelConfig(_Section):
    """`config.json` of a checkpoint."""

    model_type: Literal["qwen3_tts"]
    tokenizer_type: Literal["qwen3_tts_tokenizer_12hz"]
    tts_model_size: Size
    tts_model_type: ModelType
    talker_config: TalkerConfig
    speaker_encoder_config: dict[str, Any] = {}
    im_start_token_id: int
    im_end_token_id: int
    tts_pad_token_id: int
    tts_bos_token_id: int
    tts_eos_token_id: int

    @model_validator(mode="after")
    def _text_ids_are_tokens(self) -> ModelConfig:
        names = (name for name in type(self).model_fields if name.endswith("_token_id"))
        ids = {name: getattr(self, name) for name in names}
        _require_ids(ids, self.talker_config.text_vocab_size, "text tokens")
        return self

    @model_validator(mode="after")
    def _speakers_have_names(self) -> ModelConfig:
        if self.tts_model_type == "custom_voice" and not self.talker_config.spk_id:
            raise ValueError("talker_config.spk_id: a custom_voice model without a speaker")
        return self

    @property
    def x_vector_size(self) -> int:
        """Length of a speaker embedding made for this model (it is the talker's hidden size)."""
        return self.talker_config.hidden_size


class VocoderConfig(TransformerConfig):
    """`decoder_config` of `speech_tokenizer/config.json`: codes of 12.5 frames a second to 24 kHz samples.

    The transformer is the one in front, which sees the last `sliding_window` frames.
    """

    codebook_size: int = Field(gt=0)
    codebook_dim: int = Field(gt=0, multiple_of=2)
    num_quantizers: int = Field(ge=2)
    latent_dim: int = Field(gt=0)
    sliding_window: int = Field(gt=0)
    decoder_dim: int = Field(gt=0)
    upsample_rates: tuple[int, ...]
    upsampling_ratios: tuple[int, ...]

    @property
    def samples_per_frame(self) -> int:
        """Samples one frame of codes becomes: 1920 in every published model."""
        return prod(self.upsample_rates) * prod(self.upsampling_ratios)


class SpeechTokenizerConfig(_Section):
    """`speech_tokenizer/config.json`; the encoder's part is not read."""

    model_type: Literal["qwen3_tts_tokenizer_12hz"]
    output_sample_rate: int = Field(gt=0)
    decode_upsample_rate: int = Field(gt=0)
    decoder_config: VocoderConfig

    @model_validator(mode="after")
    def _rates_agree(self) -> SpeechTokenizerConfig:
        if self.decoder_config.samples_per_frame != self.decode_upsample_rate:
            raise ValueError(
                f"decode_upsample_rate is {self.decode_upsample_rate}, but the decoder's rates multiply to "
                f"{self.decoder_config.samples_per_frame}"
            )
        return self


class Sampling(_Section):
    """Defaults of `generation_config.json`: how codes are drawn where a request does not say otherwise.

    The bounds are those of a request.
    """

    do_sample: bool = True
    temperature: float = Field(0.9, gt=0, le=2)
    top_k: int = Field(50, ge=0, le=100_000)
    top_p: float = Field(1.0, gt=0, le=1)
    repetition_penalty: float = Field(1.05, ge=0.5, le=5)
    subtalker_dosample: bool = True
    subtalker_temperature: float = Field(0.9, gt=0, le=2)
    subtalker_top_k: int = Field(50, ge=0, le=100_000)
    subtalker_top_p: float = Field(1.0, gt=0, le=1)
    max_new_tokens: int = Field(4096, gt=0)


def parse(model: type[_Model], data: object, where: str) -> _Model:
    """Validate one of the files above. Raises ConversionError naming the file, each bad key and why."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = _brief(
            (
                f"{'.'.join(str(part) for part in problem['loc']) or 'file'}: {problem['msg']}"
                for problem in error.errors(include_url=False)
            ),
            separator="; ",
        )
        raise ConversionError(
            f"{where}: {problems}", "is this a Qwen3-TTS 12 Hz checkpoint, complete and unchanged?"
        ) from error


def _require_ids(ids: Mapping[str, int], size: int, what: str) -> None:
    """Raise ValueError when an id is no row of a table of `size` rows."""
    outside = [f"{name} is {index}" for name, index in ids.items() if not 0 <= index < size]
    if outside:
        raise ValueError(f"{_brief(outside)}, but there are {size} {what}")


def _brief(entries: Iterable[str], separator: str = ", ") -> str:
    """The first entries and the number of the others."""
    listed = list(entries)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return separator.join(listed[:_SHOWN]) + more
