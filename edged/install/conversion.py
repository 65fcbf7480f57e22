"""Converting in a child process: its gigabytes and its libraries are gone when it ends.

Both ends of one small protocol: the child writes a JSON object per line to what was its standard output,
`{"progress": [what, fraction]}` or `{"error": what, "hint": what to do}`, and exits 0 when all is done.
Everything the libraries print goes to standard error, of which the end is shown if the child crashes.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from edged.errors import ConversionError, EdgedError, StorageError
from edged.io.fetch import Progress

Convert = Callable[[str, Path, Path, Progress], None]  # weights, sources, output folder, progress

_PR_SET_PDEATHSIG = 1
_TAIL_LINES = 5
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
        _run([*converter, weights, str(sources), str(out)], progress)
    except ConversionError as error:
        if shutil.disk_usage(out).free < _FULL_DISK_BYTES:
            raise StorageError(
                f"{out}: no space left while converting", "free some space and run again"
            ) from error
        raise


def _run(arguments: list[str], progress: Progress) -> None:
    command = [sys.executable, *arguments, str(os.getpid())]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log) as child,
    ):
        assert child.stdout is not None
        try:
            for line in child.stdout:
                _heed(json.loads(line), progress)
        except BaseException:
            child.kill()
            raise
        if child.wait() != 0:
            raise _death(child.returncode, _tail(log))


def serve(convert: Convert) -> None:
    """The child's whole life: convert what the command line says, reporting to the parent."""
    weights, sources, out, parent = sys.argv[-4:]
    _die_with(int(parent))
    # whatever prints from here on, native code included, must not get between the reports
    reports = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)

    def report(**message: object) -> None:
        reports.write(json.dumps(message) + "\n")

    try:
        convert(weights, Path(sources), Path(out), lambda what, fraction: report(progress=[what, fraction]))
    except EdgedError as error:
        report(error=error.what, hint=error.hint)


def _heed(message: dict[str, object], progress: Progress) -> None:
    match message:
        case {"progress": [str(what), float(fraction) | int(fraction)]}:
            progress(what, fraction)
        case {"error": str(what), "hint": str(hint)}:
            raise ConversionError(what, hint)


def _death(status: int, tail: str) -> ConversionError:
    if status == -signal.SIGKILL:
        return ConversionError(
            "the converter was killed",
            "was memory short (dmesg tells)? It takes 0.4 GB, with --weights w8a8 1 GB: close other programs",
        )
    return ConversionError(f"the converter ended with status {status}:\n{tail}", "edged doctor")


def _tail(log: IO[bytes]) -> str:
    log.seek(0)
    return "\n".join(log.read().decode(errors="replace").splitlines()[-_TAIL_LINES:])


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, however that happens."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was over before the line above
        os.kill(os.getpid(), signal.SIGKILL)
