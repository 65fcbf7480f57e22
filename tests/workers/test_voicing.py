"""What becomes of a request's voice and options."""

from __future__ import annotations

from dataclasses import fields

import pytest

from edged.config.schema import SpeechConfig
from edged.engine.base import EngineInfo, SpeechOptions, VoiceInfo
from edged.workers.messages import Speak
from edged.workers.voicing import default_voices, find_voice, missing_voices, resolve

ALL = frozenset(field.name for field in fields(SpeechOptions))
VOICES = (VoiceInfo("vivian", ("zh",)), VoiceInfo("ryan", ("en",)), VoiceInfo("Eric", ("zh",)))
LARGE = EngineInfo("large", 24000, VOICES, ALL)
SMALL = EngineInfo("small", 24000, VOICES)
EVERY_OPTION = SpeechOptions(
    speaker="ryan",
    language="english",
    dialect="sichuan_dialect",
    instruct="calm",
    temperature=0.5,
    top_k=10,
    top_p=0.9,
    repetition_penalty=1.1,
    seed=7,
    max_seconds=9.0,
)


def speak(**fields: object) -> Speak:
    return Speak.model_validate({"job_id": "a", "pieces": [], **fields})


def test_nobody_named_means_the_configured_voice_or_the_engines_own() -> None:
    """Empty in the configuration is the engine's own choice for the language."""
    assert default_voices(LARGE, SpeechConfig()) == {"zh": "vivian", "en": "ryan"}
    assert default_voices(LARGE, SpeechConfig(voice_zh="Eric")) == {"zh": "Eric", "en": "ryan"}


def test_a_configured_voice_of_another_engine_does_not_silence_this_one() -> None:
    """Its own voice speaks, and the key is named once, for the log."""
    config = SpeechConfig(voice_zh="zf_xiaobei")
    assert default_voices(LARGE, config) == {"zh": "vivian", "en": "ryan"}
    assert missing_voices(LARGE, config) == ["speech.voice_zh = 'zf_xiaobei'"]
    assert missing_voices(LARGE, SpeechConfig()) == []


def test_a_default_chosen_since_wins_over_the_configured_one() -> None:
    """Where the engine has it; a voice of another engine leaves the configured one."""
    config = SpeechConfig(voice_zh="Eric")
    assert default_voices(LARGE, config, {"zh": "VIVIAN"}) == {"zh": "vivian", "en": "ryan"}
    assert default_voices(LARGE, config, {"zh": "af_heart"}) == {"zh": "Eric", "en": "ryan"}
    asked = speak(default_voices={"en": "vivian"})
    assert resolve(LARGE, config, asked).voices == {"zh": "Eric", "en": "vivian"}


@pytest.mark.parametrize(
    ("asked", "voice", "warnings"),
    [
        ({"voice": "ryan"}, "ryan", ()),
        ({"voice": "RYAN"}, "ryan", ()),
        ({"voice": "eric"}, "Eric", ()),
        ({"voice": "vivian", "options": SpeechOptions(speaker="ryan")}, "ryan", ()),
        ({"options": SpeechOptions(speaker="nobody")}, "vivian", ("voice_fallback: nobody",)),
        ({"voice": "nobody"}, "vivian", ("voice_fallback: nobody",)),
    ],
    ids=["voice", "capitals", "its capitals", "speaker wins", "unknown speaker", "unknown voice"],
)
def test_who_speaks(asked: dict[str, object], voice: str, warnings: tuple[str, ...]) -> None:
    """The one asked for by any of its two names, else the default with a warning; never silence."""
    voicing = resolve(LARGE, SpeechConfig(), speak(**asked))
    assert (voicing.voices["zh"], voicing.warnings) == (voice, warnings)
    assert voicing.options.speaker is None  # it has become a voice


@pytest.mark.parametrize(
    ("asked", "voice"), [("Anna", "Anna"), ("anna", "anna"), ("aNNA", "Anna"), ("bob", None)]
)
def test_voices_may_differ_in_capitals_only(asked: str, voice: str | None) -> None:
    """Each answers to its own name, the first of them to any other spelling."""
    cloned = (VoiceInfo("Anna", ("zh", "en")), VoiceInfo("anna", ("zh", "en")))
    assert find_voice(EngineInfo("base", 24000, cloned), asked) == voice


def test_options_reach_an_engine_that_has_a_use_for_them() -> None:
    """Each with its value; pace is the product of the request's and the configured one."""
    voicing = resolve(LARGE, SpeechConfig(), speak(options=EVERY_OPTION))
    assert voicing.warnings == ()
    assert [f for f in ALL if getattr(voicing.options, f) != getattr(EVERY_OPTION, f)] == ["speaker"]
    assert resolve(SMALL, SpeechConfig(speed=1.5), speak(speed=1.2)).speed == pytest.approx(1.8)


def test_an_engine_without_a_use_for_an_option_says_so() -> None:
    """By the name it has in the request; the speech is none the worse."""
    voicing = resolve(SMALL, SpeechConfig(), speak(options=EVERY_OPTION))
    expected = {f"not_active: options.{name}" for name in ALL - {"instruct"}} | {"not_active: instruct"}
    assert set(voicing.warnings) == expected
    assert voicing.options == SpeechOptions()
    assert voicing.voices == {"zh": "vivian", "en": "ryan"}


@pytest.mark.parametrize(("configured", "asked", "pace"), [(2.0, 1.8, 2.0), (0.5, 0.8, 0.5)])
def test_a_pace_stays_between_half_and_twice(configured: float, asked: float, pace: float) -> None:
    """Beyond it nothing is understood, and no engine has to know what to do."""
    assert resolve(SMALL, SpeechConfig(speed=configured), speak(speed=asked)).speed == pace
