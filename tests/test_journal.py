"""The journal: what was accepted survives, nothing is accepted twice, damage does not stop speech."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from edged.core.events import Accepted, Now, PartArrived
from edged.errors import StorageError
from edged.journal import KEEP_IDS, KEEP_S, Duplicate, Entry, Journal, Outcome, Refused, Verdict
from edged.protocol.request import Options, Parsed, parse_speak
from edged.protocol.result import Code, ReplyTo, Result, Status
from tests.fakes.disks import make_read_only, tmpfs

BOOT = "boot-1"
NOW = Now(monotonic_s=1000.0, wall_s=1_700_000_000.0)


def after(seconds: float, *, wall_jump_s: float = 0.0) -> Now:
    """Later on the same boot; the wall clock may have been set in between."""
    return Now(NOW.monotonic_s + seconds, NOW.wall_s + seconds + wall_jump_s)


def parsed(payload: str) -> Parsed:
    """A request as the parser makes it."""
    result = parse_speak(None, payload.encode(), max_text_chars=100)
    assert isinstance(result, Parsed)
    return result


def entry(request_id: str, payload: str | None = None, **fields: object) -> Entry:
    """An arrival; with no payload it carries its own id."""
    body = payload or f'{{"id":"{request_id}","text":"hello","priority":"high"}}'
    return replace(Entry(request_id, parsed(body)), **fields)  # type: ignore[arg-type]


def finished(request_id: str) -> Result:
    """A good end."""
    return Result(id=request_id, status=Status.FINISHED, device="lobby", ts=1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal lives."""
    return tmp_path / "journal.db"


def reopened(journal: Journal, path: Path, boot: str = BOOT) -> Journal:
    """As the next process finds it."""
    journal.close()
    return Journal.open(path, boot)


def test_an_accepted_request_survives_with_all_that_belongs_to_it(path: Path) -> None:
    """After a restart it is pending as it was: request and warnings."""
    journal = Journal.open(path, BOOT)
    sent = entry("a", '{"id":"a","text":"你好","priority":"high","speed":1.5,"colour":"red"}')
    (accepted,) = journal.accept([sent], NOW)
    assert accepted == Accepted("a", sent.parsed.request, ("unknown_field: colour",), None)
    assert reopened(journal, path).recover(after(5)).pending == (accepted,)


def test_a_request_keeps_its_options(path: Path) -> None:
    """What is spoken after a restart sounds as it was asked for."""
    journal = Journal.open(path, BOOT)
    options = '{"speaker":"vivian","language":"chinese","seed":4294967295,"temperature":0.25,"top_k":0}'
    body = f'{{"id":"a","text":"你好","instruct":"慢一点","options":{options}}}'
    (accepted,) = journal.accept([entry("a", body)], NOW)
    (pending,) = reopened(journal, path).recover(after(5)).pending
    assert pending == accepted
    assert isinstance(pending, Accepted)
    assert pending.request.options == Options.model_validate_json(options)
    assert pending.request.instruct == "慢一点"


def test_pending_requests_keep_their_order(path: Path) -> None:
    """First come, first served, across a restart."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("b"), entry("a")], NOW)
    journal.accept([entry("c")], NOW)
    recovered = reopened(journal, path).recover(after(1))
    assert [accepted.id for accepted in recovered.pending] == ["b", "a", "c"]


def test_started_requests_are_reported_and_not_said_again(path: Path) -> None:
    """What was cut off in mid-speech is interrupted; what was finished is neither."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("cut"), entry("done")], NOW)
    journal.mark_started("cut")
    journal.mark_started("done")
    journal.finish([finished("done")], after(2))
    recovered = reopened(journal, path).recover(after(5))
    assert recovered.pending == ()
    assert recovered.interrupted == ("cut",)


