"""Model slots: nothing half-done is ever visible, and every switch can be undone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from edged.errors import BadInputError, BusyError, ModelUnavailableError, StorageError
from edged.io.model_folder import Manifest, ModelFolder, describe_files
from edged.io.store import Slot, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a folder with a space in its name that does not exist yet."""
    return Store(tmp_path / "my models")


def publish(slot: Slot, version: str, content: bytes = b"weights") -> ModelFolder:
    """Build and publish a model of one file."""
    with slot.building() as work:
        model = work / "model"
        (model / "voices").mkdir(parents=True)
        (model / "voices/a.bin").write_bytes(content)
        manifest = Manifest(
            name="tiny",
            version=version,
            created=datetime.now(UTC),
            licence="MIT",
            precision="int8 weights",
            sample_rate_hz=16000,
            converter_version="1",
            built_with="nothing",
            edged="0.1.0",
            sources=(),
            files=describe_files(model),
        )
        return slot.publish(model, manifest)


def install(store: Store, *versions: str) -> list[str]:
    """Publish and activate these versions in order; returns their builds."""
    builds = []
    with store.locked("tiny") as slot:
        for version in versions:
            builds.append(publish(slot, version).path.name)
            slot.activate(builds[-1])
    return builds


def in_slot(store: Store) -> set[str]:
    return {path.name for path in (store.models_dir / "tiny").iterdir()}


def test_empty_store_says_what_to_do(store: Store) -> None:
    """Without a models folder there are no names, and opening a model says how to install it."""
    assert store.names() == []
    with pytest.raises(ModelUnavailableError, match="no tiny model is installed") as caught:
        store.open_active("tiny")
    assert caught.value.hint == "edged model install tiny"


def test_published_build_is_read_only_and_readable_by_all(store: Store) -> None:
    """A build carries no write permission and can be read by the service user, whatever root's umask is."""
    umask = os.umask(0o077)
    try:
        (build,) = install(store, "1.0")
    finally:
        os.umask(umask)
    path = store.path("tiny", build)
    modes = {entry.relative_to(path).as_posix(): entry.stat().st_mode & 0o777 for entry in path.rglob("*")}
    assert modes == {"manifest.json": 0o444, "voices": 0o555, "voices/a.bin": 0o444}
    assert path.stat().st_mode & 0o777 == 0o555
    for folder in (path.parent, store.models_dir):
        assert folder.stat().st_mode & 0o777 == 0o755


def test_failed_build_leaves_nothing(store: Store) -> None:
    """An error while building removes the work folder, and no build appears."""

    def fail_half_way() -> None:
        with store.locked("tiny") as slot, slot.building() as work:
            (work / "model.bin").write_bytes(b"half")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    assert in_slot(store) == {".lock"}
    assert store.builds("tiny") == []


def test_leftovers_of_killed_runs_are_invisible_and_swept(store: Store) -> None:
    """What a killed run left is no build, and the next one removes it, read-only folders included."""
    slot_dir = store.models_dir / "tiny"
    for leftover in (".building-x", ".removing-y"):
        (slot_dir / leftover / "voices").mkdir(parents=True)
        (slot_dir / leftover / "voices").chmod(0o555)
    (slot_dir / ".linking-active").symlink_to("nowhere")
    assert store.names() == []
    (build,) = install(store, "1.0")
    assert in_slot(store) == {".lock", "active", build}


def test_two_versions_activate_and_roll_back(store: Store) -> None:
    """Activating keeps the old build as previous; rolling back swaps, doing it twice returns."""
    old, new = install(store, "1.0", "2.0")
    assert (store.active("tiny"), store.previous("tiny")) == (new, old)
    with store.locked("tiny") as slot:
        slot.rollback()
        assert (store.active("tiny"), store.previous("tiny")) == (old, new)
        slot.rollback()
    assert store.open_active("tiny").manifest.version == "2.0"


def test_activating_the_active_build_keeps_the_way_back(store: Store) -> None:
    """Activating what is active already does not lose the previous build."""
    old, new = install(store, "1.0", "2.0")
    with store.locked("tiny") as slot:
        slot.activate(new)
    assert store.previous("tiny") == old


def test_links_survive_a_move_of_the_models_folder(store: Store) -> None:
    """The whole folder can be copied to another board: links are relative."""
    install(store, "1.0", "2.0")
    moved = store.models_dir.with_name("elsewhere")
    store.models_dir.rename(moved)
    assert Store(moved).open_active("tiny").manifest.version == "2.0"


def test_damaged_build_is_not_activated(store: Store) -> None:
    """A damaged build is refused by name, and the active one stays."""
    old, new = install(store, "1.0", "2.0")
    damaged = store.path("tiny", old) / "voices/a.bin"
    damaged.chmod(0o644)
    damaged.write_bytes(b"weighty")
    with store.locked("tiny") as slot, pytest.raises(ModelUnavailableError, match=r"voices/a\.bin"):
        slot.rollback()
    assert store.active("tiny") == new


