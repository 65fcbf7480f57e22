"""What is asked of a hub, and how its refusals are told; shared by both clients and the process that asks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from edged.errors import FetchError
from edged.install.pins import RELATIVE_PATH, Checkpoint, HubFile, HubName, RelativePath

# networks, settings, vocabulary, terms; not the pictures and dot files of a repository
_SUFFIXES = (".safetensors", ".json", ".txt", ".md")
_TERMS = ("LICENSE", "NOTICE")


# the second one is what ModelScope's client does
_PARTIAL = {"huggingface": ".part", "modelscope": ".incomplete"}


NETWORK_HINT = "check network, proxy and mirror settings"


class HubUnreachableError(FetchError):
    """No answer at all: no network, no name service, a proxy in the way, or the hub is down."""


class ListRequest(BaseModel):
    """What does the repository hold at this revision? Answered by a Checkpoint."""

    model_config = ConfigDict(frozen=True)

    verb: Literal["list"] = "list"
    hub: HubName
    repo: str
    revision: str | None  # None: the hub's default branch


class DownloadRequest(BaseModel):
    """Bring these files of a checkpoint into a folder; what an earlier try left there is continued."""

    model_config = ConfigDict(frozen=True)

    verb: Literal["download"] = "download"
    checkpoint: Checkpoint
    paths: tuple[RelativePath, ...]
    folder: Path


class Client(Protocol):
    """One hub's client. Its methods raise FetchError (HubUnreachableError) or StorageError."""

    def list(self, repo: str, revision: str | None) -> Checkpoint:
        """All files of the repository at a revision."""

    def download(self, checkpoint: Checkpoint, path: str, file: HubFile, folder: Path) -> None:
        """Put one file to `folder / path` once it has all its bytes."""


def partial_path(hub: str, folder: Path, path: str) -> Path:
    """Where the bytes are that have arrived of an unfinished file."""
    return folder / f"{path}{_PARTIAL[hub]}"


def is_wanted(path: str) -> bool:
    """Whether a file of a repository is fetched; one whose name is no plain relative path never is."""
    plain = re.fullmatch(RELATIVE_PATH, path) is not None
    return plain and (path.endswith(_SUFFIXES) or path in _TERMS)


def wrong_size(checkpoint: Checkpoint, path: str, why: str) -> FetchError:
    """The error for a server that delivers another number of bytes than the hub lists."""
    return FetchError(
        f"{path} of {checkpoint}: delivered with a wrong size: {why}",
        "run again; if that does not help, a mirror or proxy on the way damages it",
    )
