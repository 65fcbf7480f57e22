"""The journal as the daemon uses it: on disk, or in memory from the moment the disk fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from edged.errors import StorageError
from edged.journal import Journal, read_boot_id

log = logging.getLogger(__name__)
T = TypeVar("T")


class Ledger:
    """Never stops speech: `fault` says what went wrong with the disk, empty while all is well."""

    def __init__(self, state_dir: Path) -> None:
        self.fault = ""
        boot_id = read_boot_id()
        path = state_dir / "journal.sqlite"
        try:
            state_dir.mkdir(parents=True, exist_ok=True)
            self._journal = Journal.open(path, boot_id)
        except OSError as error:
            self._journal = Journal.memory(boot_id)
            self._report(f"{state_dir}: no journal on disk: {error.strerror}")
            return
        except StorageError as error:
            self._journal = Journal.memory(boot_id)
            self._report(f"no journal on disk: {error.what}")
            return
        if self._journal.quarantined is not None:
            self._report(f"{path}: was damaged; set aside as {self._journal.quarantined.name}")

    def call(self, operation: Callable[[Journal], T]) -> T:
        """Do something with the journal; when the disk refuses, do it in memory and stay there."""
        try:
            return operation(self._journal)
        except StorageError as error:
            self._report(error.what)
            self._journal = self._journal.in_memory()
            return operation(self._journal)

    def close(self) -> None:
        """End of the process."""
        self._journal.close()

    def _report(self, fault: str) -> None:
        log.error("journal: %s", fault)
        self.fault = fault
