"""What a request asks of the voice -> what the loaded engine can do of it, and warnings for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from edged.config.schema import SpeechConfig
from edged.engine.base import EngineInfo, SpeechOptions
from edged.text.sentence import Lang
from edged.workers.messages import Speak

_SLOWEST, _FASTEST = 0.5, 2.0  # each factor's own bounds: beyond them nobody understands a word
NOBODY: Mapping[Lang, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Voicing:
    """`voices` are the engine's, by language; `options` holds only what the engine has a use for."""

    voices: dict[Lang, str]
    speed: float
    options: SpeechOptions
    warnings: tuple[str, ...]


def resolve(info: EngineInfo, speech: SpeechConfig, speak: Speak) -> Voicing:
    """How `speak` is spoken. The speaker of its options is a voice, and wins over its `voice`."""
    voices, options = default_voices(info, speech, speak.default_voices), speak.options
    ignored = [name for name in _given(options) if name not in info.options]
    warnings = [f"not_active: {_in_request(name)}" for name in ignored]
    asked = speak.voice
    if "speaker" in info.options and options.speaker is not None:
        asked = options.speaker
    if asked is not None:
        known = find_voice(info, asked)
        voices = dict.fromkeys(voices, known) if known else voices
        warnings += [] if known else [f"voice_fallback: {asked}"]
    unused = dict.fromkeys([*ignored, "speaker"])
    speed = min(max(speak.speed * speech.speed, _SLOWEST), _FASTEST)
    return Voicing(voices, speed, replace(options, **unused), tuple(warnings))


def default_voices(
    info: EngineInfo, speech: SpeechConfig, chosen: Mapping[Lang, str] = NOBODY
) -> dict[Lang, str]:
    """Who speaks where a request names nobody.

    The `chosen` voice of the language, else the configured one, else the engine's own: the first of them
    that the engine has.
    """
    return {
        lang: find_voice(info, chosen.get(lang, "")) or find_voice(info, name) or info.default_voice(lang)
        for lang, name in _configured(speech).items()
    }


def missing_voices(info: EngineInfo, speech: SpeechConfig) -> list[str]:
    """The configured voices that the engine does not have, as `key = name`."""
    return [
        f"speech.voice_{lang} = {name!r}"
        for lang, name in _configured(speech).items()
        if name and not find_voice(info, name)
    ]


def find_voice(info: EngineInfo, name: str) -> str | None:
    """The voice of this name, else the first that differs in capitals only, else None."""
    names = [voice.name for voice in info.voices]
    if name in names:
        return name
    return next((known for known in names if known.lower() == name.lower()), None)


def _configured(speech: SpeechConfig) -> dict[Lang, str]:
    return {"zh": speech.voice_zh, "en": speech.voice_en}


def _given(options: SpeechOptions) -> list[str]:
    return [field.name for field in fields(options) if getattr(options, field.name) is not None]


def _in_request(name: str) -> str:
    """Where the request has it: `instruct` is a field of its own."""
    return name if name == "instruct" else f"options.{name}"
