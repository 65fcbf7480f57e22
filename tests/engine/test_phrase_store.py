"""Phrases on a disk that may be small, full, read-only, or have been written to by others."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.phrase_store import PhraseStore

RATE_HZ = 24000
KEYS = [f"{number:064x}" for number in range(20)]
ROOMY = 1 << 20
PHRASE_BYTES = 2 * 1000 + 44  # int16 and the header


def phrase(seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).uniform(-1, 1, 1000).astype(np.float32)


def store(folder: Path, most_bytes: int = ROOMY) -> PhraseStore:
    return PhraseStore(folder / "phrases", most_bytes, RATE_HZ)


def use(path: Path, when: int) -> None:
    """Make it be of use last at that time."""
    os.utime(path, ns=(when, when))


def total(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "phrases").iterdir())


def test_what_was_put_is_got(tmp_path: Path) -> None:
    """To half a step of 16 bits, also by another process; other keys have nothing."""
    store(tmp_path).put(KEYS[0], phrase(), is_pinned=False)
    kept = store(tmp_path).get(KEYS[0])
    assert kept is not None
    assert kept.dtype == np.float32
    assert np.abs(kept - phrase()).max() <= 0.51 / 32767
    assert store(tmp_path).get(KEYS[1]) is None


def test_too_loud_samples_do_not_turn_over(tmp_path: Path) -> None:
    """They are at full scale."""
    store(tmp_path).put(KEYS[0], np.array([1.5, -1.5, 1.0], np.float32), is_pinned=False)
    assert store(tmp_path).get(KEYS[0]) == pytest.approx([1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"x",
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:],
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: os.urandom(5000),
    ],
    ids=["empty", "one byte", "cut", "longer", "a flipped bit", "other magic", "random"],
)
@pytest.mark.parametrize("is_pinned", [False, True])
def test_a_damaged_phrase_is_none_until_it_is_put_again(
    tmp_path: Path, damage: object, is_pinned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told, and replaced; a pinned one stays pinned."""
    phrases = store(tmp_path)
    phrases.put(KEYS[0], phrase(), is_pinned=is_pinned)
    (path,) = (tmp_path / "phrases").iterdir()
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert phrases.get(KEYS[0]) is None
    assert "is damaged" in caplog.text
    phrases.put(KEYS[0], phrase(), is_pinned=False)
    assert phrases.get(KEYS[0]) is not None
    assert list((tmp_path / "phrases").iterdir()) == [path]


def test_a_phrase_is_no_other_and_of_no_other_rate(tmp_path: Path) -> None:
    """Whatever its file is called."""
    phrases = store(tmp_path)
    phrases.put(KEYS[0], phrase(), is_pinned=False)
    (path,) = (tmp_path / "phrases").iterdir()
    path.with_name(path.name.replace(KEYS[0], KEYS[1])).write_bytes(path.read_bytes())
    assert phrases.get(KEYS[1]) is None
    assert PhraseStore(tmp_path / "phrases", ROOMY, 16000).get(KEYS[0]) is None


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    """To be heard is to be of use; there is never more than allowed."""
    phrases = store(tmp_path, 4 * PHRASE_BYTES)
    for number, key in enumerate(KEYS[:3]):
        phrases.put(key, phrase(number), is_pinned=False)
        use(tmp_path / "phrases" / f"{key}.phrase", number)
    assert phrases.get(KEYS[0]) is not None
    for key in KEYS[3:5]:
        phrases.put(key, phrase(), is_pinned=False)
        assert total(tmp_path) <= 4 * PHRASE_BYTES
    assert phrases.get(KEYS[0]) is not None
    assert phrases.get(KEYS[1]) is None
    assert phrases.get(KEYS[4]) is not None