def test_a_result_is_kept_to_be_sent_until_the_broker_has_it(path: Path) -> None:
    """What the broker has not taken when the process ends is sent by the next one, once."""
    journal = Journal.open(path, BOOT)
    reply = ReplyTo("kiosk/answers")
    journal.accept([entry("sent"), entry("unsent", reply_to=reply)], NOW)
    journal.finish([finished("sent"), finished("unsent")], after(1))
    journal.mark_delivered(["sent", "of somebody else"])
    journal = reopened(journal, path)
    assert journal.recover(after(2)).undelivered == (Outcome(finished("unsent"), (reply,)),)
    journal.mark_delivered(["unsent"])
    assert journal.recover(after(3)).undelivered == ()


def test_the_same_id_and_body_is_a_duplicate(path: Path) -> None:
    """While it runs without a result, afterwards with it, also after a restart."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("a")], NOW)
    assert journal.accept([entry("a")], NOW) == [Duplicate("a", None)]
    journal.finish([finished("a")], NOW)
    journal = reopened(journal, path)
    assert journal.accept([entry("a")], NOW) == [Duplicate("a", finished("a"))]


def test_everybody_who_asked_gets_the_result(path: Path) -> None:
    """The sender, and who sends the same again while it runs, each once, also after a restart."""
    journal = Journal.open(path, BOOT)
    first, second = ReplyTo("kiosk/answers", b"\x00\xff"), ReplyTo("desk/answers")
    journal.accept([entry("a", reply_to=first)], NOW)
    journal.accept([entry("a", reply_to=second), entry("a"), entry("a", reply_to=first)], NOW)
    journal = reopened(journal, path)
    assert journal.finish([finished("a")], NOW) == [Outcome(finished("a"), (first, second))]


def test_who_asks_after_the_end_is_answered_at_once_and_only_then() -> None:
    """A late duplicate is told the result by its caller; the others are not told again."""
    journal = Journal.memory(BOOT)
    journal.accept([entry("a", reply_to=ReplyTo("kiosk"))], NOW)
    journal.finish([finished("a")], NOW)
    journal.accept([entry("a", reply_to=ReplyTo("late"))], NOW)
    (outcome,) = journal.recover(NOW).undelivered
    assert outcome.replies == (ReplyTo("kiosk"),)


def test_a_loop_of_duplicates_does_not_grow_the_journal() -> None:
    """A sender that never stops asking, each time with another topic, is answered at the first few."""
    journal = Journal.memory(BOOT)
    for i in range(200):
        journal.accept([entry("a", reply_to=ReplyTo(f"kiosk/{i}"))], NOW)
    (outcome,) = journal.finish([finished("a")], NOW)
    assert 10 <= len(outcome.replies) <= 50
    assert outcome.replies[0] == ReplyTo("kiosk/0")


def part(number: int, text: str, *, last: bool = False, **fields: object) -> Entry:
    """One part of the announcement `p`."""
    body = {"id": "p", "part": number, "text": text, "last": last, **fields}
    return entry("p", json.dumps(body))


def accept(journal: Journal, *entries: Entry) -> list[Verdict]:
    """Each in a commit of its own."""
    return [verdict for one in entries for verdict in journal.accept([one], NOW)]


def test_the_first_part_to_come_is_the_announcement_and_the_others_follow_it(path: Path) -> None:
    """Whatever their order; the other fields are those of the first to come; all survive a restart."""
    journal = Journal.open(path, BOOT)
    one, zero, two = part(1, "b", speed=1.5), part(0, "a", speed=2.0), part(2, "c", last=True)
    verdicts = accept(journal, one, two, zero)
    assert verdicts == [
        Accepted("p", one.parsed.request, (), None),
        PartArrived("p", 2, "c", is_last=True),
        PartArrived("p", 0, "a", is_last=False),
    ]
    assert list(reopened(journal, path).recover(NOW).pending) == verdicts


def test_a_part_that_comes_twice_counts_once(path: Path) -> None:
    """The first to come as well as a later one, also after a restart; other fields do not matter."""
    journal = Journal.open(path, BOOT)
    accept(journal, part(0, "a"), part(1, "b"))
    journal = reopened(journal, path)
    again = accept(journal, part(1, "b"), part(0, "a", voice="x"))
    assert again == [Duplicate("p", None), Duplicate("p", None)]
    assert len(journal.recover(NOW).pending) == 2


@pytest.mark.parametrize(
    ("entry_", "code"),
    [
        (part(1, "other"), Code.ID_REUSE),
        (part(1, "b", last=True), Code.ID_REUSE),
        (part(5, "f"), Code.BAD_FIELD),
        (part(3, "d", last=True), Code.BAD_FIELD),
        (entry("p"), Code.ID_REUSE),
    ],
    ids=["another text", "last after all", "after the last", "a second last", "not a part"],
)
def test_what_contradicts_the_parts_that_came_is_refused(entry_: Entry, code: Code) -> None:
    """The announcement goes on as it was."""
    journal = Journal.memory(BOOT)
    accept(journal, part(0, "a"), part(1, "b"), part(4, "e", last=True))
    (refused,) = accept(journal, entry_)
    assert isinstance(refused, Refused)
    assert refused.code is code
    assert len(journal.recover(NOW).pending) == 3


def test_a_part_of_an_announcement_that_was_whole_is_refused() -> None:
    """The id is used up."""
    (_, refused) = accept(Journal.memory(BOOT), entry("p"), part(1, "b"))
    assert isinstance(refused, Refused)
    assert refused.code is Code.ID_REUSE


def test_a_part_that_comes_too_late_is_told_the_result() -> None:
    """It is not kept, and its text is forgotten with the others."""
    journal = Journal.memory(BOOT)
    accept(journal, part(0, "a"), part(1, "b"))
    journal.finish([finished("p")], NOW)
    assert accept(journal, part(2, "c")) == [Duplicate("p", finished("p"))]
    assert journal._db.execute("SELECT count(*) FROM part").fetchone()[0] == 0


def test_settings_survive_and_the_newest_counts(path: Path) -> None:
    """Volume, mute and voices of a device are what they were before the restart."""
    journal = Journal.open(path, BOOT)
    journal.set_setting("volume", "40")
    journal.set_setting("muted", "false")
    journal.set_setting("volume", "55")
    assert reopened(journal, path).settings() == {"volume": "55", "muted": "false"}


def test_duplicates_within_one_group_are_found() -> None:
    """Both arrived before the commit."""
    first, second = Journal.memory(BOOT).accept([entry("a"), entry("a")], NOW)
    assert isinstance(first, Accepted)
    assert second == Duplicate("a", None)


def test_the_same_id_with_another_body_is_refused() -> None:
    """The first request keeps its id and its result."""
    journal = Journal.memory(BOOT)
    journal.accept([entry("a")], NOW)
    (refused,) = journal.accept([entry("a", '{"id":"a","text":"other"}')], NOW)
    assert isinstance(refused, Refused)
    assert (refused.id, refused.code) == ("a", Code.ID_REUSE)
    assert [accepted.id for accepted in journal.recover(NOW).pending] == ["a"]


def test_a_group_is_kept_whole_or_not_at_all() -> None:
    """When one entry cannot be kept, none is, and the next group finds the journal in order."""
    journal = Journal.memory(BOOT)
    impossible = replace(entry("b"), packet_id=None)  # type: ignore[arg-type]
    with pytest.raises(StorageError):
        journal.accept([entry("a"), impossible], NOW)
    assert journal.recover(NOW).pending == ()
    (verdict,) = journal.accept([entry("a")], NOW)
    assert isinstance(verdict, Accepted)


def test_without_an_id_each_publish_is_an_announcement() -> None:
    """The door opens twice, it is said twice."""
    journal = Journal.memory(BOOT)
    verdicts = journal.accept([entry("m-1", "door", packet_id=1), entry("m-2", "door", packet_id=2)], NOW)
    assert all(isinstance(verdict, Accepted) for verdict in verdicts)


def test_a_redelivery_without_an_id_is_dropped(path: Path) -> None:
    """DUP, the same packet id and the same session, also after a restart: the same PUBLISH once more."""
    journal = Journal.open(path, BOOT)
    journal.begin_session(is_resumed=False)
    journal.accept([entry("m-1", "door", packet_id=7)], NOW)
    journal = reopened(journal, path)
    journal.begin_session(is_resumed=True)
    again = entry("m-2", "door", packet_id=7, is_redelivery=True)
    assert journal.accept([again], NOW) == [Duplicate("m-1", None)]


@pytest.mark.parametrize(
    ("changes", "is_resumed"),
    [
        ({"is_redelivery": False}, True),
        ({"packet_id": 8}, True),
        ({"parsed": parsed("window")}, True),
        ({}, False),
    ],
    ids=["not marked DUP", "another packet id", "another text", "another session"],
)
def test_what_only_looks_like_a_redelivery_is_spoken(changes: dict[str, object], is_resumed: bool) -> None:
    """Packet ids are used again; dropping a new message would lose it."""
    journal = Journal.memory(BOOT)
    journal.begin_session(is_resumed=False)
    journal.accept([entry("m-1", "door", packet_id=7)], NOW)
    journal.begin_session(is_resumed=is_resumed)
    again = replace(entry("m-2", "door", packet_id=7, is_redelivery=True), **changes)  # type: ignore[arg-type]
    (verdict,) = journal.accept([again], NOW)
    assert isinstance(verdict, Accepted)


@pytest.mark.parametrize(
    ("now", "boot", "left_s"),
    [
        (after(20), BOOT, 40),
        (after(20, wall_jump_s=30), BOOT, 10),
        (after(20, wall_jump_s=-9000), BOOT, 40),
        (Now(5.0, NOW.wall_s + 20), "boot-2", 40),
        (Now(5.0, NOW.wall_s - 20), "boot-2", float("-inf")),
    ],
    ids=["same boot", "clock set forward", "clock set back", "rebooted", "rebooted without a clock"],
)
def test_a_lifetime_survives_the_restart(path: Path, now: Now, boot: str, left_s: float) -> None:
    """Whichever clock says that the most time has passed is believed: late is worse than never."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("a", lifetime_s=60.0)], NOW)
    (accepted,) = reopened(journal, path, boot).recover(now).pending
    assert isinstance(accepted, Accepted)
    assert accepted.lifetime_s == pytest.approx(left_s)


