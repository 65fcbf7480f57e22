"""Configuration -> engine: finds the model folder, checks every byte of it, loads the engine."""

from __future__ import annotations

from edged.config.schema import Config
from edged.engine.base import Engine
from edged.engine.tone import ToneEngine
from edged.io.model_folder import ModelFolder, open_model
from edged.io.store import Store
from edged.workers.threads import configured_threads


def open_engine(config: Config) -> Engine:
    """The configured engine, loaded. Raises ModelUnavailableError when its model is missing or damaged."""
    if config.speech.engine == "tone":
        return ToneEngine()
    # imported here: the tone engine must start on a board where OpenVINO cannot
    from edged.engine.kokoro.engine import KokoroEngine

    return KokoroEngine(
        _model_folder(config).path,
        threads=configured_threads(config.threads),
        cache_dir=config.paths.cache_dir,
        pin=config.threads.pin,
    )


def _model_folder(config: Config) -> ModelFolder:
    if config.speech.model is not None:
        return open_model(config.speech.model)
    return Store(config.paths.models_dir).open_active(config.speech.engine)
