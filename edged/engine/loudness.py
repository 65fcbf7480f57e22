"""How loud each voice speaks, so that a constant gain can bring all of them to one loudness.

`loudness.json` holds what was measured for the published voices. Voices of other models are measured
where they are installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib import resources
from statistics import fmean

import numpy as np
from pydantic import BaseModel, ConfigDict

from edged.audio.limiter import Limiter
from edged.audio.loudness import integrated_lufs
from edged.engine.base import Engine, Samples, SynthJob, VoiceInfo
from edged.errors import EngineError, RunawayError
from edged.text.content import Words
from edged.text.reading import read_words
from edged.text.sentence import Lang

_SHIPPED = "loudness.json"
_USUAL_LUFS = -16.0  # the default of audio.loudness_lufs; the limiter takes less of a lower one
# enough for every published voice; one that the limiter would not let get louder is not pushed for ever
_STEPS = 4


class _Shipped(BaseModel):
    """`how` it was measured, and LUFS by engine and voice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    how: str
    engines: dict[str, dict[str, float]]


def shipped_lufs(engine: str) -> dict[str, float]:
    """The loudness of an engine's published voices by their names, mono."""
    return dict(_shipped().engines.get(engine, {}))


def prompts_for(voice: VoiceInfo, prompts: Iterable[tuple[Lang, str]]) -> list[tuple[Lang, str]]:
    """Those in the languages the voice was made for."""
    return [(lang, text) for lang, text in prompts if lang in voice.langs]


def measure_lufs(engine: Engine, voice: str, prompts: Iterable[tuple[Lang, str]]) -> float:
    """How loud a voice is over texts; see `effective_lufs`.

    Raises EngineError when none of them makes a sound, and what speaking raises.
    """
    spoken = []
    for lang, text in prompts:
        with suppress(RunawayError):  # one in some hundred texts; the others tell as much
            spoken.append(speak(engine, voice, lang, text))
    lufs = effective_lufs(spoken, engine.info.sample_rate_hz)
    if lufs is None:
        raise EngineError(f"the voice {voice} of {engine.info.name} makes no sound", "edged model verify")
    return lufs


def effective_lufs(recordings: Sequence[Samples], rate_hz: int) -> float | None:
    """What the gain of a voice must be made of, for its recordings to have the usual loudness at the device.

    The mean of their loudness, less what the limiter takes: 0.2 LU of most voices, 2 LU of some with steep
    peaks. None when all are silent.
    """
    lufs = _mean_lufs(recordings, rate_hz)
    if lufs is None:
        return None
    for _ in range(_STEPS):
        gain = np.float32(10 ** ((_USUAL_LUFS - lufs) / 20))
        limited = _mean_lufs([_limited(samples * gain, rate_hz) for samples in recordings], rate_hz)
        assert limited is not None
        lufs += limited - _USUAL_LUFS
    return round(lufs, 2)


def _mean_lufs(recordings: Sequence[Samples], rate_hz: int) -> float | None:
    measured = [integrated_lufs(samples, rate_hz) for samples in recordings]
    audible = [lufs for lufs in measured if lufs is not None]
    return fmean(audible) if audible else None


def _limited(samples: Samples, rate_hz: int) -> Samples:
    limiter = Limiter(rate_hz)
    return np.concatenate((limiter.feed(samples), limiter.flush()))


def speak(engine: Engine, voice: str, lang: Lang, text: str) -> Samples:
    """A text in one voice, mono samples [n], not as the phrase cache has it."""
    sentences = read_words(Words(text, lang)).sentences
    job = SynthJob("loudness", sentences, {"zh": voice, "en": voice}, cache="bypass")
    return np.concatenate([np.zeros(0, np.float32), *(chunk.samples for chunk in engine.synthesize(job))])


@cache
def _shipped() -> _Shipped:
    return _Shipped.model_validate_json(resources.files(__package__).joinpath(_SHIPPED).read_bytes())