def fill(journal: Journal, count: int, now: Now) -> None:
    """This many finished requests."""
    ids = [f"n-{i}-{now.wall_s}" for i in range(count)]
    journal.accept([entry(request_id) for request_id in ids], now)
    journal.finish([finished(request_id) for request_id in ids], now)


def test_ids_are_kept_ten_minutes_and_4096_long_and_no_longer() -> None:
    """Each of the two alone keeps an id; neither of them lets it go."""
    journal = Journal.memory(BOOT)
    journal.accept([entry("old")], NOW)
    journal.finish([finished("old")], NOW)
    fill(journal, KEEP_IDS, NOW)
    assert journal.accept([entry("old")], after(KEEP_S - 1)) == [Duplicate("old", finished("old"))]
    journal.accept([entry("trigger")], after(KEEP_S + 1))
    (verdict,) = journal.accept([entry("old")], after(KEEP_S + 1))
    assert isinstance(verdict, Accepted)


def test_ids_of_the_last_boot_are_forgotten_as_well(path: Path) -> None:
    """Their age is what the wall clock says; the monotonic clock has begun anew."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("old")], NOW)
    journal.finish([finished("old")], NOW)
    fill(journal, KEEP_IDS, NOW)
    journal = reopened(journal, path, "boot-2")
    rebooted = Now(monotonic_s=5.0, wall_s=NOW.wall_s + 60)
    journal.recover(rebooted)
    soon = Now(5.0 + KEEP_S - 61, rebooted.wall_s + KEEP_S - 61)
    assert journal.accept([entry("old"), entry("new")], soon)[0] == Duplicate("old", finished("old"))
    late = Now(soon.monotonic_s + 2, soon.wall_s + 2)
    journal.accept([entry("trigger")], late)
    (verdict,) = journal.accept([entry("old")], late)
    assert isinstance(verdict, Accepted)


def test_many_old_ids_are_forgotten_little_by_little() -> None:
    """A burst of ten minutes ago must not make today's requests wait for one long commit."""
    journal = Journal.memory(BOOT)
    fill(journal, 3 * KEEP_IDS, NOW)
    counts = [3 * KEEP_IDS]
    for i in range(60):
        journal.accept([entry(f"later-{i}")], after(KEEP_S + 1))
        counts.append(journal._db.execute("SELECT count(*) FROM announcement").fetchone()[0])
    steps = [before - now for before, now in itertools.pairwise(counts)]
    assert max(steps) <= 200
    assert counts[-1] <= KEEP_IDS + 60


