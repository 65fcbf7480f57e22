"""Model slots on disk.

    <models_dir>/<name>/<version>-<hash8>/   an immutable build with its manifest.json
    <models_dir>/<name>/active, previous     relative links, swapped atomically
    <models_dir>/<name>/.lock                held by the one command that may change the slot
    <models_dir>/<name>/.downloads/          artefacts already fetched by an unfinished install
    <models_dir>/<name>/.building-*, ...     work in progress, swept away by the next install

Readers need no lock: a build is complete before it gets its name, and never changes afterwards.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from edged.errors import BadInputError, BusyError, ModelUnavailableError
from edged.io.disk import storage_errors
from edged.io.model_folder import (
    Manifest,
    ModelFolder,
    find_damage,
    open_model,
    read_manifest,
    write_manifest,
)

_ACTIVE = "active"
_PREVIOUS = "previous"
_LOCK = ".lock"
_DOWNLOADS = ".downloads"
_BUILDING = ".building-"
_REMOVING = ".removing-"
_LINKING = ".linking-"


class Store:
    """The models below one folder, for reading; `locked` opens one slot for changes."""

    def __init__(self, models_dir: Path) -> None:
        self.models_dir = models_dir.absolute()

    def names(self) -> list[str]:
        """Models with at least one build."""
        with storage_errors(self.models_dir):
            if not self.models_dir.is_dir():
                return []
            return sorted(path.name for path in self.models_dir.iterdir() if self.builds(path.name))

    def builds(self, name: str) -> list[str]:
        """Builds of a model in the order of their names, damaged ones included."""
        folder = self.models_dir / name
        with storage_errors(folder):
            if not folder.is_dir():
                return []
            return sorted(
                path.name
                for path in folder.iterdir()
                if path.is_dir() and not path.is_symlink() and not path.name.startswith(".")
            )

    def active(self, name: str) -> str | None:
        """The build that is used, if any."""
        return _linked(self.models_dir / name / _ACTIVE)

    def previous(self, name: str) -> str | None:
        """The build a rollback would return to, if any."""
        return _linked(self.models_dir / name / _PREVIOUS)

    def path(self, name: str, build: str) -> Path:
        """Folder of a build. Raises BadInputError listing the builds when there is none of that name."""
        builds = self.builds(name)
        if build not in builds:
            raise BadInputError(
                f"{self.models_dir / name}: no build {build!r}",
                f"installed: {', '.join(builds)}" if builds else f"edged model install {name}",
            )
        return self.models_dir / name / build

    def open_active(self, name: str) -> ModelFolder:
        """The model in use, every byte checked. Raises ModelUnavailableError: not installed or damaged."""
        build = self.active(name)
        if build is None:
            raise ModelUnavailableError(
                f"{self.models_dir / name}: no {name} model is installed", f"edged model install {name}"
            )
        try:
            return open_model(self.models_dir / name / build)
        except ModelUnavailableError as error:
            raise ModelUnavailableError(
                error.what, f"edged model verify {name}; edged model install {name} repairs it"
            ) from error

    @contextlib.contextmanager
    def locked(self, name: str) -> Iterator[Slot]:
        """Open one slot for changes. Raises BusyError while another command works on it, StorageError
        when the folder cannot be written.
        """
        folder = self.models_dir / name
        with storage_errors(folder):
            for path in (self.models_dir, folder):
                _make_public(path)
            lock = (folder / _LOCK).open("a+", encoding="ascii")
        with lock:
            _take_lock(lock.fileno(), folder)
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            yield Slot(self, name)


class Slot:
    """The right to change one model's slot, valid while `Store.locked` holds its lock."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name
        self._folder = store.models_dir / name

    @property
    def downloads(self) -> Path:
        """Where an unfinished install keeps what it has fetched."""
        return self._folder / _DOWNLOADS

    @contextlib.contextmanager
    def building(self) -> Iterator[Path]:
        """A private work folder on the store's disk, gone afterwards whatever happens. Leftovers of killed
        runs are removed first.
        """
        with storage_errors(self._folder):
            for prefix in (_BUILDING, _REMOVING, _LINKING):
                for leftover in self._folder.glob(f"{prefix}*"):
                    _delete(leftover)
            work = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=self._folder))
        try:
            yield work
        finally:
            _delete(work)

    def publish(self, built: Path, manifest: Manifest) -> ModelFolder:
        """Give a finished folder its manifest and its place in the store; it is read-only from here on."""
        target = self._folder / manifest.build
        with storage_errors(target):
            write_manifest(built, manifest)
            _seal(built)
            if target.exists():
                if not _is_damaged(target):
                    return ModelFolder(target, read_manifest(target))
                self._discard(target)
            built.rename(target)
            target.chmod(0o555)
            _sync(self._folder)
        return ModelFolder(target, manifest)

    def drop_downloads(self) -> None:
        """Delete what `downloads` holds."""
        with storage_errors(self.downloads):
            if self.downloads.exists():
                _delete(self.downloads)

    def activate(self, build: str) -> ModelFolder:
        """Use this build from the next start on; the one in use becomes `previous`.

        Raises ModelUnavailableError when it is damaged, BadInputError when it does not exist.
        """
        folder = open_model(self._store.path(self._name, build))
        active = self._store.active(self._name)
        if active != build:
            with storage_errors(self._folder):
                # previous first: a crash in between leaves the old build active
                if active is not None:
                    self._point(_PREVIOUS, active)
                self._point(_ACTIVE, build)
        return folder

    def rollback(self) -> ModelFolder:
        """Swap `active` and `previous`. Raises ModelUnavailableError when there is no previous build."""
        previous = self._store.previous(self._name)
        if previous is None:
            raise ModelUnavailableError(
                f"{self._folder}: no previous build to go back to",
                f"edged model list; edged model activate {self._name} BUILD",
            )
        return self.activate(previous)

    def remove(self, build: str, *, force: bool) -> None:
        """Delete a build. The active one only with `force`: BadInputError otherwise."""
        path = self._store.path(self._name, build)
        active = self._store.active(self._name) == build
        if active and not force:
            raise BadInputError(
                f"{path}: is the active build",
                f"edged model activate {self._name} BUILD, or remove it with --force",
            )
        with storage_errors(path):
            if active:
                (self._folder / _ACTIVE).unlink()
            if self._store.previous(self._name) == build:
                (self._folder / _PREVIOUS).unlink()
            self._discard(path)

    def _discard(self, path: Path) -> None:
        """Delete a build so that no reader ever sees half of it."""
        doomed = Path(tempfile.mkdtemp(prefix=_REMOVING, dir=self._folder)) / path.name
        path.chmod(0o755)  # moving a folder to another parent writes to it
        path.rename(doomed)
        _delete(doomed.parent)

    def _point(self, link: str, build: str) -> None:
        fresh = self._folder / f"{_LINKING}{link}"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(build)
        fresh.replace(self._folder / link)
        _sync(self._folder)


