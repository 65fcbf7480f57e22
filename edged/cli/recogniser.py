"""A speech recogniser in an environment of its own; benchmarks/setup-peers.sh of a clone makes one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from edged.errors import EngineError
from edged.text.sentence import Lang


@dataclass(frozen=True, slots=True)
class Recogniser:
    """`environment` has Python, its packages and the model; `script` prints {"text": ...} a recording."""

    environment: Path
    script: Path

    @classmethod
    def of_this_clone(cls) -> Recogniser:
        """Where setup-peers.sh puts it: beside the virtual environment that runs us."""
        clone = Path(sys.prefix).parent
        return cls(clone / ".venv-peers", clone / "benchmarks/recognise.py")

    @property
    def is_installed(self) -> bool:
        """Whether there is one."""
        return self._python.exists() and self._model.is_dir() and self.script.is_file()

    def listen(self, recordings: Sequence[tuple[Lang, Path]]) -> Iterator[str]:
        """What is heard in each recording, in order, in one child process.

        Raises EngineError when the recogniser is not set up or fails.
        """
        if not self.is_installed:
            raise EngineError(f"{self._model}: no speech recogniser", "benchmarks/setup-peers.sh")
        arguments = [f"{lang}:{path}" for lang, path in recordings]
        child = subprocess.Popen(
            [self._python, self.script, self._model, *arguments], stdout=subprocess.PIPE, text=True
        )
        with child:
            assert child.stdout is not None
            for recording, line in zip_longest(recordings, child.stdout):
                if not (recording and line):
                    raise EngineError("the speech recogniser ended unexpectedly", "see its last lines above")
                yield json.loads(line)["text"]

    @property
    def _python(self) -> Path:
        return self.environment / "bin/python"

    @property
    def _model(self) -> Path:
        return self.environment / "share/whisper-base"