def test_an_old_id_among_few_is_kept() -> None:
    """On a quiet day ids are known for much longer than ten minutes."""
    journal = Journal.memory(BOOT)
    journal.accept([entry("old")], NOW)
    journal.finish([finished("old")], NOW)
    fill(journal, 10, after(KEEP_S * 100))
    assert journal.accept([entry("old")], after(KEEP_S * 100)) == [Duplicate("old", finished("old"))]


def test_unfinished_requests_are_never_forgotten() -> None:
    """However old and however many came after."""
    journal = Journal.memory(BOOT)
    journal.accept([entry("waiting")], NOW)
    fill(journal, KEEP_IDS + 10, NOW)
    fill(journal, 1, after(KEEP_S * 2))
    assert [accepted.id for accepted in journal.recover(NOW).pending] == ["waiting"]


def test_texts_of_finished_requests_are_forgotten(path: Path) -> None:
    """The id and the result are kept for duplicates; what was said is nobody's business any more."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("a")], NOW)
    journal.finish([finished("a")], NOW)
    journal.close()
    (request,) = sqlite3.connect(path).execute("SELECT request FROM announcement").fetchone()
    assert request is None


KILLED = """
import os, signal, sys
from pathlib import Path
from edged.core.events import Now
from edged.journal import Entry, Journal
from edged.protocol.request import parse_speak
journal = Journal.open(Path(sys.argv[1]), "boot-1")
for i in range(5):
    parsed = parse_speak(None, b'{"id":"k-%d","text":"x"}' % i, max_text_chars=9)
    journal.accept([Entry(f"k-{i}", parsed)], Now(1.0, 1.0))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_right_after_the_commit_loses_nothing(path: Path) -> None:
    """`accept` has returned, so the request is in the file."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    recovered = Journal.open(path, BOOT).recover(NOW)
    assert [accepted.id for accepted in recovered.pending] == [f"k-{i}" for i in range(5)]


def test_a_commit_is_flushed_to_the_disk(path: Path) -> None:
    """`synchronous=FULL`: power loss is survived as well, which a kill does not show."""
    journal = Journal.open(path, BOOT)
    assert journal._db.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert journal._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


@pytest.mark.parametrize(
    "damage",
    [
        b"this is no database, but it is long enough to have been one" * 100,
        b"SQLite format 3\x00" + b"\xff" * 8000,
    ],
    ids=["text", "broken header"],
)
def test_a_damaged_file_is_set_aside_and_replaced(path: Path, damage: bytes) -> None:
    """Speech goes on with a fresh journal; the bad file is kept and named."""
    path.write_bytes(damage)
    journal = Journal.open(path, BOOT)
    assert journal.quarantined is not None
    assert journal.quarantined.read_bytes() == damage
    (verdict,) = journal.accept([entry("a")], NOW)
    assert isinstance(verdict, Accepted)


def test_damage_in_the_middle_is_noticed_at_the_start(path: Path) -> None:
    """A file that opens but is broken inside is set aside too."""
    journal = Journal.open(path, BOOT)
    fill(journal, 200, NOW)
    journal.close()
    content = bytearray(path.read_bytes())
    content[8192:20480] = os.urandom(12288)
    path.write_bytes(content)
    assert Journal.open(path, BOOT).quarantined is not None


def test_a_journal_of_another_edged_is_set_aside(path: Path) -> None:
    """After a downgrade: not understood, not destroyed."""
    journal = Journal.open(path, BOOT)
    journal._db.execute("PRAGMA user_version = 99")
    assert reopened(journal, path).quarantined is not None


VERSION_2 = """
CREATE TABLE announcement (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL, session INTEGER NOT NULL, packet_id INTEGER NOT NULL, request TEXT,
    warnings TEXT NOT NULL, reply_topic TEXT, correlation BLOB, lifetime_s REAL, wall_s REAL NOT NULL,
    monotonic_s REAL NOT NULL, boot_id TEXT NOT NULL, started INTEGER NOT NULL DEFAULT 0, result TEXT,
    delivered INTEGER NOT NULL DEFAULT 0);
