"""`<models_dir>/loudness.json`: how loud voices are that were measured on this machine.

It lies beside the models, because an installed model never changes, and names each by the digest of its
manifest: another build of a model is measured again.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from edged.errors import StorageError
from edged.io.disk import storage_errors

FILE = "loudness.json"

_MODELS = TypeAdapter(dict[str, dict[str, float]])


class LoudnessFile:
    """Voices' LUFS by model and name. Raises StorageError for a file that cannot be read or written."""

    def __init__(self, models_dir: Path) -> None:
        self.path = models_dir / FILE

    def voices(self, model_sha256: str) -> dict[str, float]:
        """What was measured of a model; empty when nothing was."""
        return self._read().get(model_sha256, {})

    def record(self, model_sha256: str, measured: dict[str, float]) -> None:
        """Add what was measured of a model, in the place of earlier figures of the same voices."""
        with storage_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.with_name(f".{FILE}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # two models may be measured at the same time
                models = self._read()
                models[model_sha256] = {**models.get(model_sha256, {}), **measured}
                self._write(_MODELS.dump_json(models, indent=2))

    def _read(self) -> dict[str, dict[str, float]]:
        if not self.path.exists():
            return {}
        with storage_errors(self.path):
            content = self.path.read_bytes()
        try:
            return _MODELS.validate_json(content)
        except ValidationError as error:
            raise StorageError(
                f"{self.path}: {error.errors()[0]['msg']}", f"rm {self.path}; edged model loudness NAME"
            ) from error

    def _write(self, content: bytes) -> None:
        """A reader finds the old file or the new one, after a power cut as well."""
        fresh = self.path.with_name(f".{FILE}.new")
        with fresh.open("wb") as file:
            file.write(content + b"\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)
