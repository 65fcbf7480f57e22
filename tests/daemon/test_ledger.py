"""The journal behind the daemon: on disk while the disk works, in memory from then on."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.core.events import Accepted, Now
from edged.daemon.ledger import Ledger
from edged.errors import StorageError
from edged.journal import Duplicate, Entry, Journal
from edged.protocol.request import Parsed, parse_speak

NOW = Now(monotonic_s=100.0, wall_s=1000.0)


def entry(request_id: str) -> Entry:
    parsed = parse_speak(None, b'{"text":"hello"}', max_text_chars=100)
    assert isinstance(parsed, Parsed)
    return Entry(id=request_id, parsed=parsed)


def accept(ledger: Ledger, request_id: str) -> object:
    return ledger.call(lambda journal: journal.accept([entry(request_id)], NOW))[0]


def test_a_working_disk_keeps_what_was_accepted(tmp_path: Path) -> None:
    """The next process finds it."""
    ledger = Ledger(tmp_path)
    assert isinstance(accept(ledger, "a"), Accepted)
    ledger.close()
    again = Ledger(tmp_path)
    recovered = again.call(lambda journal: journal.recover(NOW))
    assert [accepted.id for accepted in recovered.pending] == ["a"]
    assert again.fault == ""
    again.close()


def test_without_a_usable_folder_it_works_in_memory(tmp_path: Path) -> None:
    """Speech never stops for want of a disk, and the fault is told."""
    (tmp_path / "file").touch()
    ledger = Ledger(tmp_path / "file" / "state")
    assert "no journal on disk" in ledger.fault
    assert isinstance(accept(ledger, "a"), Accepted)
    assert isinstance(accept(ledger, "a"), Duplicate)


def test_a_damaged_journal_is_set_aside_and_told(tmp_path: Path) -> None:
    """A new one takes its place; the old one stays for whoever wants to look."""
    (tmp_path / "journal.sqlite").write_bytes(b"not a database" * 100)
    ledger = Ledger(tmp_path)
    assert "was damaged" in ledger.fault
    assert isinstance(accept(ledger, "a"), Accepted)
    assert (tmp_path / "journal.sqlite.bad").exists()


def test_a_disk_that_fails_later_costs_durability_not_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was accepted before is still known; the failed operation is done in memory."""
    ledger = Ledger(tmp_path)
    accept(ledger, "a")
    real = Journal.accept
    refusals = [StorageError("disk full")]

    def full_once(journal: Journal, entries: list[Entry], now: Now) -> object:
        if refusals:
            raise refusals.pop()
        return real(journal, entries, now)

    monkeypatch.setattr(Journal, "accept", full_once)
    assert isinstance(accept(ledger, "b"), Accepted)
    assert ledger.fault == "disk full"
    assert isinstance(accept(ledger, "a"), Duplicate)
    assert (tmp_path / "journal.sqlite.bad").exists(), "what is said from now on must not be said again"