CREATE INDEX delivery ON announcement (session, packet_id);
CREATE INDEX unfinished ON announcement (seq) WHERE result IS NULL;
CREATE INDEX undelivered ON announcement (seq) WHERE result IS NOT NULL AND delivered = 0;
CREATE TABLE session (number INTEGER NOT NULL);
INSERT INTO session VALUES (7);
PRAGMA user_version = 2;
"""


def test_a_journal_of_version_2_is_brought_up_to_date(path: Path) -> None:
    """What an edged of that time had accepted is said, and answered where it asked for it."""
    old = sqlite3.connect(path)
    old.executescript(VERSION_2)
    insert = (
        "INSERT INTO announcement (id, fingerprint, session, packet_id, request, warnings, reply_topic,"
        " correlation, wall_s, monotonic_s, boot_id) VALUES (?, ?, 7, 1, ?, '[]', ?, ?, ?, ?, ?)"
    )
    times = (NOW.wall_s, NOW.monotonic_s, BOOT)
    fingerprint = entry("a").parsed.fingerprint
    request = '{"id":"a","text":"hello","priority":"high"}'
    old.execute(insert, ("a", fingerprint, request, "kiosk", b"\x00\xff", *times))
    old.execute(insert, ("b", "f", '{"text":"hello"}', "desk", None, *times))
    old.execute(insert, ("c", "f", '{"text":"hello"}', None, None, *times))
    old.commit()
    old.close()
    journal = Journal.open(path, BOOT)
    assert journal.quarantined is None
    assert [accepted.id for accepted in journal.recover(NOW).pending] == ["a", "b", "c"]
    assert journal.accept([entry("a")], NOW) == [Duplicate("a", None)]
    outcomes = journal.finish([finished(one) for one in "abc"], NOW)
    replies = [(ReplyTo("kiosk", b"\x00\xff"),), (ReplyTo("desk"),), ()]
    assert [outcome.replies for outcome in outcomes] == replies
    journal.set_setting("volume", "40")
    assert reopened(journal, path).settings() == {"volume": "40"}


def test_a_request_this_version_cannot_read_is_reported_as_cut_off(path: Path) -> None:
    """An older edged had accepted it: it gets a result instead of stopping the start."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("a"), entry("b")], NOW)
    journal._db.execute("UPDATE announcement SET request = '{\"speed\": 99}' WHERE id = 'a'")
    recovered = journal.recover(NOW)
    assert recovered.interrupted == ("a",)
    assert [accepted.id for accepted in recovered.pending] == ["b"]


