"""What is known of the loudness of an engine's voices: measured here, else as shipped."""

from __future__ import annotations

import logging
from pathlib import Path

from edged.engine.loudness import shipped_lufs
from edged.errors import StorageError
from edged.io.loudness_file import LoudnessFile
from edged.workers.engines import LoadedEngine

log = logging.getLogger(__name__)


def known_lufs(loaded: LoadedEngine, models_dir: Path) -> dict[str, float]:
    """LUFS of the voices by their names, mono. A file that cannot be read is said in the log: the voices
    speak without it.
    """
    return {**shipped_lufs(loaded.engine.info.name), **_measured(loaded.model_sha256, models_dir)}


def _measured(model_sha256: str | None, models_dir: Path) -> dict[str, float]:
    if model_sha256 is None:
        return {}
    try:
        return LoudnessFile(models_dir).voices(model_sha256)
    except StorageError as error:
        log.warning("%s", error)
        return {}
