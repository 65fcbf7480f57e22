"""Durable accept and dedupe: the only file that decides what survives a crash.

A request is on the disk before its PUBACK; everything that arrived together is one commit, so the price
of `synchronous=FULL` (one flush) is paid once per group. One caller at a time; every method that writes
raises StorageError when the disk refuses, after which `in_memory()` gives a journal that goes on without.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from edged.core.events import Accepted, Now, Publish
from edged.errors import StorageError
from edged.protocol.request import Parsed, Request
from edged.protocol.result import ReplyTo, Result

KEEP_IDS = 4096
KEEP_S = 600.0

_LOCK_WAIT_S = 0.5  # a predecessor that is just ending; a second edged will not let go at all
_SCHEMA_VERSION = 2
# wall_s, monotonic_s and boot_id are those of the last change: acceptance, then the result
_SCHEMA = f"""
CREATE TABLE announcement (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    session INTEGER NOT NULL,
    packet_id INTEGER NOT NULL,
    request TEXT,
    warnings TEXT NOT NULL,
    reply_topic TEXT,
    correlation BLOB,
    lifetime_s REAL,
    wall_s REAL NOT NULL,
    monotonic_s REAL NOT NULL,
    boot_id TEXT NOT NULL,
    started INTEGER NOT NULL DEFAULT 0,
    result TEXT,
    delivered INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX delivery ON announcement (session, packet_id);
CREATE INDEX unfinished ON announcement (seq) WHERE result IS NULL;
CREATE INDEX undelivered ON announcement (seq) WHERE result IS NOT NULL AND delivered = 0;
CREATE TABLE session (number INTEGER NOT NULL);
INSERT INTO session VALUES (0);
PRAGMA user_version = {_SCHEMA_VERSION};
"""
_WARNINGS = TypeAdapter(tuple[str, ...])


@dataclass(frozen=True, slots=True)
class Entry:
    """A good request as it arrived; `id` is its own or the one made for it.

    `packet_id` is 0 for QoS 0; `is_redelivery` is the DUP flag.
    """

    id: str
    parsed: Parsed
    reply_to: ReplyTo | None = None
    lifetime_s: float | None = None
    packet_id: int = 0
    is_redelivery: bool = False


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Already accepted under `id`; `result` is None while it still runs."""

    id: str
    result: Result | None


@dataclass(frozen=True, slots=True)
class IdReuse:
    """The id belongs to another request."""

    id: str


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Cut off in mid-speech by the end of the last process."""

    id: str
    reply_to: ReplyTo | None


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the last process left: to be said, to be reported as cut off, and results to be sent."""

    pending: tuple[Accepted, ...]
    interrupted: tuple[Interrupted, ...]
    undelivered: tuple[Publish, ...]


class Journal:
    """Made by `Journal.open` (a file) or `Journal.memory` (lost with the process)."""

    def __init__(self, db: sqlite3.Connection, path: Path | None, boot_id: str) -> None:
        self.quarantined: Path | None = None
        self._db = db
        self._path = path
        self._boot_id = boot_id

    @classmethod
    def open(cls, path: Path, boot_id: str) -> Journal:
        """The journal at `path`, made if missing. A damaged one is renamed (`quarantined`) and replaced.

        Raises StorageError when the disk is full, read-only, or another edged uses the file.
        """
        quarantined = None
        with _storage(path):
            try:
                db = _connect(path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                quarantined = _set_aside(path)
                db = _connect(path)
        journal = cls(db, path, boot_id)
        journal.quarantined = quarantined
        return journal

    @classmethod
    def memory(cls, boot_id: str) -> Journal:
        """An empty journal that needs no disk."""
        return cls(_connect(None), None, boot_id)

    def in_memory(self) -> Journal:
        """A journal with the same content that needs no disk, for when this one's fails.

        The file is set aside if that is still possible: what is said from now on would be said again if
        it were read at the next start.
        """
        memory = Journal.memory(self._boot_id)
        with contextlib.suppress(sqlite3.Error):  # unreadable as well: start empty
            self._db.backup(memory._db)
        self._db.close()
        if self._path is not None:
            with contextlib.suppress(StorageError):  # read-only: the caller has reported the disk already
                memory.quarantined = _set_aside(self._path)
        return memory

    def close(self) -> None:
        """The file can be opened again afterwards."""
        self._db.close()

    def begin_session(self, *, is_resumed: bool) -> None:
        """Tell at each connect whether the broker still had our session: packet ids count within one."""
        if not is_resumed:
            with self._transaction():
                self._db.execute("UPDATE session SET number = number + 1")

    def accept(self, entries: Sequence[Entry], now: Now) -> list[Accepted | Duplicate | IdReuse]:
        """Judge and keep all entries in one commit; one verdict per entry, in order."""
        with self._transaction():
            (session,) = self._db.execute("SELECT number FROM session").fetchone()
            verdicts = [self._accept(entry, session, now) for entry in entries]
            self._prune(now)
        return verdicts

    def mark_started(self, request_id: str) -> None:
        """From now on a crash means `interrupted`: call it before the first sample can be heard."""
        with self._transaction():
            self._db.execute("UPDATE announcement SET started = 1 WHERE id = ?", (request_id,))

    def finish(self, results: Sequence[Result], now: Now) -> None:
        """Keep the terminal results, in one commit; the texts are forgotten."""
        rows = [(r.model_dump_json(), now.wall_s, now.monotonic_s, self._boot_id, r.id) for r in results]
        with self._transaction():
            self._db.executemany(
                "UPDATE announcement SET result = ?, request = NULL, wall_s = ?, monotonic_s = ?, boot_id = ?"
                " WHERE id = ?",
                rows,
            )

    def mark_delivered(self, request_ids: Sequence[str]) -> None:
        """The broker has these results: they are not published again."""
        with self._transaction():
            self._db.executemany(
                "UPDATE announcement SET delivered = 1 WHERE id = ?", [(one,) for one in request_ids]
            )

    def recover(self, now: Now) -> Recovered:
        """What was accepted and has no result, or a result the broker may not have. Call once, at the start.

        `lifetime_s` of the pending ones is what is left of it, 0 or less when their time is over.
        """
        pending: list[Accepted] = []
        interrupted: list[Interrupted] = []
        with _storage(self._path):
            rows = self._db.execute("SELECT * FROM announcement WHERE result IS NULL ORDER BY seq").fetchall()
            unsent = self._db.execute(
                "SELECT * FROM announcement WHERE result IS NOT NULL AND delivered = 0 ORDER BY seq"
            ).fetchall()
        for row in rows:
            request = None if row["started"] else _stored_request(row)
            if request is None:
                interrupted.append(Interrupted(row["id"], _reply_to(row)))
            else:
                left_s = self._lifetime_left_s(row, now)
                warnings = _WARNINGS.validate_json(row["warnings"])
                pending.append(Accepted(row["id"], request, warnings, _reply_to(row), left_s))
        undelivered = tuple(Publish(Result.model_validate_json(r["result"]), _reply_to(r)) for r in unsent)
        return Recovered(tuple(pending), tuple(interrupted), undelivered)

    def _accept(self, entry: Entry, session: int, now: Now) -> Accepted | Duplicate | IdReuse:
        known = self._known(entry, session)
        if known is not None:
            if known["fingerprint"] != entry.parsed.fingerprint:
                return IdReuse(entry.id)
            result = known["result"]
            return Duplicate(known["id"], None if result is None else Result.model_validate_json(result))
        accepted = Accepted(
            entry.id, entry.parsed.request, entry.parsed.warnings, entry.reply_to, entry.lifetime_s
        )
        self._insert(accepted, entry, session, now)
        return accepted

    def _known(self, entry: Entry, session: int) -> sqlite3.Row | None:
        """The row of the same announcement: same id, or a redelivery of the same packet."""
        row: sqlite3.Row | None = self._db.execute(
            "SELECT id, fingerprint, result FROM announcement WHERE id = ?", (entry.id,)
        ).fetchone()
        if row is None and entry.is_redelivery and entry.parsed.request.id is None:
            row = self._db.execute(
                "SELECT id, fingerprint, result FROM announcement"
                " WHERE session = ? AND packet_id = ? AND fingerprint = ? ORDER BY seq DESC",
                (session, entry.packet_id, entry.parsed.fingerprint),
            ).fetchone()
        return row

    def _insert(self, accepted: Accepted, entry: Entry, session: int, now: Now) -> None:
        reply_to = accepted.reply_to
        self._db.execute(
            "INSERT INTO announcement (id, fingerprint, session, packet_id, request, warnings, reply_topic,"
            " correlation, lifetime_s, wall_s, monotonic_s, boot_id) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                accepted.id,
                entry.parsed.fingerprint,
                session,
                entry.packet_id,
                accepted.request.model_dump_json(exclude_defaults=True),
                _WARNINGS.dump_json(accepted.warnings).decode(),
                reply_to.topic if reply_to else None,
                reply_to.correlation if reply_to else None,
                accepted.lifetime_s,
                now.wall_s,
                now.monotonic_s,
                self._boot_id,
            ),
        )

    def _prune(self, now: Now) -> None:
        self._db.execute(
            "DELETE FROM announcement WHERE result IS NOT NULL"
            " AND seq <= (SELECT max(seq) FROM announcement) - ?"
            " AND CASE boot_id WHEN ? THEN ? - monotonic_s ELSE ? - wall_s END > ?",
            (KEEP_IDS, self._boot_id, now.monotonic_s, now.wall_s, KEEP_S),
        )

    def _lifetime_left_s(self, row: sqlite3.Row, now: Now) -> float | None:
        """By the clock that says the most time has passed: a clock that is wrong must not speak late."""
        if row["lifetime_s"] is None:
            return None
        by_wall_s = now.wall_s - row["wall_s"]
        if row["boot_id"] == self._boot_id:
            passed_s = max(now.monotonic_s - row["monotonic_s"], by_wall_s)
        else:
            passed_s = by_wall_s if by_wall_s >= 0 else math.inf  # set back by the reboot: nobody knows
        left_s: float = row["lifetime_s"] - passed_s
        return left_s

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with _storage(self._path), contextlib.ExitStack() as on_error:
            self._db.execute("BEGIN IMMEDIATE")
            on_error.callback(self._roll_back)
            yield
            self._db.execute("COMMIT")
            on_error.pop_all()

    def _roll_back(self) -> None:
        if self._db.in_transaction:  # a full disk has rolled back already
            self._db.execute("ROLLBACK")


def read_boot_id() -> str:
    """The kernel's name for the time since the last boot, within which the monotonic clock counts."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _connect(path: Path | None) -> sqlite3.Connection:
    # the daemon may hand the calls to a worker thread, one at a time
    db = sqlite3.connect(
        path or ":memory:", timeout=_LOCK_WAIT_S, isolation_level=None, check_same_thread=False
    )
    db.row_factory = sqlite3.Row
    try:
        _prepare(db)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection) -> None:
    # one process only: two would say each other's announcements again
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == 0:
        db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
    elif version != _SCHEMA_VERSION:
        raise sqlite3.DatabaseError(f"written by another edged (version {version})")
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def _stored_request(row: sqlite3.Row) -> Request | None:
    try:
        return Request.model_validate_json(row["request"])
    except ValidationError:  # kept by an edged that allowed what this one refuses
        return None


def _reply_to(row: sqlite3.Row) -> ReplyTo | None:
    topic = row["reply_topic"]
    return None if topic is None else ReplyTo(topic, row["correlation"])


@contextlib.contextmanager
def _storage(path: Path | None) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(
            f"{path}: the journal cannot be used: {error}",
            "check that the disk is neither full nor read-only and that only one edged uses paths.state_dir",
        ) from error


def _set_aside(path: Path) -> Path:
    """Rename the database and its write-ahead log; an older one set aside is overwritten."""
    aside = path.with_name(f"{path.name}.bad")
    try:
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
        return path.rename(aside)
    except OSError as error:
        raise StorageError(
            f"{path}: cannot be set aside: {error}", "check the permissions of its folder"
        ) from error
