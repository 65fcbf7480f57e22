"""A checkpoint's files in a folder, fetched from a hub or brought there, each compared with its SHA-256."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from edged.errors import BadInputError, EdgedError, FetchError, StorageError
from edged.install.brought import brought
from edged.install.child import ChildDeath, ChildError, run_child
from edged.install.extras import INSTALL_EXTRAS
from edged.install.hubs.protocol import (
    DownloadRequest,
    HubUnreachableError,
    ListRequest,
    is_wanted,
    partial_path,
)
from edged.install.pins import Checkpoint, HubFile, HubName, Pins, read_marker, write_marker
from edged.io.disk import require_space, sha256_of, storage_errors
from edged.io.fetch import Progress

_CLIENTS: dict[HubName, str] = {"huggingface": "huggingface_hub", "modelscope": "modelscope_hub"}
_UNKNOWN = "unknown"
_CONFIG = "config.json"
_QUIET = {
    # no statistics
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "MODELSCOPE_DOWNLOAD_INTRA_CLOUD": "false",
    # plain HTTP in one stream: it passes mirrors and proxies, and can be continued
    "HF_HUB_DISABLE_XET": "1",
    "MODELSCOPE_DOWNLOAD_PARALLEL_THRESHOLD_MB": "1000000",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A checkpoint by its repository, and perhaps by hub and revision.

    None takes the one trusted already; without one, Hugging Face or, when that cannot be reached, ModelScope,
    and the head of its default branch. `required`: files without which it is not a checkpoint of that kind.
    `check` raises BadInputError when the config.json in a folder is of another model; `name` is what users
    call it.
    """

    name: str
    repo: str
    hub: HubName | None
    revision: str | None
    required: tuple[str, ...]
    check: Callable[[Path], None]

    def trusted(self, pins: Pins) -> list[Checkpoint]:
        """The trusted checkpoints it can be, the one recorded last at the end."""
        return pins.matching(self.repo, self.hub, self.revision)

    def is_in(self, held: Checkpoint) -> bool:
        """Whether a folder with these files holds what is wanted."""
        return (
            held.repo == self.repo
            and self.hub in (None, held.hub)
            and self.revision in (None, held.revision, held.commit)
        )


def fetch_checkpoint(
    wanted: Wanted, folder: Path, pins: Pins, progress: Progress, *, work: Path | None, own: bool
) -> Checkpoint:
    """Download what `folder` does not hold intact; the result has every SHA-256. One process at a time.

    What an `own` folder holds of other checkpoints is deleted; in anybody else's nothing is overwritten. The
    disk of `work` must have room for the conversion, if there will be one. Raises FetchError (no network, no
    such revision, not the trusted files), BadInputError (the folder or the hub holds something else) or
    StorageError.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        checkpoint = _choose(wanted, folder, pins, progress)
        _claim(folder, checkpoint, own=own)
        progress("comparing what is there", 0.0)
        missing = [path for path, file in checkpoint.files.items() if not _is_intact(folder / path, file)]
        _require_room(checkpoint, missing, folder, work)
        write_marker(folder, checkpoint)
        # what tells the model first: another one is refused before its gigabytes are fetched
        _download(wanted, checkpoint, [path for path in missing if path == _CONFIG], folder, progress)
        wanted.check(folder / _CONFIG)
        _download(wanted, checkpoint, [path for path in missing if path != _CONFIG], folder, progress)
        complete = _identify(folder, checkpoint, progress, keep=False)
        write_marker(folder, complete)
    return complete


def take_checkpoint(wanted: Wanted, folder: Path, pins: Pins, progress: Progress) -> Checkpoint:
    """The checkpoint in a folder somebody filled, with every SHA-256; nothing is fetched or written.

    Raises BadInputError (another checkpoint, missing, not the trusted files) or StorageError.
    """
    with storage_errors(folder), brought():
        held = read_marker(folder)
        if held and not wanted.is_in(held):
            raise BadInputError(f"{folder}: holds {held}", f"name a folder with {wanted.repo}")
        expected = _vouched_for(held, pins) if held else _trusted_or_found(wanted, folder, pins)
        _require(wanted, expected, str(folder))
        wanted.check(folder / _CONFIG)
        return _identify(folder, expected, progress, keep=True)


def _choose(wanted: Wanted, folder: Path, pins: Pins, progress: Progress) -> Checkpoint:
    """The trusted checkpoint, the one that an unfinished download began with, or the hub's answer."""
    trusted = [pin for pin in wanted.trusted(pins) if pin.hub != "folder"]
    if trusted:
        return trusted[-1]
    held = read_marker(folder)
    return _vouched_for(held if held and wanted.is_in(held) else _list(wanted, progress), pins)


