"""Sound devices that fail on purpose, switched while a program plays on them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Literal, get_args

# what each of them does: tests/integration/alsa/alsa_faults.c
Fault = Literal["busy", "away", "badfd", "suspended", "xrun", "short", "stuck", "nodrain", "hang"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

_SOURCE = Path(__file__).resolve().parents[1] / "tests" / "integration" / "alsa" / "alsa_faults.c"


class FaultShim:
    """The compiled LD_PRELOAD library; `env` is for the programs that shall meet its faults."""

    def __init__(self, folder: Path) -> None:
        self.library = folder / "alsa_faults.so"
        self._file = folder / "fault"
        options = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-D_GNU_SOURCE"]
        subprocess.run(["gcc", *options, "-o", str(self.library), str(_SOURCE), "-ldl"], check=True)
        self.env = {"LD_PRELOAD": str(self.library), "EDGED_FAULT_FILE": str(self._file)}

    def begin(self, fault: Fault) -> None:
        """From now on this is wrong."""
        new = self._file.with_suffix(".new")
        new.write_text(fault)
        os.replace(new, self._file)

    def end(self) -> None:
        """Nothing is wrong any more."""
        self._file.unlink(missing_ok=True)
