"""Converting in a child process, the way child.py runs one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from edged.errors import ConversionError, StorageError
from edged.install import child
from edged.io.fetch import Progress

Convert = Callable[[str, Path, Path, Progress], None]  # weights, sources, output folder, progress

_KOKORO_MEMORY = "It takes 0.4 GB, with --weights w8a8 1 GB"
# each library has words of its own for a full disk ("basic_ios::clear: iostream error"), and OpenVINO deletes
# the file it could not finish, up to 42 MB
_FULL_DISK_BYTES = 50_000_000


def convert_in_child(
    converter: tuple[str, ...], weights: str, sources: Path, out: Path, progress: Progress
) -> None:
    """Run `python *converter WEIGHTS SOURCES OUT PARENT` to its end.

    Raises ConversionError when it fails or dies, StorageError when the disk got full.
    """
    try:
        run_converter([*converter, weights, str(sources), str(out)], progress, memory=_KOKORO_MEMORY)
    except ConversionError as error:
        if shutil.disk_usage(out).free < _FULL_DISK_BYTES:
            raise StorageError(
                f"{out}: no space left while converting", "free some space and run again"
            ) from error
        raise


def run_converter(arguments: list[str], progress: Progress, *, memory: str) -> None:
    """Run `python *arguments PARENT`; `memory` says what it takes, for the case that it is killed.

    Raises what the child reports, StorageError or ConversionError, and ConversionError when it dies.
    """
    try:
        child.run_child(arguments, progress)
    except child.ChildError as error:
        kind = StorageError if error.kind == StorageError.__name__ else ConversionError
        raise kind(error.what, error.hint) from error
    except child.ChildDeath as death:
        if death.killed:
            raise ConversionError(
                "the converter was killed",
                f"was memory short (dmesg tells)? {memory}: close other programs",
            ) from death
        raise ConversionError(
            f"the converter ended with status {death.status}:\n{death.tail}", "edged doctor"
        ) from death


def serve(convert: Convert) -> None:
    """The child's whole life: convert what the command line says, reporting to the parent."""

    def task(arguments: list[str], progress: Progress) -> None:
        weights, sources, out = arguments[-3:]
        convert(weights, Path(sources), Path(out), progress)

    child.serve(task)
