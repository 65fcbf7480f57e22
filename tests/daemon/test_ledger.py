"""The journal behind the daemon: on disk while the disk works, in memory meanwhile, then on disk again."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from edged.core.events import Accepted, Now
from edged.daemon import ledger as ledger_module
from edged.daemon.ledger import Ledger
from edged.errors import StorageError
from edged.journal import Duplicate, Entry, Journal
from edged.protocol.request import Parsed, parse_speak
from edged.protocol.result import Result, Status
from tests.fakes.disks import tmpfs

NOW = Now(monotonic_s=100.0, wall_s=1000.0)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `tend` may try the disk again."""
    monkeypatch.setattr(ledger_module, "_RETRY_S", 0.0)


def entry(request_id: str) -> Entry:
    parsed = parse_speak(None, b'{"text":"hello"}', max_text_chars=100)
    assert isinstance(parsed, Parsed)
    return Entry(id=request_id, parsed=parsed)


def accept(ledger: Ledger, request_id: str) -> object:
    return ledger.call(lambda journal: journal.accept([entry(request_id)], NOW))[0]


def finish(ledger: Ledger, request_id: str) -> None:
    result = Result(id=request_id, status=Status.FINISHED, device="lobby", ts=1.0)
    ledger.call(lambda journal: journal.finish([result], NOW))


def pending_after_restart(ledger: Ledger, state_dir: Path) -> list[str]:
    """What the next process finds to be said, when this one ends now."""
    ledger.close()
    again = Ledger(state_dir)
    assert again.fault == ""
    recovered = again.call(lambda journal: journal.recover(NOW))
    again.close()
    return [event.id for event in recovered.pending]


def test_a_working_disk_keeps_what_was_accepted(tmp_path: Path) -> None:
    """The next process finds it."""
    ledger = Ledger(tmp_path)
    assert isinstance(accept(ledger, "a"), Accepted)
    ledger.tend()
    assert ledger.fault == ""
    assert pending_after_restart(ledger, tmp_path) == ["a"]


@pytest.mark.usefixtures("eager")
def test_without_a_usable_folder_it_works_in_memory_until_there_is_one(tmp_path: Path) -> None:
    """Speech never stops for want of a disk, the fault is told, and nothing is forgotten later."""
    blocker = tmp_path / "file"
    blocker.touch()
    ledger = Ledger(blocker / "state")
    assert isinstance(accept(ledger, "a"), Accepted)
    ledger.tend()
    assert "no journal on disk" in ledger.fault
    assert isinstance(accept(ledger, "a"), Duplicate)
    blocker.unlink()
    ledger.tend()
    assert ledger.fault == ""
    assert isinstance(accept(ledger, "a"), Duplicate)
    assert pending_after_restart(ledger, blocker / "state") == ["a"]


@pytest.mark.usefixtures("eager")
def test_a_disk_that_could_not_be_read_at_the_start_keeps_what_it_had(tmp_path: Path) -> None:
    """Its requests are said by the process after this one, those of this one are not said again."""
    before = Ledger(tmp_path)
    accept(before, "before")
    ledger = Ledger(tmp_path)  # the other one still has the file
    assert "locked" in ledger.fault
    accept(ledger, "a")
    finish(ledger, "a")
    before.close()
    ledger.tend()
    assert ledger.fault == ""
    assert pending_after_restart(ledger, tmp_path) == ["before"]


def test_a_damaged_journal_is_set_aside_and_told(tmp_path: Path) -> None:
    """A new one takes its place; the old one stays for whoever wants to look."""
    (tmp_path / "journal.sqlite").write_bytes(b"not a database" * 100)
    ledger = Ledger(tmp_path)
    ledger.tend()
    assert "was damaged" in ledger.fault
    assert isinstance(accept(ledger, "a"), Accepted)
    assert (tmp_path / "journal.sqlite.bad").exists()


@pytest.mark.usefixtures("eager")
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
    finish(ledger, "a")
    ledger.tend()
    assert ledger.fault == ""
    assert isinstance(accept(ledger, "a"), Duplicate)
    assert pending_after_restart(ledger, tmp_path) == ["b"]


@pytest.mark.usefixtures("eager")
def test_a_journal_that_is_damaged_while_it_is_used_does_not_stop_anything(tmp_path: Path) -> None:
    """What it knew is lost with it; work goes on, the file is kept aside, a new one takes its place."""
    ledger = Ledger(tmp_path)
    for i in range(200):
        accept(ledger, f"n-{i}")
    ledger.call(lambda journal: journal._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
    ledger.call(lambda journal: journal._db.execute("PRAGMA shrink_memory"))
    with (tmp_path / "journal.sqlite").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096 * 8)
    assert isinstance(accept(ledger, "a"), Accepted)
    assert "malformed" in ledger.fault
    assert (tmp_path / "journal.sqlite.bad").exists()
    ledger.tend()
    assert isinstance(accept(ledger, "a"), Duplicate)
    assert pending_after_restart(ledger, tmp_path) == ["a"]