def test_damaged_active_model_says_how_to_repair_it(store: Store) -> None:
    """Opening the active model with a file missing names the file and the command that repairs it."""
    (build,) = install(store, "1.0")
    folder = store.path("tiny", build) / "voices"
    folder.chmod(0o755)
    (folder / "a.bin").unlink()
    with pytest.raises(ModelUnavailableError, match=r"voices/a\.bin: missing") as caught:
        store.open_active("tiny")
    assert caught.value.hint == "edged model verify tiny; edged model install tiny repairs it"


def test_unknown_build_lists_the_known_ones(store: Store) -> None:
    """Asking for a build that is not there lists those that are."""
    (build,) = install(store, "1.0")
    with store.locked("tiny") as slot, pytest.raises(BadInputError) as caught:
        slot.activate("9.9-00000000")
    assert build in caught.value.hint


def test_rollback_without_previous_is_refused(store: Store) -> None:
    """With one build only there is nothing to go back to."""
    install(store, "1.0")
    with store.locked("tiny") as slot, pytest.raises(ModelUnavailableError, match="no previous build"):
        slot.rollback()


def test_active_build_is_removed_only_by_force(store: Store) -> None:
    """Removing the active build needs force, and takes its link with it."""
    (build,) = install(store, "1.0")
    with store.locked("tiny") as slot:
        with pytest.raises(BadInputError, match="is the active build"):
            slot.remove(build, force=False)
        slot.remove(build, force=True)
    assert in_slot(store) == {".lock"}
    assert store.names() == []


def test_removing_the_previous_build_takes_the_way_back(store: Store) -> None:
    """After the previous build is removed the active one works and a rollback says no."""
    old, new = install(store, "1.0", "2.0")
    with store.locked("tiny") as slot:
        slot.remove(old, force=False)
    assert in_slot(store) == {".lock", "active", new}
    assert store.previous("tiny") is None


def test_same_build_again_replaces_only_a_damaged_one(store: Store) -> None:
    """Publishing what is there keeps the whole folder and replaces a damaged one."""
    (build,) = install(store, "1.0")
    path = store.path("tiny", build)
    inode = path.stat().st_ino
    install(store, "1.0")
    assert path.stat().st_ino == inode
    path.chmod(0o755)
    (path / "manifest.json").unlink()
    install(store, "1.0")
    assert store.open_active("tiny").path == path
    assert in_slot(store) == {".lock", "active", build}


def test_second_command_is_told_who_is_at_work(store: Store) -> None:
    """While one command holds the slot another is refused with the holder's process id."""
    with store.locked("tiny"):
        holder = (store.models_dir / "tiny/.lock").read_text().strip()
        with pytest.raises(BusyError, match=rf"process {holder}"), store.locked("tiny"):
            pass
    with store.locked("tiny"):
        pass


def test_lock_of_a_killed_command_is_free(store: Store) -> None:
    """kill -9 of the holder frees the slot at once."""
    script = (
        "import sys; from pathlib import Path; from edged.io.store import Store\n"
        "with Store(Path(sys.argv[1])).locked('tiny'):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(store.models_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BusyError, match=str(holder.pid)), store.locked("tiny"):
            pass
        holder.kill()
        holder.wait()
        with store.locked("tiny"):
            pass


def test_readers_never_see_a_switch_half_done(store: Store) -> None:
    """While builds are switched as fast as possible, every open finds a whole active model."""
    old, new = install(store, "1.0", "2.0")
    done = threading.Event()

    def switch() -> None:
        with store.locked("tiny") as slot:
            for _ in range(50):
                slot.activate(old)
                slot.activate(new)
        done.set()

    switcher = threading.Thread(target=switch)
    switcher.start()
    seen = set()
    while not done.is_set():
        seen.add(store.open_active("tiny").manifest.version)
    switcher.join()
    assert seen <= {"1.0", "2.0"}


def test_models_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A models folder below a file is a storage error that names it."""
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file/models")
    with pytest.raises(StorageError, match="file/models") as caught, store.locked("tiny"):
        pass
    assert "--models-dir" in caught.value.hint


def test_models_folder_of_somebody_else_is_named(store: Store) -> None:
    """A models folder that may not be read is a storage error for the reader, not a crash."""
    install(store, "1.0")
    store.models_dir.chmod(0)
    own_id = os.geteuid()
    if own_id == 0:
        os.seteuid(65534)  # nobody: root may read everything
    try:
        for read in (store.names, lambda: store.builds("tiny"), lambda: store.active("tiny")):
            with pytest.raises(StorageError, match=r"my models.*: Permission denied"):
                read()
    finally:
        os.seteuid(own_id)
        store.models_dir.chmod(0o755)