def test_a_pinned_phrase_stays(tmp_path: Path) -> None:
    """Whatever comes; when pinned ones fill the room, nothing more is kept."""
    phrases = store(tmp_path, 3 * PHRASE_BYTES)
    phrases.put(KEYS[0], phrase(), is_pinned=True)
    phrases.put(KEYS[1], phrase(), is_pinned=False)
    phrases.pin(KEYS[1])
    for key in KEYS[2:]:
        phrases.put(key, phrase(), is_pinned=False)
        assert total(tmp_path) <= 3 * PHRASE_BYTES
    assert phrases.get(KEYS[0]) is not None
    assert phrases.get(KEYS[1]) is not None
    phrases.put(KEYS[2], phrase(), is_pinned=True)
    phrases.put(KEYS[3], phrase(), is_pinned=True)
    assert phrases.get(KEYS[2]) is not None
    assert phrases.get(KEYS[3]) is None
    assert total(tmp_path) <= 3 * PHRASE_BYTES


def test_to_pin_twice_or_what_is_gone_is_no_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing changes and nothing is told."""
    phrases = store(tmp_path)
    phrases.put(KEYS[0], phrase(), is_pinned=True)
    phrases.pin(KEYS[0])
    phrases.pin(KEYS[1])
    assert phrases.get(KEYS[0]) is not None
    assert caplog.text == ""


@pytest.mark.parametrize("most_bytes", [1, 100, PHRASE_BYTES - 1])
def test_what_is_larger_than_all_the_room_is_not_kept(tmp_path: Path, most_bytes: int) -> None:
    """The room may be smaller than one phrase."""
    phrases = store(tmp_path, most_bytes)
    phrases.put(KEYS[0], phrase(), is_pinned=False)
    assert phrases.get(KEYS[0]) is None
    assert total(tmp_path) == 0


def test_what_is_larger_than_all_the_room_is_not_read(tmp_path: Path) -> None:
    """A huge file that somebody put there costs no memory."""
    store(tmp_path).put(KEYS[0], phrase(), is_pinned=False)
    assert store(tmp_path, PHRASE_BYTES - 1).get(KEYS[0]) is None


def test_what_was_never_finished_is_cleared_away(tmp_path: Path) -> None:
    """A process that was killed while it wrote leaves a file that counts, and goes."""
    (tmp_path / "phrases").mkdir()
    left_over = tmp_path / "phrases" / f"{KEYS[9]}.4711"
    left_over.write_bytes(bytes(3 * PHRASE_BYTES))
    use(left_over, 1)
    phrases = store(tmp_path, 3 * PHRASE_BYTES)
    phrases.put(KEYS[0], phrase(), is_pinned=False)
    assert not left_over.exists()
    assert phrases.get(KEYS[0]) is not None


def test_a_folder_deleted_meanwhile_is_made_again(tmp_path: Path) -> None:
    """The cache may be deleted at any time."""
    phrases = store(tmp_path)
    phrases.put(KEYS[0], phrase(), is_pinned=False)
    (path,) = (tmp_path / "phrases").iterdir()
    path.unlink()
    path.parent.rmdir()
    assert phrases.get(KEYS[0]) is None
    phrases.put(KEYS[0], phrase(), is_pinned=False)
    assert phrases.get(KEYS[0]) is not None


def test_a_disk_that_refuses_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file where the folder should be stands for any of the reasons; nothing is raised."""
    (tmp_path / "phrases").write_bytes(b"")
    phrases = store(tmp_path)
    for key in KEYS[:3]:
        phrases.put(key, phrase(), is_pinned=True)
        phrases.pin(key)
        assert phrases.get(key) is None
    (told,) = caplog.records
    assert told.levelno == logging.WARNING
    assert told.getMessage().startswith("phrase cache: going on without: ")


def test_a_disk_full_in_the_middle_leaves_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No part of a phrase takes room that the disk does not have; what was kept before is still heard."""
    phrases = store(tmp_path)
    phrases.put(KEYS[0], phrase(), is_pinned=False)
    write_bytes = Path.write_bytes

    def fills_up(path: Path, data: bytes) -> int:
        write_bytes(path, data[:700])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", fills_up)
    phrases.put(KEYS[1], phrase(), is_pinned=False)
    assert "No space left" in caplog.text
    assert [path.stem for path in (tmp_path / "phrases").iterdir()] == [KEYS[0]]
    assert phrases.get(KEYS[0]) is not None
