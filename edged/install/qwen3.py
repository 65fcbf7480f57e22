"""A Qwen3-TTS checkpoint becomes a model folder, resumably.

What is finished lies in a work folder until all of it is: a conversion that was killed or ran out of disk
goes on where it was when it is started again. The work folder is gone after success, and is safe to delete.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING

from edged import __version__
from edged.engine.qwen3.precision import CONVERTER_VERSION, Precisions
from edged.errors import BadInputError, BusyError, ConversionError
from edged.install.conversion import run_converter
from edged.install.extras import INSTALL_EXTRAS
from edged.io.disk import sha256_of, storage_errors
from edged.io.fetch import Progress
from edged.io.model_folder import (
    CheckpointEntry,
    Manifest,
    ModelFolder,
    SourceEntry,
    describe_files,
    write_manifest,
)

if TYPE_CHECKING:
    from edged.engine.qwen3.checkpoint import Checkpoint

LICENCE = "Apache-2.0 (weights, as published by Qwen)"
_LICENCE_TEXTS = ("LICENSE", "NOTICE", "README.md")
_NEEDS = ("nncf", "safetensors", "ml_dtypes")
_BUILT_WITH = ("openvino", "nncf")
_LOCK = ".lock"
SIZES = {"0b6": "0.6b", "1b7": "1.7b"}  # how config.json and how people write them
_KEY_DIGITS = 16
_MEMORY = "Converting takes 2 GB for a 0.6B model, 5 GB for a 1.7B one"  # measured, docs/adr/005


def convert_checkpoint(
    checkpoint: Path, out: Path, precisions: Precisions, progress: Progress
) -> ModelFolder:
    """Convert a checkpoint somebody has fetched into the new folder `out`, whose files are then read-only.

    Raises BadInputError, ConversionError, StorageError or BusyError; a folder `.<name>.converting` beside
    `out` then keeps what is finished for the next try.
    """
    if os.path.lexists(out):
        raise BadInputError(f"{out}: exists already", "name a new folder")
    opened = _open(checkpoint)
    sources = _hashed(opened, progress)
    work = out.parent / f".{out.name}.converting"
    with storage_errors(work), _locked(work):
        model, manifest = build_model(
            checkpoint,
            work,
            precisions,
            progress,
            name=model_name(opened.config.tts_model_size, opened.config.tts_model_type),
            version=_digest(sources)[:_KEY_DIGITS],
            sources=sources,
            repository=checkpoint.name,
            revision="unknown",
        )
        write_manifest(model, manifest)
        for path in model.rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        model.rename(out)
        shutil.rmtree(work)
    return ModelFolder(out, manifest)


def build_model(
    checkpoint: Path,
    work: Path,
    precisions: Precisions,
    progress: Progress,
    *,
    name: str,
    version: str,
    sources: tuple[SourceEntry, ...],
    repository: str,
    revision: str,
) -> tuple[Path, Manifest]:
    """Convert below `work`, going on with what an earlier call for the same model has left there.

    Returns the finished folder and its manifest, not yet written. Work for any other model, precision or
    converter is deleted. Raises ConversionError or StorageError.
    """
    config = _open(checkpoint).speech
    model = work / _key(name, precisions, sources)
    with storage_errors(work):
        _unseal(work)
        for leftover in _folders(work):
            if leftover != model:
                shutil.rmtree(leftover)
        model.mkdir(parents=True, exist_ok=True)
        try:
            arguments = [name, str(precisions), str(checkpoint), str(model)]
            run_converter(["-m", "edged.install.qwen3_child", *arguments], progress, memory=_MEMORY)
        except BaseException:
            _drop_unfinished(model)
            raise
        _copy_licences(checkpoint, model / "licences")
        progress("computing checksums", 1.0)
        files = describe_files(model)
    return model, Manifest(
        name=name,
        version=version,
        created=datetime.now(UTC).replace(microsecond=0),
        licence=LICENCE,
        precision=str(precisions),
        sample_rate_hz=config.output_sample_rate,
        converter_version=CONVERTER_VERSION,
        built_with=", ".join(f"{package} {version_of(package)}" for package in _BUILT_WITH),
        edged=__version__,
        sources=sources,
        checkpoint=CheckpointEntry(
            repository=repository,
            revision=revision,
            parts=precisions.parts,
            instruction_set=precisions.instruction_set,
        ),
        files=files,
    )


def require_converter() -> None:
    """Raise ConversionError when a module that only conversion needs is not installed."""
    missing = [module for module in _NEEDS if importlib.util.find_spec(module) is None]
    if missing:
        raise ConversionError(f"converting needs {' and '.join(missing)}", INSTALL_EXTRAS)


def _open(checkpoint: Path) -> Checkpoint:
    """Open the checkpoint. Raises ConversionError, also where what only conversion needs is not installed."""
    require_converter()
    from edged.engine.qwen3.checkpoint import open_checkpoint

    return open_checkpoint(checkpoint)


def model_name(size: str, kind: str) -> str:
    """What a model with this `tts_model_size` and `tts_model_type` is called: qwen3-tts-0.6b-customvoice."""
    return f"qwen3-tts-{SIZES.get(size, size)}-{kind.replace('_', '')}".lower()


def _hashed(checkpoint: Checkpoint, progress: Progress) -> tuple[SourceEntry, ...]:
    """Every file of the checkpoint that is used, with its SHA-256."""
    progress("hashing the checkpoint", 0.0)
    with storage_errors(checkpoint.folder):
        return tuple(
            SourceEntry(artefact=name, version="unknown", sha256=sha256_of(checkpoint.folder / name))
            for name in checkpoint.files
        )


def _copy_licences(checkpoint: Path, target: Path) -> None:
    """Take over what the checkpoint says of its licence."""
    texts = [checkpoint / name for name in _LICENCE_TEXTS if (checkpoint / name).is_file()]
    if texts:
        target.mkdir(exist_ok=True)
    for text in texts:
        shutil.copyfile(text, target / text.name)


def _key(name: str, precisions: Precisions, sources: tuple[SourceEntry, ...]) -> str:
    """What tells the parts of one conversion from those of another."""
    built_with = (f"{package} {version_of(package)}" for package in _BUILT_WITH)
    facts = [name, str(precisions), _digest(sources), CONVERTER_VERSION, *built_with]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:_KEY_DIGITS]


def _digest(sources: tuple[SourceEntry, ...]) -> str:
    return hashlib.sha256("\n".join(source.sha256 for source in sources).encode()).hexdigest()


def _folders(work: Path) -> list[Path]:
    return [path for path in work.iterdir() if path.is_dir()] if work.is_dir() else []


def _unseal(work: Path) -> None:
    """Make everything in `work` writable again: a model is sealed before it is moved to its place."""
    for path in work.rglob("*"):
        path.chmod(path.stat().st_mode | 0o200)


def _drop_unfinished(model: Path) -> None:
    """Remove what the converter was at work on (a dot before its name); a folder with nothing else too."""
    for unfinished in model.glob(".*"):
        shutil.rmtree(unfinished)
    _drop_empty(model)


def _drop_empty(folder: Path) -> None:
    """Remove a folder in which nothing has been finished."""
    with contextlib.suppress(OSError):  # not empty: worth keeping
        folder.rmdir()


@contextlib.contextmanager
def _locked(work: Path) -> Iterator[None]:
    """The work folder, for this process alone. Removed afterwards if there is nothing in it.

    Raises BusyError while another conversion works there.
    """
    work.mkdir(parents=True, exist_ok=True)
    with (work / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError(
                f"{work}: another conversion is at work here", "wait until it has finished"
            ) from error
        try:
            yield
        finally:
            if work.is_dir() and not _folders(work):
                (work / _LOCK).unlink()
                _drop_empty(work)
