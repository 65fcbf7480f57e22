"""Heavy work in a child process: its gigabytes and its libraries are gone when it ends.

Both ends of one small protocol: the child writes a JSON object per line to what was its standard output,
`{"progress": [what, fraction]}`, then `{"result": ...}` or `{"error": what, "hint": what to do, "kind":
class}`, and exits 0. Everything the libraries print goes to standard error, of which the end is kept.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import IO, Any

from edged.errors import EdgedError
from edged.io.fetch import Progress

Task = Callable[[list[str], Progress], Any]  # command line, progress; returns what JSON can carry

_PR_SET_PDEATHSIG = 1
_TAIL_LINES = 5


class ChildError(Exception):
    """The child reported an EdgedError; `kind` is the name of its class."""

    def __init__(self, what: str, hint: str, kind: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.kind = kind


class ChildDeath(Exception):  # noqa: N818 - it is no error of the child's that it was killed
    """The child ended without saying why: its exit status (negative: the signal) and its last words."""

    def __init__(self, status: int, tail: str) -> None:
        super().__init__(f"status {status}: {tail}")
        self.status = status
        self.tail = tail

    @property
    def killed(self) -> bool:
        """Whether it was SIGKILL, as by the out-of-memory killer."""
        return self.status == -signal.SIGKILL


def run_child(arguments: list[str], progress: Progress, environ: Mapping[str, str] | None = None) -> Any:
    """Run `python *arguments PARENT` to its end and return the task's result.

    Raises ChildError or ChildDeath. The child is killed when the caller is interrupted.
    """
    command = [sys.executable, *arguments, str(os.getpid())]
    result = None
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=environ
        ) as child,
    ):
        assert child.stdout is not None
        try:
            for line in child.stdout:
                match json.loads(line):
                    case {"progress": [str(what), float(fraction) | int(fraction)]}:
                        progress(what, fraction)
                    case {"error": str(what), "hint": str(hint), "kind": str(kind)}:
                        raise ChildError(what, hint, kind)
                    case {"result": result}:
                        pass
        except BaseException:
            child.kill()
            raise
        if child.wait() != 0:
            raise ChildDeath(child.returncode, _tail(log))
    return result


def serve(task: Task) -> None:
    """The child's whole life: do the task of the command line, reporting to the parent."""
    *arguments, parent = sys.argv[1:]
    _die_with(int(parent))
    # whatever prints from here on, native code included, must not get between the reports
    reports = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)

    def report(**message: object) -> None:
        reports.write(json.dumps(message) + "\n")

    try:
        report(result=task(arguments, lambda what, fraction: report(progress=[what, fraction])))
    except EdgedError as error:
        report(error=error.what, hint=error.hint, kind=type(error).__name__)


def _tail(log: IO[bytes]) -> str:
    log.seek(0)
    return "\n".join(log.read().decode(errors="replace").splitlines()[-_TAIL_LINES:])


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, however that happens."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was over before the line above
        os.kill(os.getpid(), signal.SIGKILL)