def _vouched_for(checkpoint: Checkpoint, pins: Pins) -> Checkpoint:
    """The trusted description of the same commit, by whatever name that was reached, if there is one."""
    trusted = pins.matching(checkpoint.repo, None, checkpoint.commit)
    return next((pin for pin in trusted if _same(pin, checkpoint)), checkpoint)


def _list(wanted: Wanted, progress: Progress) -> Checkpoint:
    hubs: tuple[HubName, ...] = (wanted.hub,) if wanted.hub else tuple(_CLIENTS)
    unreachable: list[HubUnreachableError] = []
    for hub in hubs:
        progress(f"asking {hub}", 0.0)
        try:
            answer = _ask(hub, ListRequest(hub=hub, repo=wanted.repo, revision=wanted.revision), progress)
        except HubUnreachableError as error:
            unreachable.append(error)
            continue
        checkpoint = Checkpoint.model_validate(answer)
        _require(wanted, checkpoint, str(checkpoint))
        return checkpoint
    raise _unreachable(wanted, unreachable)


def _download(
    wanted: Wanted, checkpoint: Checkpoint, paths: list[str], folder: Path, progress: Progress
) -> None:
    if not paths:
        return
    assert checkpoint.hub != "folder"
    request = DownloadRequest(checkpoint=checkpoint, paths=tuple(paths), folder=folder)
    try:
        _ask(checkpoint.hub, request, progress)
    except HubUnreachableError as error:
        raise _unreachable(wanted, [error]) from error


def _unreachable(wanted: Wanted, errors: list[HubUnreachableError]) -> HubUnreachableError:
    """One error for the hubs that were asked, with every way out that is left."""
    other = "" if len(errors) == len(_CLIENTS) else "try the other --hub, "
    return HubUnreachableError(
        "\n".join(error.what for error in errors),
        f"{errors[-1].hint}, {other}or bring the files: `edged model install {wanted.name} "
        "--keep-downloads DIR` elsewhere, then `--from DIR` here",
    )


def _ask(hub: HubName, request: ListRequest | DownloadRequest, progress: Progress) -> object:
    """Have the hub's client do it in a process of its own."""
    if importlib.util.find_spec(_CLIENTS[hub]) is None:
        raise FetchError(f"fetching from {hub} needs {_CLIENTS[hub]}", INSTALL_EXTRAS)
    kinds: dict[str, type[EdgedError]] = {
        kind.__name__: kind for kind in (FetchError, HubUnreachableError, StorageError)
    }
    with tempfile.TemporaryDirectory(prefix="edged-hub-") as scratch:
        try:
            return run_child(
                ["-m", "edged.install.hubs", request.model_dump_json()], progress, _environ(scratch)
            )
        except ChildError as error:
            raise kinds[error.kind](error.what, error.hint) from error
        except ChildDeath as death:
            raise FetchError(
                f"{hub}: its client ended with status {death.status}:\n{death.tail}",
                "run again: what has arrived is kept",
            ) from death