def test_a_broken_disk_is_not_tried_all_the_time(tmp_path: Path) -> None:
    """`tend` is called twice a second; opening a file on a dying disk can take longer than that."""
    blocker = tmp_path / "file"
    blocker.touch()
    ledger = Ledger(blocker / "state")
    blocker.unlink()
    ledger.tend()
    assert "no journal on disk" in ledger.fault


@pytest.mark.parametrize("what", ["file", "log", "folder"])
def test_what_is_deleted_under_us_is_written_again(tmp_path: Path, what: str) -> None:
    """Somebody tidies up: noticed at once, and nothing that was known is forgotten."""
    state = tmp_path / "state"
    ledger = Ledger(state)
    accept(ledger, "done")
    finish(ledger, "done")
    accept(ledger, "a")
    match what:
        case "file":
            (state / "journal.sqlite").unlink()
        case "log":
            (state / "journal.sqlite-wal").unlink()
        case "folder":
            shutil.rmtree(state)
    ledger.tend()
    assert ledger.fault == ""
    assert isinstance(accept(ledger, "done"), Duplicate)
    assert isinstance(accept(ledger, "b"), Accepted)
    assert pending_after_restart(ledger, state) == ["a", "b"]


def test_a_deleted_folder_that_cannot_be_made_again_is_a_fault(tmp_path: Path) -> None:
    """Work goes on in memory, and it is told."""
    state = tmp_path / "state"
    ledger = Ledger(state)
    accept(ledger, "a")
    shutil.rmtree(state)
    state.touch()
    ledger.tend()
    assert "no journal on disk" in ledger.fault
    assert isinstance(accept(ledger, "a"), Duplicate)


@pytest.mark.usefixtures("eager")
def test_a_full_disk_that_is_freed_is_used_again(tmp_path: Path) -> None:
    """Not one id is forgotten, and what was accepted meanwhile is on the disk afterwards."""
    with tmpfs(tmp_path / "disk", 1024 * 1024) as disk:
        ledger = Ledger(disk / "state")
        accept(ledger, "first")
        with (disk / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
            while ballast.write(b"x" * 4096):
                pass
        ids = [f"f-{i}" for i in range(100)]
        assert all(isinstance(accept(ledger, one), Accepted) for one in ids)
        ledger.tend()
        assert "full" in ledger.fault
        (disk / "ballast").unlink()
        ledger.tend()
        assert ledger.fault == ""
        assert pending_after_restart(ledger, disk / "state") == ["first", *ids]


@pytest.mark.usefixtures("eager")
def test_a_read_only_disk_that_can_be_written_again_does_not_say_it_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file could not be set aside and is out of date: it is replaced by what is known."""
    ledger = Ledger(tmp_path)
    accept(ledger, "a")
    accept(ledger, "old")

    def refuse(*_: object, **__: object) -> None:
        raise StorageError("read-only")

    with monkeypatch.context() as read_only:
        read_only.setattr("edged.journal.set_aside", refuse)
        with pytest.raises(StorageError):
            ledger.call(refuse)
    assert (tmp_path / "journal.sqlite").exists()
    finish(ledger, "a")
    # what ended long ago is forgotten in memory, where the file would still have it said
    ledger.call(lambda journal: journal._db.execute("DELETE FROM announcement WHERE id = 'old'"))
    accept(ledger, "b")
    assert ledger.fault == "read-only"
    ledger.tend()
    assert pending_after_restart(ledger, tmp_path) == ["b"]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "damage",
    [
        "result = '{', delivered = 0",
        "result = CAST(x'ff' AS TEXT), delivered = 0",
        'replies = \'{\', result = \'{"id":"a","status":"muted","device":"lobby","ts":1.0}\'',
        "warnings = '{'",
    ],
)
def test_damage_that_only_shows_when_a_row_is_read_is_set_aside_too(tmp_path: Path, damage: str) -> None:
    """The file is a sound database and its words are not: speech goes on, now and after the next start."""
    before = Ledger(tmp_path)
    accept(before, "a")
    before.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db:
        db.execute(f"UPDATE announcement SET {damage}")
        db.commit()
    ledger = Ledger(tmp_path)
    assert ledger.call(lambda journal: journal.recover(NOW)).pending == ()
    assert "cannot be used" in ledger.fault
    accept(ledger, "b")
    ledger.tend()
    assert pending_after_restart(ledger, tmp_path) == ["b"]
    assert (tmp_path / "journal.sqlite.bad").exists()


def test_a_known_result_that_cannot_be_read_stops_nobody(tmp_path: Path) -> None:
    """A duplicate of it is a new request: better said once more than never answered."""
    ledger = Ledger(tmp_path)
    accept(ledger, "a")
    finish(ledger, "a")
    ledger.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db:
        db.execute("UPDATE announcement SET result = json_set(result, '$.code', 'of_another_edged')")
        db.commit()
    assert isinstance(accept(Ledger(tmp_path), "a"), Accepted)
