"""Which engine speaks when the configured one cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.config.schema import Config
from edged.core.fallback import MOST_CRASHES, EngineChoice


def choice(engine: str = "qwen3", **speech: object) -> EngineChoice:
    return EngineChoice(Config.model_validate({"speech": {"engine": engine, **speech}}))


def test_the_configured_engine_is_the_first_choice() -> None:
    """As long as nothing is wrong nothing is changed and nothing is said."""
    config = Config.model_validate({"speech": {"engine": "qwen3"}})
    assert EngineChoice(config).config is config
    assert EngineChoice(config).reason == ""


def test_a_large_model_that_cannot_be_loaded_leaves_the_floor_to_smaller_ones() -> None:
    """Kokoro, then tones; the reason names every fault and who speaks."""
    used = choice(model=Path("/usb/qwen3"), voice_zh="vivian")
    assert used.cannot_load("qwen3", "talker.bin: missing")
    assert (used.engine, used.config.speech.model) == ("kokoro", None)
    assert used.reason == "qwen3: talker.bin: missing; kokoro speaks instead"
    assert used.cannot_load("kokoro", "not installed")
    assert used.engine == "tone"
    assert used.reason == "qwen3: talker.bin: missing; kokoro: not installed; tone speaks instead"
    assert not used.cannot_load("tone", "nothing is smaller")
    assert used.engine == "tone"


@pytest.mark.parametrize("engine", ["kokoro", "tone"])
def test_a_small_engine_is_not_replaced(engine: str) -> None:
    """Whoever has configured it gets it, or the answer what is missing; beeps are not speech."""
    used = choice(engine)
    assert not used.cannot_load(engine, "missing")  # type: ignore[arg-type]
    for _ in range(MOST_CRASHES + 1):
        used.has_crashed(engine)  # type: ignore[arg-type]
    assert (used.engine, used.reason) == (engine, "")


def test_too_many_crashes_in_a_row_are_the_models_fault() -> None:
    """The last one that is allowed changes nothing, the next one the engine."""
    used = choice()
    for _ in range(MOST_CRASHES - 1):
        used.has_crashed("qwen3")
    assert used.engine == "qwen3"
    used.has_crashed("qwen3")
    assert used.reason == f"qwen3: crashed {MOST_CRASHES} times in a row; kokoro speaks instead"


def test_an_announcement_between_crashes_speaks_for_the_model() -> None:
    """One request that crashes it now and then is that request's fault."""
    used = choice()
    for _ in range(3 * MOST_CRASHES):
        used.has_crashed("qwen3")
        used.has_spoken()
    assert used.engine == "qwen3"


def test_late_news_of_an_engine_given_up_changes_nothing() -> None:
    """The end of its process is no crash of the next one, and another failure of it is not told again."""
    used = choice()
    used.cannot_load("qwen3", "damaged")
    for _ in range(MOST_CRASHES):
        used.has_crashed("qwen3")
    assert used.cannot_load("qwen3", "damaged")
    assert used.reason == "qwen3: damaged; kokoro speaks instead"