def test_a_healthy_journal_is_not_set_aside(path: Path) -> None:
    """Reopening is no damage."""
    assert reopened(Journal.open(path, BOOT), path).quarantined is None


def test_two_processes_cannot_share_a_journal(path: Path) -> None:
    """They would say each other's announcements again."""
    first = Journal.open(path, BOOT)
    first.accept([entry("a")], NOW)
    with pytest.raises(StorageError, match="locked"):
        Journal.open(path, BOOT)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    """With the path and what to check."""
    with pytest.raises(StorageError, match="nowhere"):
        Journal.open(tmp_path / "nowhere" / "journal.db", BOOT)


def accept_until_full(journal: Journal) -> int:
    """How many requests fit on the disk."""
    for i in range(10_000):
        try:
            journal.accept([entry(f"f-{i}", f'{{"id":"f-{i}","text":"{"x" * 90}"}}')], NOW)
        except StorageError:
            return i
    raise AssertionError("the disk never filled up")


def test_a_full_disk_is_told_and_work_goes_on_in_memory(tmp_path: Path) -> None:
    """The failed group is not half accepted, what was accepted before is still known, nothing is lost."""
    with tmpfs(tmp_path / "disk", 512 * 1024) as disk:
        journal = Journal.open(disk / "journal.db", BOOT)
        count = accept_until_full(journal)
        memory = journal.in_memory()
        assert memory.accept([entry("f-0", f'{{"id":"f-0","text":"{"x" * 90}"}}')], NOW) == [
            Duplicate("f-0", None)
        ]
        (verdict,) = memory.accept([entry("new")], NOW)
        assert isinstance(verdict, Accepted)
        assert len(memory.recover(NOW).pending) == count + 1


