"""The journal as the daemon uses it: on disk while the disk works, in memory meanwhile."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from edged.errors import StorageError
from edged.journal import Journal
from edged.journal_file import read_boot_id

log = logging.getLogger(__name__)
T = TypeVar("T")

_RETRY_S = 10.0  # somebody has to free space or mount a disk; each try costs a few flushes


class Ledger:
    """Never stops speech: `fault` says what is wrong with the disk, empty while all is well."""

    def __init__(self, state_dir: Path) -> None:
        self.fault = ""
        self._path = state_dir / "journal.sqlite"
        self._boot_id = read_boot_id()
        self._retry_at_s = 0.0
        # what is in memory has all that was in the file, which is therefore out of date
        self._is_whole = False
        self._journal = Journal.memory(self._boot_id)
        self._to_disk()

    def call(self, operation: Callable[[Journal], T]) -> T:
        """Do something with the journal; when the disk refuses, do it in memory."""
        try:
            return operation(self._journal)
        except StorageError as error:
            self._to_memory(error.what)
        try:
            return operation(self._journal)
        except StorageError:  # the damage came along: what is in the file says nothing that can be read
            self._journal.close()
            self._journal = Journal.memory(self._boot_id)
            return operation(self._journal)

    def tend(self) -> None:
        """Call now and then: notices a file that was deleted, and goes back to a disk that works again."""
        if self._journal.is_on_disk:
            return
        if not self._journal.is_memory:
            self._to_memory(f"{self._path}: was deleted or replaced")
        elif time.monotonic() < self._retry_at_s:
            return
        self._to_disk()

    def close(self) -> None:
        """End of the process."""
        self._journal.close()

    def _to_memory(self, fault: str) -> None:
        self._report(fault)
        self._journal = self._journal.in_memory()
        self._is_whole = True
        self._retry_at_s = time.monotonic() + _RETRY_S

    def _to_disk(self) -> None:
        """Open the file and bring it up to date with what is in memory; stay in memory if that fails."""
        self._retry_at_s = time.monotonic() + _RETRY_S
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            journal = Journal.open(self._path, self._boot_id)
        except OSError as error:
            self._report(f"{self._path.parent}: no journal on disk: {error.strerror}")
            return
        except StorageError as error:
            self._report(f"no journal on disk: {error.what}")
            return
        try:
            journal.adopt(self._journal, is_whole=self._is_whole)
        except StorageError as error:
            journal.close()
            self._report(error.what)
            return
        self._journal.close()
        self._journal = journal
        if journal.quarantined is not None:
            self._report(f"{self._path}: was damaged; set aside as {journal.quarantined.name}")
        elif self.fault:
            log.info("journal: on disk again: %s", self._path)
            self.fault = ""

    def _report(self, fault: str) -> None:
        if fault != self.fault:
            log.error("journal: %s", fault)
        self.fault = fault
