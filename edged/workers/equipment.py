"""What every engine speaks with: a phrase cache, a pace, a loudness."""

from __future__ import annotations

from edged.audio.loudness import gain_db
from edged.config.schema import Config
from edged.engine.base import Engine
from edged.engine.cache import CachedEngine
from edged.engine.levelled import LevelledEngine
from edged.engine.phrase_store import PhraseStore
from edged.engine.stretched import StretchedEngine
from edged.workers.engines import LoadedEngine
from edged.workers.loudness import known_lufs


def equipped(loaded: LoadedEngine, config: Config) -> Engine:
    """The engine as announcements hear it.

    What is kept of it has its own loudness, and its own pace where it has no other: one take is good for all.
    An engine without a model is a measure for others and keeps its loudness.
    """
    engine = loaded.engine
    if config.speech.cache_mb:
        folder = config.paths.cache_dir / "phrases"
        store = PhraseStore(folder, config.speech.cache_mb << 20, engine.info.sample_rate_hz)
        engine = CachedEngine(engine, store, loaded.model_sha256)
    if "speed" not in engine.info.options:
        engine = StretchedEngine(engine)
    if loaded.model_sha256 is None:
        return engine
    lufs = known_lufs(loaded, config.paths.models_dir)
    target = config.audio.loudness_lufs
    return LevelledEngine(engine, {voice: gain_db(measured, target) for voice, measured in lufs.items()})
