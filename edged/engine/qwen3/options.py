"""What a request asks of the voice and what the model offers -> how one sentence is spoken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edged.engine.base import SpeechOptions
from edged.engine.qwen3.config import ModelConfig, Sampling
from edged.engine.qwen3.generate import FRAMES_PER_SECOND
from edged.engine.qwen3.prompt import AUTO, DIALECT_LANGUAGES
from edged.engine.qwen3.sampler import Code0Sampling
from edged.errors import BadInputError, UnknownVoiceError
from edged.text.sentence import Lang

# what a VoiceDesign model is told where nobody describes a voice: it has none of its own
DEFAULT_DESIGN = "A calm, clear, friendly adult voice that speaks at an ordinary pace."

_LANGUAGES: dict[Lang, str] = {"zh": "chinese", "en": "english"}
_DIALECT = "dialect"  # is part of the name of every codec language that is one
_SMALL_MODEL = "0b6"  # tts_model_size of the models that were not trained to follow an instruct
_LONGEST_INSTRUCT = 1000  # characters; read before the first sound, so that their number delays it
_LONGEST_SPEECH_S = 3600.0
# colder than this the likeliest code always wins, and the quotients come near the end of float32
_COLDEST = 1e-3


@dataclass(frozen=True, slots=True)
class SpeechSettings:
    """How a sentence is spoken by this model; every name is one of its own.

    `voice` is a speaker, an x-vector's name or the design voice, `language` "auto" or the name of a language
    or dialect. The speech ends after `max_frames` of 80 ms at the latest. `streaming_text`: as the authors of
    the model have it.
    """

    voice: str
    language: str
    instruct: str | None
    code0: Code0Sampling
    seed: int | None
    max_frames: int
    streaming_text: bool


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings, and what of the request this model has no use for."""

    settings: SpeechSettings
    warnings: tuple[str, ...]


def resolve(
    options: SpeechOptions,
    *,
    voice: str,
    lang: Lang,
    config: ModelConfig,
    defaults: Sampling,
    voices: Sequence[str],
) -> Resolved:
    """The settings of a sentence in `lang` for which `voice` was chosen; `voices` are the model's.

    Names are taken whatever their capitals. Raises UnknownVoiceError and BadInputError that name the field,
    the value and what is allowed.
    """
    instruct, warnings = _instruct(options.instruct, config)
    settings = SpeechSettings(
        voice=_voice(options.speaker or voice, voices),
        language=_language(options, lang, config),
        instruct=instruct,
        code0=_code0(options, defaults),
        seed=None if options.seed is None else _whole("seed", options.seed, 2**32 - 1),
        max_frames=_max_frames(options.max_seconds, defaults),
        streaming_text=config.tts_model_type == "base",
    )
    return Resolved(settings, warnings)


def _voice(name: str, voices: Sequence[str]) -> str:
    if name in voices:  # before any other that differs in capitals only
        return name
    for known in voices:
        if known.lower() == name.lower():
            return known
    raise UnknownVoiceError(f"the model has no voice {name!r}", f"one of: {', '.join(voices)}")


def _language(options: SpeechOptions, lang: Lang, config: ModelConfig) -> str:
    """The dialect asked for, else the language asked for, else the sentence's own if the model has it."""
    names = config.talker_config.codec_language_id
    languages = [AUTO, *(name for name in names if _DIALECT not in name)]
    own = _LANGUAGES[lang] if _LANGUAGES[lang] in languages else AUTO
    language = _one_of("language", options.language, languages) or own
    dialect = _one_of("dialect", options.dialect, [name for name in names if _DIALECT in name])
    if dialect and language in DIALECT_LANGUAGES:
        return dialect
    if dialect and options.language:
        raise BadInputError(
            f"options.dialect {options.dialect!r} does not go with options.language {options.language!r}",
            f"language {' or '.join(DIALECT_LANGUAGES)}, or no dialect",
        )
    return language


def _one_of(field: str, value: str | None, allowed: Sequence[str]) -> str | None:
    if value is None or value.lower() in allowed:
        return value and value.lower()
    raise BadInputError(
        f"options.{field} {value!r} is not one of: {', '.join(allowed) or '(this model has none)'}"
    )


def _instruct(instruct: str | None, config: ModelConfig) -> tuple[str | None, tuple[str, ...]]:
    """The instruct that the model is given, and a warning where it would not listen."""
    if instruct is not None and len(instruct) > _LONGEST_INSTRUCT:
        raise BadInputError(f"instruct has {len(instruct)} characters, not up to {_LONGEST_INSTRUCT}")
    match config.tts_model_type:
        case "voice_design":
            return instruct or DEFAULT_DESIGN, ()
        case "custom_voice" if config.tts_model_size != _SMALL_MODEL:
            return instruct or None, ()
    ignored = f"instruct is ignored by {config.tts_model_type} models of size {config.tts_model_size}"
    return None, (ignored,) if instruct else ()


def _code0(options: SpeechOptions, defaults: Sampling) -> Code0Sampling:
    temperature = _number("temperature", options.temperature, defaults.temperature, 0, 2)
    return Code0Sampling(
        do_sample=defaults.do_sample and temperature >= _COLDEST,
        temperature=temperature,
        top_k=defaults.top_k if options.top_k is None else _whole("top_k", options.top_k, 100_000),
        top_p=_number("top_p", options.top_p, defaults.top_p, 0, 1, above=True),
        repetition_penalty=_number(
            "repetition_penalty", options.repetition_penalty, defaults.repetition_penalty, 0.5, 5
        ),
    )


def _max_frames(max_seconds: float | None, defaults: Sampling) -> int:
    """At least one; never more than the model's authors let it speak without a break."""
    longest_s = defaults.max_new_tokens / FRAMES_PER_SECOND
    seconds = _number("max_seconds", max_seconds, longest_s, 0, _LONGEST_SPEECH_S, above=True)
    return max(1, min(int(seconds * FRAMES_PER_SECOND), defaults.max_new_tokens))


def _whole(field: str, value: int, most: int) -> int:
    if 0 <= value <= most:
        return value
    raise BadInputError(f"options.{field} {value!r} is not a whole number from 0 to {most}")


def _number(
    field: str, value: float | None, default: float, least: float, most: float, *, above: bool = False
) -> float:
    """`value` where one is given. With `above`, `least` itself is out of range."""
    if value is None:
        return default
    if least < value <= most or (value == least and not above):
        return float(value)
    lowest = f"above {least:g}" if above else f"from {least:g}"
    raise BadInputError(f"options.{field} {value!r} is not a number {lowest} to {most:g}")
