"""Durable accept and dedupe: the only file that decides what survives a crash.

A request is on the disk before its PUBACK; everything that arrived together is one commit, so the price
of `synchronous=FULL` (one flush) is paid once per group. One caller at a time; every method that writes
raises StorageError when the disk refuses, after which `in_memory()` gives a journal that goes on without,
and `adopt` brings what that one knows back to a disk that works again.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

from edged.core.events import Accepted, Now, PartArrived
from edged.errors import StorageError
from edged.journal_file import check, connect, identities, set_aside, storage
from edged.protocol.request import Parsed, Request
from edged.protocol.result import Code, ReplyTo, Result

KEEP_IDS = 4096
KEEP_S = 600.0

# Of one announcement: who sends it again and again, and wants each answered elsewhere, is in a loop.
_MOST_REPLIES = 50
# A group is at most what the broker may have in flight to us (100); twice that much is forgotten meanwhile.
_MOST_FORGOTTEN = 200
# What `adopt` copies; `seq` is given anew.
_COPIED = {
    "announcement": "id, fingerprint, session, packet_id, request, warnings, replies, lifetime_s, wall_s,"
    " monotonic_s, boot_id, started, result, delivered",
    "part": "id, part, fingerprint, text, is_last",
    "setting": "name, value",
}
_PARTS = ""  # the fingerprint of an announcement whose text comes in parts: each of these has its own
_WARNINGS = TypeAdapter(tuple[str, ...])
_REPLIES = TypeAdapter(tuple[ReplyTo, ...], config=ConfigDict(ser_json_bytes="hex", val_json_bytes="hex"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A good request as it arrived; `id` is its own or the one made for it.

    `reply_to` is where else its result is wanted. `packet_id` is 0 for QoS 0; `is_redelivery` is the DUP
    flag.
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
class Refused:
    """Not acceptable beside what is known under this id."""

    id: str
    code: Code
    reason: str


Verdict = Accepted | PartArrived | Duplicate | Refused


@dataclass(frozen=True, slots=True)
class Outcome:
    """A terminal result and where else it is wanted."""

    result: Result
    replies: tuple[ReplyTo, ...]


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the last process left: to be said, to be reported as cut off, and results to be sent."""

    pending: tuple[Accepted | PartArrived, ...]
    interrupted: tuple[str, ...]
    undelivered: tuple[Outcome, ...]