def _make_public(folder: Path) -> None:
    """Make a folder that the service user can read, whatever root's umask is; leave an existing one alone."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True)
        folder.chmod(0o755)


def _take_lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = (folder / _LOCK).read_text(encoding="ascii").strip()
        raise BusyError(
            f"{folder}: another edged model command (process {holder}) is at work here",
            "wait until it has finished",
        ) from error


def _linked(link: Path) -> str | None:
    with storage_errors(link):
        try:
            build = os.readlink(link)
        except FileNotFoundError:
            return None
        return build if (link.parent / build).is_dir() else None


def _is_damaged(path: Path) -> bool:
    try:
        return bool(find_damage(ModelFolder(path, read_manifest(path))))
    except ModelUnavailableError:
        return True


def _seal(folder: Path) -> None:
    """Everything below is on the disk and read-only for all; the folder itself can still be moved."""
    for path in [*folder.rglob("*"), folder]:
        _sync(path)
        if path != folder:
            path.chmod(0o555 if path.is_dir() else 0o444)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _delete(path: Path) -> None:
    """Delete a file, a link or a tree, read-only folders in it included."""
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    for folder in [path, *(entry for entry in path.rglob("*") if entry.is_dir() and not entry.is_symlink())]:
        folder.chmod(0o755)
    shutil.rmtree(path)
