from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from edged.engine.base import SpeechOptions
from edged.engine.qwen3.config import ModelConfig, Sampling
from edged.engine.qwen3.options import DEFAULT_DESIGN, Resolved, SpeechSettings, resolve
from edged.engine.qwen3.sampler import Code0Sampling
from edged.errors import BadInputError, UnknownVoiceError
from edged.protocol.request import Options
from edged.text.sentence import Lang
from tests.fakes.qwen3_checkpoint import SPEAKERS, tiny_config

DEFAULTS = Sampling(max_new_tokens=8192)


def _resolve(
    *,
    kind: str = "custom_voice",
    size: str = "1b7",
    voice: str = "vivian",
    lang: Lang = "zh",
    voices: tuple[str, ...] = tuple(SPEAKERS),
    defaults: Sampling = DEFAULTS,
    **options: Any,
) -> Resolved:
    config = ModelConfig.model_validate(tiny_config(kind) | {"tts_model_size": size})
    return resolve(
        SpeechOptions(**options), voice=voice, lang=lang, config=config, defaults=defaults, voices=voices
    )


def test_without_options_the_model_decides() -> None:
    """Voice and language of the sentence, all else from generation_config.json."""
    assert _resolve() == Resolved(
        SpeechSettings(
            voice="vivian",
            language="chinese",
            instruct=None,
            code0=Code0Sampling(True, 0.9, 50, 1.0, 1.05),
            seed=None,
            max_frames=8192,
            streaming_text=False,
        ),
        warnings=(),
    )


def test_options_win() -> None:
    """Each of them, names in any capitals."""
    settings = _resolve(
        speaker="Ryan",
        language="German",
        instruct="softly",
        temperature=0.5,
        top_k=0,
        top_p=0.8,
        repetition_penalty=1.2,
        seed=0,
        max_seconds=2.0,
    ).settings
    assert settings == SpeechSettings(
        voice="ryan",
        language="german",
        instruct="softly",
        code0=Code0Sampling(True, 0.5, 0, 0.8, 1.2),
        seed=0,
        max_frames=25,
        streaming_text=False,
    )


@pytest.mark.parametrize(
    ("lang", "language", "dialect", "expected"),
    [
        ("zh", None, None, "chinese"),
        ("en", None, None, "english"),
        ("en", "auto", None, "auto"),
        ("en", "Japanese", None, "japanese"),
        ("zh", None, "sichuan_dialect", "sichuan_dialect"),
        ("zh", "auto", "Beijing_Dialect", "beijing_dialect"),
        ("en", "chinese", "beijing_dialect", "beijing_dialect"),
        ("en", None, "beijing_dialect", "english"),  # the English sentence of a Chinese announcement
    ],
)
def test_a_dialect_is_one_of_chinese(
    lang: Lang, language: str | None, dialect: str | None, expected: str
) -> None:
    """It takes the place of Chinese and auto, and of no other language."""
    assert _resolve(lang=lang, language=language, dialect=dialect).settings.language == expected


def test_a_language_the_model_lacks_is_left_to_it() -> None:
    """A sentence's own language, unlike one that was asked for, may be unknown to the model: auto."""
    config = tiny_config()
    config["talker_config"]["codec_language_id"] = {"english": 2050}
    config["talker_config"]["spk_is_dialect"] = {}
    model = ModelConfig.model_validate(config)
    resolved = resolve(
        SpeechOptions(), voice="ryan", lang="zh", config=model, defaults=DEFAULTS, voices=["ryan"]
    )
    assert resolved.settings.language == "auto"


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"language": "klingon"}, ["options.language 'klingon'", "auto", "chinese", "russian"]),
        ({"language": "beijing_dialect"}, ["options.language 'beijing_dialect'", "auto", "chinese"]),
        ({"dialect": "chinese"}, ["options.dialect 'chinese'", "beijing_dialect", "sichuan_dialect"]),
        (
            {"dialect": "sichuan_dialect", "language": "korean"},
            ["options.dialect 'sichuan_dialect'", "options.language 'korean'", "chinese or auto"],
        ),
        ({"instruct": "x" * 1001}, ["instruct has 1001 characters", "1000"]),
        ({"temperature": -0.1}, ["options.temperature -0.1", "from 0 to 2"]),
        ({"temperature": 2.1}, ["options.temperature 2.1", "from 0 to 2"]),
        ({"temperature": float("nan")}, ["options.temperature nan", "from 0 to 2"]),
        ({"top_k": -1}, ["options.top_k -1", "from 0 to 100000"]),
        ({"top_p": 0.0}, ["options.top_p 0.0", "above 0 to 1"]),
        ({"top_p": 1.01}, ["options.top_p 1.01", "above 0 to 1"]),
        ({"repetition_penalty": 0.4}, ["options.repetition_penalty 0.4", "from 0.5 to 5"]),
        ({"seed": -1}, ["options.seed -1", "from 0 to 4294967295"]),
        ({"seed": 2**32}, ["options.seed 4294967296", "from 0 to 4294967295"]),
        ({"max_seconds": 0.0}, ["options.max_seconds 0.0", "above 0 to 3600"]),
        ({"max_seconds": float("inf")}, ["options.max_seconds inf", "above 0 to 3600"]),
    ],
)
def test_a_bad_value_is_named_with_the_allowed_ones(options: dict[str, Any], parts: list[str]) -> None:
    """Field, value and what would be right; the code in a result is bad_field."""
    with pytest.raises(BadInputError) as caught:
        _resolve(**options)
    assert caught.value.code == "bad_field"
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "voices", "voice", "speaker"),
    [
        ("custom_voice", tuple(SPEAKERS), "vivian", "morgan"),
        ("custom_voice", tuple(SPEAKERS), "af_bella", None),
        ("base", ("anna", "Bob"), "anna", "vivian"),
        ("voice_design", ("design",), "design", "vivian"),
    ],
)
def test_an_unknown_voice_is_named_with_the_known_ones(
    kind: str, voices: tuple[str, ...], voice: str, speaker: str | None
) -> None:
    """Whether it came as voice or as speaker, for speakers as for cloned voices."""
    with pytest.raises(UnknownVoiceError) as caught:
        _resolve(kind=kind, voices=voices, voice=voice, speaker=speaker)
    assert caught.value.code == "unknown_voice"
    assert repr(speaker or voice) in caught.value.what
    assert ", ".join(voices) in caught.value.hint


