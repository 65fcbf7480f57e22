"""A benchmark's child: a program that answers each line of JSON with one, in a process of its own.

Its peak memory is its own, and it is measured in turn with the others.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edged.errors import EngineError

_ROOT = Path(__file__).resolve().parent.parent


class ChildProcess:
    """Started when made, ready when the constructor returns; `close` ends it."""

    def __init__(self, name: str, command: Sequence[str | Path]) -> None:
        self._name = name
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )
        self._answer()  # ready

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request. Raises EngineError for a failure, and when the process has ended."""
        assert self._process.stdin is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            raise EngineError(f"{self._name} ended with status {status}", "see its message above")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise EngineError(f"{self._name}: {answer['error']}")
        return answer