class Journal:
    """Made by `Journal.open` (a file) or `Journal.memory` (lost with the process)."""

    def __init__(self, db: sqlite3.Connection, path: Path | None, boot_id: str) -> None:
        self.quarantined: Path | None = None
        self._db = db
        self._path = path
        self._boot_id = boot_id
        self._files = identities(path)

    @classmethod
    def open(cls, path: Path, boot_id: str) -> Journal:
        """The journal at `path`, made if missing. A damaged one is renamed (`quarantined`) and replaced.

        Raises StorageError when the disk is full, read-only, or another edged uses the file.
        """
        quarantined = None
        with storage(path):
            try:
                db = connect(path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                quarantined = set_aside(path)
                db = connect(path)
        journal = cls(db, path, boot_id)
        journal.quarantined = quarantined
        return journal

    @classmethod
    def memory(cls, boot_id: str) -> Journal:
        """An empty journal that needs no disk."""
        return cls(connect(None), None, boot_id)

    @property
    def is_memory(self) -> bool:
        """It has never had a file."""
        return self._path is None

    @property
    def is_on_disk(self) -> bool:
        """Its file and the write-ahead log beside it are still those that it writes to."""
        return self._path is not None and identities(self._path) == self._files

    def in_memory(self) -> Journal:
        """A journal with the same content that needs no disk, for when this one's fails.

        The file is set aside if that is still possible: what is said from now on would be said again if
        it were read at the next start.
        """
        memory = Journal.memory(self._boot_id)
        try:
            self._db.backup(memory._db)
            check(memory._db)
        except sqlite3.Error:  # unreadable or damaged: start empty
            memory = Journal.memory(self._boot_id)
        is_ours = self.is_on_disk
        self._db.close()
        if self._path is not None and is_ours:
            with contextlib.suppress(StorageError):  # read-only: the caller has reported the disk already
                memory.quarantined = set_aside(self._path)
        return memory

    def adopt(self, other: Journal, *, is_whole: bool) -> None:
        """Take over what `other` knows, in one commit; `is_whole`: it knows all there is, so ours is old."""
        with self.together():
            (session,) = other._db.execute("SELECT number FROM session").fetchone()
            self._db.execute("UPDATE session SET number = max(number, ?)", (session,))
            for table, columns in _COPIED.items():
                if is_whole:
                    self._db.execute(f"DELETE FROM {table}")
                marks = ", ".join("?" * len(columns.split(",")))
                self._db.executemany(
                    f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})",
                    other._db.execute(f"SELECT {columns} FROM {table} ORDER BY rowid"),
                )

    def close(self) -> None:
        """The file can be opened again afterwards."""
        self._db.close()

    def begin_session(self, *, is_resumed: bool) -> None:
        """Tell at each connect whether the broker still had our session: packet ids count within one."""
        if not is_resumed:
            with self.together():
                self._db.execute("UPDATE session SET number = number + 1")

    def accept(self, entries: Sequence[Entry], now: Now) -> list[Verdict]:
        """Judge and keep all entries in one commit; one verdict per entry, in order."""
        with self.together():
            (session,) = self._db.execute("SELECT number FROM session").fetchone()
            verdicts = [self._accept(entry, session, now) for entry in entries]
            self._forget_old(now)
        return verdicts

    def mark_started(self, request_id: str) -> None:
        """From now on a crash means `interrupted`: call it before the first sample can be heard."""
        with self.together():
            self._db.execute("UPDATE announcement SET started = 1 WHERE id = ?", (request_id,))

    def finish(self, results: Sequence[Result], now: Now) -> list[Outcome]:
        """Keep the terminal results, in one commit, and say where each is wanted; the texts are forgotten."""
        with self.together():
            return [Outcome(result, self._finish(result, now)) for result in results]

    def mark_delivered(self, request_ids: Sequence[str]) -> None:
        """The broker has these results: they are not published again."""
        with self.together():
            self._db.executemany(
                "UPDATE announcement SET delivered = 1 WHERE id = ?", [(one,) for one in request_ids]
            )

    def settings(self) -> dict[str, str]:
        """What was set to outlive the process, by name."""
        with storage(self._path):
            return dict(self._db.execute("SELECT name, value FROM setting").fetchall())

    def set_setting(self, name: str, value: str) -> None:
        """Keep this until it is set anew."""
        with self.together():
            self._db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))

    def recover(self, now: Now) -> Recovered:
        """What was accepted and has no result, or a result the broker may not have. Call once, at the start.

        `lifetime_s` of the pending ones is what is left of it, 0 or less when their time is over.
        """
        with self.together():
            self._count_by_this_boot(now)
            return self._recovered(now)

    def _recovered(self, now: Now) -> Recovered:
        pending: list[Accepted | PartArrived] = []
        interrupted: list[str] = []
        rows = self._db.execute("SELECT * FROM announcement WHERE result IS NULL ORDER BY seq").fetchall()
        unsent = self._db.execute(
            "SELECT * FROM announcement WHERE result IS NOT NULL AND delivered = 0 ORDER BY seq"
        ).fetchall()
        for row in rows:
            request = None if row["started"] else _stored_request(row)
            if request is None:
                interrupted.append(row["id"])
            else:
                left_s = self._lifetime_left_s(row, now)
                warnings = _WARNINGS.validate_json(row["warnings"])
                pending.append(Accepted(row["id"], request, warnings, left_s))
                pending += self._further_parts(row["id"], request)
        undelivered = tuple(Outcome(Result.model_validate_json(r["result"]), _replies(r)) for r in unsent)
        return Recovered(tuple(pending), tuple(interrupted), undelivered)

    def _accept(self, entry: Entry, session: int, now: Now) -> Verdict:
        is_part = entry.parsed.request.part is not None
        known = self._known(entry, session)
        if known is None:
            self._insert(entry, session, now)
            if is_part:
                self._insert_part(entry)
            return Accepted(entry.id, entry.parsed.request, entry.parsed.warnings, entry.lifetime_s)
        if known["fingerprint"] != (_PARTS if is_part else entry.parsed.fingerprint):
            return Refused(entry.id, Code.ID_REUSE, "this id belongs to a request with another body")
        if known["result"] is not None:
            return Duplicate(known["id"], Result.model_validate_json(known["result"]))
        if entry.reply_to is not None:
            self._add_reply(known, entry.reply_to)
        return self._accept_part(entry) if is_part else Duplicate(known["id"], None)

    def _accept_part(self, entry: Entry) -> Verdict:
        """One more part of an announcement that still runs; they may come in any order."""
        request = entry.parsed.request
        part, text = request.part or 0, request.text or ""
        known = self._db.execute(
            "SELECT fingerprint FROM part WHERE id = ? AND part = ?", (entry.id, part)
        ).fetchone()
        if known is not None:
            if known["fingerprint"] == entry.parsed.fingerprint:
                return Duplicate(entry.id, None)
            return Refused(entry.id, Code.ID_REUSE, f"part {part} of it has another text")
        highest, last = self._db.execute(
            "SELECT max(part), max(part) FILTER (WHERE is_last) FROM part WHERE id = ?", (entry.id,)
        ).fetchone()
        if last is not None and part > last:
            return Refused(entry.id, Code.BAD_FIELD, f"part {part}: part {last} is the last")
        if request.last and part < highest:
            return Refused(entry.id, Code.BAD_FIELD, f"part {part}: not the last, part {highest} has come")
        self._insert_part(entry)
        return PartArrived(entry.id, part, text, request.last)

    def _known(self, entry: Entry, session: int) -> sqlite3.Row | None:
        """The row of the same announcement: same id, or a redelivery of the same packet."""
        columns = "id, fingerprint, replies, result"
        row: sqlite3.Row | None = self._db.execute(
            f"SELECT {columns} FROM announcement WHERE id = ?", (entry.id,)
        ).fetchone()
        if row is None and entry.is_redelivery and entry.parsed.request.id is None:
            row = self._db.execute(
                f"SELECT {columns} FROM announcement"
                " WHERE session = ? AND packet_id = ? AND fingerprint = ? ORDER BY seq DESC",
                (session, entry.packet_id, entry.parsed.fingerprint),
            ).fetchone()
        return row

    def _insert(self, entry: Entry, session: int, now: Now) -> None:
        request = entry.parsed.request
        self._db.execute(
            "INSERT INTO announcement (id, fingerprint, session, packet_id, request, warnings, replies,"
            " lifetime_s, wall_s, monotonic_s, boot_id) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            (
                entry.id,
                entry.parsed.fingerprint if request.part is None else _PARTS,
                session,
                entry.packet_id,
                request.model_dump_json(exclude_defaults=True),
                _WARNINGS.dump_json(entry.parsed.warnings).decode(),
                _REPLIES.dump_json((entry.reply_to,) if entry.reply_to else ()).decode(),
                entry.lifetime_s,
                now.wall_s,
                now.monotonic_s,
                self._boot_id,
            ),
        )

    def _insert_part(self, entry: Entry) -> None:
        request = entry.parsed.request
        self._db.execute(
            "INSERT INTO part VALUES (?, ?, ?, ?, ?)",
            (entry.id, request.part, entry.parsed.fingerprint, request.text, request.last),
        )

    def _further_parts(self, request_id: str, first: Request) -> list[PartArrived]:
        """Those that came after the one in the request, as they came."""
        rows = self._db.execute(
            "SELECT * FROM part WHERE id = ? AND part IS NOT ? ORDER BY rowid", (request_id, first.part)
        )
        return [PartArrived(request_id, row["part"], row["text"], bool(row["is_last"])) for row in rows]

    def _add_reply(self, known: sqlite3.Row, reply_to: ReplyTo) -> None:
        replies = _replies(known)
        if reply_to not in replies and len(replies) < _MOST_REPLIES:
            self._db.execute(
                "UPDATE announcement SET replies = ? WHERE id = ?",
                (_REPLIES.dump_json((*replies, reply_to)).decode(), known["id"]),
            )

    def _finish(self, result: Result, now: Now) -> tuple[ReplyTo, ...]:
        stored = result.model_dump_json(exclude_defaults=True)
        row = self._db.execute(
            "UPDATE announcement SET result = ?, request = NULL, wall_s = ?, monotonic_s = ?, boot_id = ?"
            " WHERE id = ? RETURNING replies",
            (stored, now.wall_s, now.monotonic_s, self._boot_id, result.id),
        ).fetchone()
        self._db.execute("DELETE FROM part WHERE id = ?", (result.id,))
        return () if row is None else _replies(row)

    def _forget_old(self, now: Now) -> None:
        """Ids whose time is over, the longest ended first and not all at once: a flush takes its time."""
        self._db.execute(
            "DELETE FROM announcement WHERE seq IN (SELECT seq FROM announcement"
            " WHERE result IS NOT NULL AND boot_id = ? AND monotonic_s < ?"
            " AND seq <= (SELECT max(seq) FROM announcement) - ? ORDER BY monotonic_s LIMIT ?)",
            (self._boot_id, now.monotonic_s - KEEP_S, KEEP_IDS, _MOST_FORGOTTEN),
        )

    def _count_by_this_boot(self, now: Now) -> None:
        """What ended before a reboot is as old as the wall clock says, if that goes forward at all."""
        self._db.execute(
            "UPDATE announcement SET monotonic_s = ? - max(0, ? - wall_s), boot_id = ?"
            " WHERE result IS NOT NULL AND boot_id != ?",
            (now.monotonic_s, now.wall_s, self._boot_id, self._boot_id),
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
    def together(self) -> Iterator[None]:
        """Everything done inside is one commit, kept whole or not at all."""
        if self._db.in_transaction:
            yield
            return
        with storage(self._path), contextlib.ExitStack() as on_error:
            self._db.execute("BEGIN IMMEDIATE")
            on_error.callback(self._roll_back)
            yield
            self._db.execute("COMMIT")
            on_error.pop_all()

    def _roll_back(self) -> None:
        if self._db.in_transaction:  # a full disk has rolled back already
            self._db.execute("ROLLBACK")


def _stored_request(row: sqlite3.Row) -> Request | None:
    try:
        return Request.model_validate_json(row["request"])
    except ValidationError:  # kept by an edged that allowed what this one refuses
        return None


def _replies(row: sqlite3.Row) -> tuple[ReplyTo, ...]:
    return _REPLIES.validate_json(row["replies"])