def _environ(scratch: str) -> Mapping[str, str]:
    """Our environment without what the clients would tell about this machine.

    ModelScope's client keeps a number for this user in its home and sends it along: it gets a new home.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MODELSCOPE_CLOUD_")}
    return {**kept, **_QUIET, "MODELSCOPE_HOME": scratch, "MODELSCOPE_CACHE": scratch}


def _claim(folder: Path, checkpoint: Checkpoint, *, own: bool) -> None:
    """Refuse a folder with anything but this checkpoint, or clear it if it is our own."""
    held = read_marker(folder)
    if (held and _same(held, checkpoint)) or not any(folder.iterdir()):
        return
    if not own:
        content = f"holds {held}" if held else "is not empty"
        raise BadInputError(f"{folder}: {content}", f"name a new folder for {checkpoint}")
    shutil.rmtree(folder)
    folder.mkdir()


def _require_room(checkpoint: Checkpoint, missing: list[str], folder: Path, work: Path | None) -> None:
    """Room for what is still to come, and for a model as large as the checkpoint: int8 is a half of it."""
    arrived = (partial_path(checkpoint.hub, folder, path) for path in missing)
    arrived_bytes = sum(path.stat().st_size for path in arrived if path.exists())
    fetch_bytes = sum(checkpoint.files[path].bytes for path in missing) - arrived_bytes
    if work is None:
        require_space(folder, fetch_bytes)
        return
    model_bytes = sum(file.bytes for file in checkpoint.files.values())
    if folder.stat().st_dev == work.stat().st_dev:
        require_space(folder, fetch_bytes + model_bytes)
    else:
        require_space(folder, fetch_bytes)
        require_space(work, model_bytes)


def _same(one: Checkpoint, other: Checkpoint) -> bool:
    return (one.hub, one.repo, one.commit) == (other.hub, other.repo, other.commit)


def _trusted_or_found(wanted: Wanted, folder: Path, pins: Pins) -> Checkpoint:
    """For a folder that does not say what it holds: what is trusted, else what lies in it."""
    if trusted := wanted.trusted(pins):
        return trusted[-1]
    found = {
        path.relative_to(folder).as_posix(): HubFile(bytes=path.stat().st_size, sha256=None)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and is_wanted(path.relative_to(folder).as_posix())
    }
    revision = wanted.revision or _UNKNOWN
    return Checkpoint(hub="folder", repo=wanted.repo, revision=revision, commit=revision, files=found)


def _require(wanted: Wanted, checkpoint: Checkpoint, where: str) -> None:
    missing = [path for path in wanted.required if path not in checkpoint.files]
    if missing:
        raise FetchError(f"{where}: {missing[0]} is not there", f"it takes {', '.join(wanted.required)}")


def _is_intact(path: Path, file: HubFile) -> bool:
    """Whether the file is there. One without a known SHA-256 was compared by the client when it arrived."""
    if not path.is_file() or path.stat().st_size != file.bytes:
        return False
    return file.sha256 in (None, sha256_of(path))


def _identify(folder: Path, checkpoint: Checkpoint, progress: Progress, *, keep: bool) -> Checkpoint:
    """The checkpoint with the SHA-256 of its files in `folder`, compared with those known already.

    A wrong file is deleted unless `keep`, so that the next try fetches it again.
    """
    found: dict[str, HubFile] = {}
    for index, (path, expected) in enumerate(checkpoint.files.items()):
        progress(f"comparing {path}", index / len(checkpoint.files))
        file = folder / path
        if not file.is_file():
            raise FetchError(f"{file}: missing", f"it belongs to {checkpoint}: copy the whole folder again")
        sha256 = sha256_of(file)
        if expected.sha256 not in (None, sha256):
            if not keep:
                file.unlink()
            raise FetchError(
                f"{file}: not the file of {checkpoint}: SHA-256 expected {expected.sha256}, found {sha256}",
                "the copy is damaged or it is another revision: fetch it again, or name its --revision",
            )
        found[path] = HubFile(bytes=file.stat().st_size, sha256=sha256)
    return checkpoint.model_copy(update={"files": found})
