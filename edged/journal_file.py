"""The journal's file: its tables, how it is opened, and what is done about one that cannot be used."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from edged.errors import StorageError

_LOCK_WAIT_S = 0.5  # a predecessor that is just ending; a second edged will not let go at all
_CACHE_KIB = 1024  # the last minute's rows; older pages are in the kernel's cache
_SCHEMA_VERSION = 3
# `replies` is a JSON list of {topic, correlation in hex}; wall_s, monotonic_s and boot_id are those of the
# last change:
# acceptance, then the result
_TABLES = """
CREATE TABLE part (
    id TEXT NOT NULL,
    part INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    text TEXT NOT NULL,
    is_last INTEGER NOT NULL,
    PRIMARY KEY (id, part)
);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE INDEX forgettable ON announcement (monotonic_s) WHERE result IS NOT NULL;
"""
_SCHEMA = f"""
CREATE TABLE announcement (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    session INTEGER NOT NULL,
    packet_id INTEGER NOT NULL,
    request TEXT,
    warnings TEXT NOT NULL,
    replies TEXT NOT NULL,
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
{_TABLES}
"""
# Version 2 knew one reply topic, and no parts and settings.
_FROM_VERSION_2 = f"""
ALTER TABLE announcement ADD COLUMN replies TEXT NOT NULL DEFAULT '[]';
UPDATE announcement SET replies = json_array(json_object('topic', reply_topic, 'correlation',
    CASE WHEN correlation IS NOT NULL THEN hex(correlation) END)) WHERE reply_topic IS NOT NULL;
ALTER TABLE announcement DROP COLUMN reply_topic;
ALTER TABLE announcement DROP COLUMN correlation;
{_TABLES}
"""
_STEPS = {0: _SCHEMA, 2: _FROM_VERSION_2}


def read_boot_id() -> str:
    """The kernel's name for the time since the last boot, within which the monotonic clock counts."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def connect(path: Path | None) -> sqlite3.Connection:
    """The database at `path`, made or brought up to date if need be; None: one in memory.

    Raises sqlite3.OperationalError when the disk refuses, sqlite3.DatabaseError when the file is damaged
    or of a version that is not known.
    """
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
    db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version in _STEPS:
        db.executescript(
            f"BEGIN IMMEDIATE; {_STEPS[version]} PRAGMA user_version = {_SCHEMA_VERSION}; COMMIT;"
        )
    elif version != _SCHEMA_VERSION:
        raise sqlite3.DatabaseError(f"written by another edged (version {version})")
    check(db)


def check(db: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError when the database is damaged."""
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def identities(path: Path | None) -> list[tuple[int, int] | None]:
    """Device and inode of the database and of its write-ahead log, None for one that is not there."""
    found: list[tuple[int, int] | None] = []
    for file in () if path is None else (path, path.with_name(f"{path.name}-wal")):
        try:
            status = file.stat()
        except OSError:
            found.append(None)
        else:
            found.append((status.st_dev, status.st_ino))
    return found


@contextlib.contextmanager
def storage(path: Path | None) -> Iterator[None]:
    """Turn an error of the block into a StorageError that names the file and the way out.

    Values that are none of ours are damage that no check of the file sees.
    """
    try:
        yield
    except (sqlite3.Error, ValidationError) as error:
        raise StorageError(
            f"{path}: the journal cannot be used: {error}",
            "check that the disk is neither full nor read-only and that only one edged uses paths.state_dir",
        ) from error


def set_aside(path: Path) -> Path:
    """Rename the database and its write-ahead log; an older one set aside is overwritten.

    Returns its new path. Raises StorageError when the folder cannot be written.
    """
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
