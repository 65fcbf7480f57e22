"""Configuration -> engine: finds the model folder, checks every byte of it, loads the engine."""

from __future__ import annotations

from dataclasses import dataclass

from edged.config.schema import Config
from edged.engine.base import Engine
from edged.engine.tone import ToneEngine
from edged.io.cpu import read_cpu
from edged.io.memory import check_fits
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
    """The configured engine, loaded.

    Raises ModelUnavailableError when its model is missing, damaged, or larger than the memory left.
    """
    if config.speech.engine == "tone":
        return LoadedEngine(ToneEngine(), "tone", None)
    folder = open_folder(config)
    check_fits(folder, read_cpu())
    engine = _load(config, folder)
    return LoadedEngine(engine, f"{folder.manifest.name} {folder.manifest.build}", folder.manifest.digest)


def open_folder(config: Config) -> ModelFolder:
    """The model folder of the configured engine, every byte checked. Raises ModelUnavailableError."""
    if config.speech.model is not None:
        return open_model(config.speech.model)
    return Store(config.paths.models_dir).open_active(model_name(config))


def model_name(config: Config) -> str:
    """The store's name of the model that the configured engine speaks with."""
    return config.speech.qwen3_model if config.speech.engine == "qwen3" else config.speech.engine


def _load(config: Config, folder: ModelFolder) -> Engine:
    # imported here: the tone engine must start on a board where OpenVINO cannot
    threads = configured_threads(config.threads)
    cache_dir, pin = config.paths.cache_dir, config.threads.pin
    if config.speech.engine == "qwen3":
        from edged.engine.qwen3.engine import Qwen3Engine

        voices_dir = config.paths.voices_dir
        return Qwen3Engine(folder.path, threads=threads, cache_dir=cache_dir, pin=pin, voices_dir=voices_dir)
    from edged.engine.kokoro.engine import KokoroEngine

    return KokoroEngine(folder.path, threads=threads, cache_dir=cache_dir, pin=pin)
