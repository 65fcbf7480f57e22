"""Configuration -> engine: finds the model folder, checks every byte of it, loads the engine."""

from __future__ import annotations

from dataclasses import dataclass

from edged.config.schema import Config
from edged.engine.base import Engine
from edged.engine.tone import ToneEngine
from edged.io.model_folder import ModelFolder, open_model
from edged.io.store import Store
from edged.workers.threads import configured_threads


@dataclass(frozen=True, slots=True)
class LoadedEngine:
    """An engine and the model build behind it; `model_sha256` is None for an engine without a model."""

    engine: Engine
    model: str
    model_sha256: str | None


def open_engine(config: Config) -> LoadedEngine:
    """The configured engine, loaded. Raises ModelUnavailableError when its model is missing or damaged."""
    if config.speech.engine == "tone":
        return LoadedEngine(ToneEngine(), "tone", None)
    # imported here: the tone engine must start on a board where OpenVINO cannot
    from edged.engine.kokoro.engine import KokoroEngine

    folder = _model_folder(config)
    engine = KokoroEngine(
        folder.path,
        threads=configured_threads(config.threads),
        cache_dir=config.paths.cache_dir,
        pin=config.threads.pin,
    )
    return LoadedEngine(engine, f"{folder.manifest.name} {folder.manifest.build}", folder.manifest.digest)


def _model_folder(config: Config) -> ModelFolder:
    if config.speech.model is not None:
        return open_model(config.speech.model)
    return Store(config.paths.models_dir).open_active(config.speech.engine)
