"""What a published checkpoint consists of, and which ones are trusted.

A checkpoint is trusted when it is in the list that edged ships (`pins.json` beside this file, empty as long
as nobody has vouched for one) or in `<models_dir>/pins.json`, where the first pull of one is recorded. The
same description lies in every folder of downloads, so that a stick carries what it is.
"""

from __future__ import annotations

import fcntl
import os
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from edged.errors import StorageError
from edged.io.disk import storage_errors
from edged.io.model_folder import Sha256, SourceEntry

PINS = "pins.json"
MARKER = "edged-checkpoint.json"

HubName = Literal["huggingface", "modelscope"]

# names of published files become paths here: relative, nothing hidden, no way up
RELATIVE_PATH = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$"
RelativePath = Annotated[str, Field(pattern=RELATIVE_PATH)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HubFile(_Entry):
    """Size and content of a published file; a hub does not tell the SHA-256 of each one beforehand."""

    bytes: int = Field(ge=0)
    sha256: Sha256 | None


class Checkpoint(_Entry):
    """The files of a repository at one revision.

    `revision` is the branch, tag or commit that was asked for, `commit` what it was then: the same words
    where the hub does not tell. A folder somebody filled by other means has the hub "folder".
    """

    hub: HubName | Literal["folder"]
    repo: str
    revision: str
    commit: str
    files: dict[RelativePath, HubFile]

    def __str__(self) -> str:
        return f"{self.repo} at {self.commit} ({self.hub})"

    @property
    def sources(self) -> tuple[SourceEntry, ...]:
        """What a manifest says of a model made from these files; all their SHA-256 must be known."""
        return tuple(
            SourceEntry(
                artefact=f"{self.hub}:{self.repo}/{path}", version=self.commit, sha256=file.sha256 or ""
            )
            for path, file in sorted(self.files.items())
        )


_LIST = TypeAdapter(list[Checkpoint])


class Pins:
    """The trusted checkpoints: those shipped with edged, then those recorded in the models folder."""

    def __init__(self, models_dir: Path) -> None:
        self.path = models_dir / PINS

    def matching(self, repo: str, hub: HubName | None, revision: str | None) -> list[Checkpoint]:
        """Trusted checkpoints of a repository; None asks for any hub, any revision."""
        shipped = _LIST.validate_json(resources.files(__package__).joinpath(PINS).read_bytes())
        return [
            pin
            for pin in (*shipped, *self._recorded())
            if pin.repo == repo and hub in (None, pin.hub) and revision in (None, pin.revision, pin.commit)
        ]

    def record(self, checkpoint: Checkpoint) -> None:
        """Trust a checkpoint from now on. Raises StorageError."""
        with storage_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.with_name(f".{PINS}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # installs of two models may end at the same time
                recorded = [*self._recorded(), checkpoint]
                _write(self.path, _LIST.dump_json(recorded, indent=2))

    def _recorded(self) -> list[Checkpoint]:
        if not self.path.exists():
            return []
        with storage_errors(self.path):
            content = self.path.read_bytes()
        try:
            return _LIST.validate_json(content)
        except ValidationError as error:
            raise StorageError(
                f"{self.path}: {error.errors()[0]['msg']}",
                "restore it from a backup; without it the next pull is trusted anew",
            ) from error


def read_marker(folder: Path) -> Checkpoint | None:
    """What the folder says it holds, if it says anything. Raises StorageError when that is not readable."""
    path = folder / MARKER
    if not path.exists():
        return None
    with storage_errors(path):
        content = path.read_bytes()
    try:
        return Checkpoint.model_validate_json(content)
    except ValidationError as error:
        raise StorageError(f"{path}: {error.errors()[0]['msg']}", "fetch into a new folder") from error


def write_marker(folder: Path, checkpoint: Checkpoint) -> None:
    """Have the folder say what it holds."""
    _write(folder / MARKER, checkpoint.model_dump_json(indent=2).encode())


def _write(path: Path, content: bytes) -> None:
    """Replace a file so that a reader finds the old one or the new one, after a power cut as well."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("wb") as file:
        file.write(content + b"\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