def test_what_went_on_in_memory_is_not_said_again_after_a_restart(tmp_path: Path) -> None:
    """The file on the full disk does not know what has been spoken since, so it is set aside."""
    with tmpfs(tmp_path / "disk", 512 * 1024) as disk:
        path = disk / "journal.db"
        journal = Journal.open(path, BOOT)
        accept_until_full(journal)
        memory = journal.in_memory()
        assert memory.quarantined is not None
        memory.quarantined.unlink()
        memory.quarantined.with_name(memory.quarantined.name + "-wal").unlink(missing_ok=True)
        assert Journal.open(path, BOOT).recover(NOW).pending == ()


def test_a_disk_that_turns_read_only_is_told(tmp_path: Path) -> None:
    """As worn flash does."""
    with tmpfs(tmp_path / "disk", 1024 * 1024) as disk:
        Journal.open(disk / "journal.db", BOOT).close()
        make_read_only(disk)
        with pytest.raises(StorageError):
            Journal.open(disk / "journal.db", BOOT)


def test_a_file_that_is_deleted_is_noticed(path: Path) -> None:
    """SQLite goes on writing into a file that nobody will ever find; so does it without its log."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("a")], NOW)
    assert journal.is_on_disk
    path.with_name(path.name + "-wal").unlink()
    assert not journal.is_on_disk
    journal = Journal.open(path.with_name("other.db"), BOOT)
    assert journal.is_on_disk
    path.with_name("other.db").unlink()
    assert not journal.is_on_disk
    assert not Journal.memory(BOOT).is_on_disk


def test_what_went_on_in_memory_goes_back_to_the_disk(path: Path) -> None:
    """Requests in their order, ids, results, parts, settings; what the file had before is out of date."""
    stale = Journal.open(path, BOOT)
    stale.accept([entry("long-over")], NOW)
    memory = Journal.memory(BOOT)
    memory.begin_session(is_resumed=False)
    memory.accept([entry("done"), entry("b"), entry("m-1", "door", packet_id=7)], NOW)
    accept(memory, part(0, "x"), part(1, "y"), entry("a"))
    memory.finish([finished("done")], NOW)
    memory.set_setting("volume", "40")
    expected = memory.recover(NOW)
    stale.adopt(memory, is_whole=True)
    journal = reopened(stale, path)
    assert journal.recover(NOW) == expected
    assert journal.settings() == {"volume": "40"}
    again = entry("m-2", "door", packet_id=7, is_redelivery=True)
    assert journal.accept([entry("done"), again], NOW) == [
        Duplicate("done", finished("done")),
        Duplicate("m-1", None),
    ]


def test_what_a_disk_has_that_was_never_read_is_kept(path: Path) -> None:
    """It could not be opened at the start: requests of before are not lost, and come before the new ones."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("before"), entry("both")], NOW)
    memory = Journal.memory(BOOT)
    memory.accept([entry("both"), entry("new")], NOW)
    memory.finish([finished("both")], NOW)
    journal.adopt(memory, is_whole=False)
    assert [accepted.id for accepted in journal.recover(NOW).pending] == ["before", "new"]


def test_codes_survive_the_file(path: Path) -> None:
    """A rejected request's duplicate gets the same rejection."""
    journal = Journal.open(path, BOOT)
    journal.accept([entry("a")], NOW)
    full = Result(
        id="a", status=Status.REJECTED, code=Code.QUEUE_FULL, device="lobby", ts=1.0, warnings=("w",)
    )
    journal.finish([full], NOW)
    assert reopened(journal, path).accept([entry("a")], NOW) == [Duplicate("a", full)]