def test_a_cloned_voice_keeps_its_own_spelling() -> None:
    """It is the name of a file."""
    assert _resolve(kind="base", voices=("anna", "Bob"), voice="bob").settings.voice == "Bob"


@pytest.mark.parametrize(("asked", "voice"), [("Anna", "Anna"), ("anna", "anna"), ("aNNA", "Anna")])
def test_voices_may_differ_in_capitals_only(asked: str, voice: str) -> None:
    """Each answers to its own name, the first of them to any other spelling."""
    assert _resolve(kind="base", voices=("Anna", "anna"), voice=asked).settings.voice == voice


@pytest.mark.parametrize("kind", ["custom_voice", "voice_design", "base"])
def test_only_base_models_read_while_they_speak(kind: str) -> None:
    """The text mode in which the reference speaks with each kind of model."""
    voices = (*SPEAKERS, "design", "anna")
    assert _resolve(kind=kind, voices=voices).settings.streaming_text is (kind == "base")


@pytest.mark.parametrize(("kind", "size"), [("custom_voice", "0b6"), ("base", "0b6"), ("base", "1b7")])
def test_an_instruct_nobody_listens_to_is_a_warning(kind: str, size: str) -> None:
    """Not an error: the same request serves boards with either model."""
    resolved = _resolve(kind=kind, size=size, instruct="softly")
    assert resolved.settings.instruct is None
    assert len(resolved.warnings) == 1
    assert "instruct is ignored" in resolved.warnings[0]
    assert _resolve(kind=kind, size=size, instruct="").warnings == ()


def test_a_design_model_always_has_a_description() -> None:
    """Its own words first; it has no voice without any."""
    design: dict[str, Any] = {"kind": "voice_design", "voice": "design", "voices": ("design",)}
    assert _resolve(**design).settings.instruct == DEFAULT_DESIGN
    assert _resolve(**design, instruct="").settings.instruct == DEFAULT_DESIGN
    assert _resolve(**design, instruct="an old man").settings.instruct == "an old man"


def test_temperature_zero_is_the_likeliest() -> None:
    """As is a temperature that float32 could not divide by, and a model that says so itself."""
    assert not _resolve(temperature=0.0).settings.code0.do_sample
    assert not _resolve(temperature=1e-40).settings.code0.do_sample
    assert not _resolve(defaults=Sampling(do_sample=False)).settings.code0.do_sample
    assert _resolve(temperature=0.001).settings.code0.do_sample


@pytest.mark.parametrize(
    ("max_seconds", "frames"), [(0.01, 1), (0.16, 2), (1.0, 12), (3600.0, 8192), (None, 8192)]
)
def test_seconds_become_frames(max_seconds: float | None, frames: int) -> None:
    """12.5 a second, at least one, and no more than the model's own limit."""
    assert _resolve(max_seconds=max_seconds).settings.max_frames == frames


_EDGES: dict[str, list[float]] = {
    "temperature": [-0.001, 0.0, 2.0, 2.001],
    "top_k": [-1, 0, 100_000, 100_001],
    "top_p": [0.0, 0.001, 1.0, 1.001],
    "repetition_penalty": [0.499, 0.5, 5.0, 5.001],
    "seed": [-1, 0, 2**32 - 1, 2**32],
    "max_seconds": [0.0, 0.001, 3600.0, 3600.1],
}


@pytest.mark.parametrize(("field", "value"), [(name, value) for name in _EDGES for value in _EDGES[name]])
def test_ranges_are_those_of_the_protocol(field: str, value: float) -> None:
    """What a request may hold the engine takes, and the other way round."""
    given: dict[str, Any] = {field: value}
    assert _is_accepted(lambda: _resolve(**given)) is _is_accepted(lambda: Options.model_validate(given))


def _is_accepted(make: Callable[[], object]) -> bool:
    try:
        make()
    except (BadInputError, ValidationError):
        return False
    return True
