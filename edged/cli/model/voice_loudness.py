"""Speaks prompts to find out how loud a model's voices are."""

from __future__ import annotations

from collections.abc import Sequence

from edged.cli.model.common import engine_of, known_model, progress_bar
from edged.cli.model.speak_prompts import PROMPTS
from edged.cli.synth_client import with_engine
from edged.config.schema import Config, SpeechConfig
from edged.engine.base import Engine, VoiceInfo
from edged.engine.loudness import measure_lufs, prompts_for
from edged.errors import UnknownVoiceError
from edged.io.loudness_file import LoudnessFile
from edged.io.store import Store
from edged.workers.engines import open_engine
from edged.workers.voicing import default_voices, find_voice


def measure_voices(store: Store, name: str, config: Config, asked: Sequence[str]) -> dict[str, float]:
    """LUFS of voices of a model's active build, of those that speak by default if none is asked for.

    The figures are kept beside the models. Raises ModelUnavailableError, UnknownVoiceError, EngineError for
    a voice that makes no sound, and what speaking raises.
    """
    folder = store.open_active(known_model(store, name))
    engine = open_engine(with_engine(config, engine_of(name), folder.path)).engine
    try:
        measured = _measure(engine, _chosen(engine, config.speech, asked))
    finally:
        engine.close()
    LoudnessFile(store.models_dir).record(folder.manifest.digest, measured)
    return measured


def _chosen(engine: Engine, speech: SpeechConfig, asked: Sequence[str]) -> list[VoiceInfo]:
    info = engine.info
    names = {find_voice(info, name): name for name in asked or default_voices(info, speech).values()}
    if None in names:
        known = ", ".join(voice.name for voice in info.voices)
        raise UnknownVoiceError(f"{info.name} has no voice {names[None]!r}", f"one of: {known}")
    return [voice for voice in info.voices if voice.name in names]


def _measure(engine: Engine, voices: Sequence[VoiceInfo]) -> dict[str, float]:
    measured = {}
    with progress_bar() as progress:
        for index, voice in enumerate(voices):
            progress(f"listening to {voice.name}", index / len(voices))
            measured[voice.name] = measure_lufs(engine, voice.name, prompts_for(voice, PROMPTS))
    return measured
