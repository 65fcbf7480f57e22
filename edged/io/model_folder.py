"""One installed model: an immutable folder whose `manifest.json` vouches for every byte in it.

Opening a model hashes all of it. That costs about 0.1 s for the 140 MB of the default voice (less than
a tenth of what compiling it takes) and turns a flipped bit on a worn-out eMMC into a message with a
file name instead of odd noises.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edged.errors import ModelUnavailableError
from edged.io.disk import sha256_of

MANIFEST = "manifest.json"
_HINT = "edged model install and edged model convert make model folders; make it again"
_ID_DIGITS = 8  # enough to tell apart the handful of builds one board ever sees

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceEntry(_Entry):
    """A published artefact the model was made from."""

    artefact: str
    version: str
    sha256: Sha256


class FileEntry(_Entry):
    """Size and content of one file of the folder."""

    bytes: int = Field(ge=0)
    sha256: Sha256


class CheckpointEntry(_Entry):
    """Of a model made from a checkpoint: where that was published, and how each network keeps its weights.

    `instruction_set`: what a CPU needs for the weights to be as small in memory as they are on the disk.
    """

    repository: str
    revision: str
    parts: dict[str, str]
    instruction_set: str


class Manifest(_Entry):
    """What a model folder is and what must be in it; `files` maps relative POSIX paths to their content.

    `converter_version` tells results of one converter apart, `built_with` names the libraries it used.
    """

    format: Literal[1] = 1
    name: Name
    version: Name
    created: datetime
    licence: str
    precision: str
    sample_rate_hz: int = Field(gt=0)
    converter_version: str
    built_with: str
    edged: str
    sources: tuple[SourceEntry, ...]
    checkpoint: CheckpointEntry | None = None
    files: dict[str, FileEntry]

    @property
    def digest(self) -> str:
        """SHA-256 over everything but the date: the same build gives the same digest."""
        fields = self.model_dump(mode="json", exclude={"created"}, exclude_none=True)
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()

    @property
    def build(self) -> str:
        """Name of the folder that holds this build, `<version>-<hash8>`."""
        return f"{self.version}-{self.digest[:_ID_DIGITS]}"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model folder with its manifest."""

    path: Path
    manifest: Manifest

    @property
    def size_bytes(self) -> int:
        """Bytes of the files the manifest lists."""
        return sum(entry.bytes for entry in self.manifest.files.values())


@dataclass(frozen=True, slots=True)
class Damage:
    """One file that is not what the manifest says, and why."""

    file: str
    why: str

    def __str__(self) -> str:
        return f"{self.file}: {self.why}"


def describe_files(folder: Path) -> dict[str, FileEntry]:
    """The `files` of a manifest for all that lies in `folder`, the manifest itself left out."""
    return {
        relative: FileEntry(bytes=path.stat().st_size, sha256=sha256_of(path))
        for relative, path in _files_in(folder)
    }


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write `manifest.json`, sealed with the manifest's own digest."""
    sealed = {"digest": manifest.digest, **manifest.model_dump(mode="json", exclude_none=True)}
    (folder / MANIFEST).write_text(json.dumps(sealed, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """Read and check `manifest.json`; says nothing about the files. Raises ModelUnavailableError."""
    path = folder / MANIFEST
    try:
        sealed = json.loads(path.read_text(encoding="utf-8"))
        digest = sealed.pop("digest")
        manifest = Manifest.model_validate(sealed)
    except OSError as error:
        raise ModelUnavailableError(f"{path}: {error.strerror}", _HINT) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ModelUnavailableError(
            f"{path}: not a model manifest: {_first_problem(error)}", _HINT
        ) from error
    if digest != manifest.digest:
        raise ModelUnavailableError(f"{path}: changed since it was written (digest does not match)", _HINT)
    return manifest


def find_damage(folder: ModelFolder) -> list[Damage]:
    """Hash every file and compare with the manifest; an empty list means the folder is whole."""
    found = dict(_files_in(folder.path))
    damage = [
        Damage(relative, why)
        for relative, entry in folder.manifest.files.items()
        if (why := _mismatch(found.get(relative), entry))
    ]
    unexpected = [
        Damage(relative, "not in the manifest") for relative in found if relative not in folder.manifest.files
    ]
    return damage + unexpected


def open_model(path: Path) -> ModelFolder:
    """The model in folder `path`, every byte checked. Raises ModelUnavailableError naming the bad file."""
    folder = ModelFolder(path, read_manifest(path))
    damage = find_damage(folder)
    if damage:
        more = f" (and {len(damage) - 1} more)" if len(damage) > 1 else ""
        raise ModelUnavailableError(f"{path}/{damage[0]}{more}", _HINT)
    return folder


def _files_in(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        if not path.is_dir() and relative != MANIFEST:
            yield relative, path


def _mismatch(path: Path | None, entry: FileEntry) -> str:
    """Why the file is not the one listed, or an empty string."""
    if path is None:
        return "missing"
    try:
        size = path.stat().st_size
        if size != entry.bytes:
            return f"{size} bytes instead of {entry.bytes}"
        return "" if sha256_of(path) == entry.sha256 else "content changed (SHA-256 does not match)"
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def _first_problem(error: Exception) -> str:
    if isinstance(error, ValidationError):
        detail = error.errors()[0]
        return f"{'.'.join(str(part) for part in detail['loc'])}: {detail['msg']}"
    return f"{type(error).__name__}: {error}"
