"""ModelScope, or the server that MODELSCOPE_ENDPOINT (MODELSCOPE_DOMAIN) names, through `modelscope_hub`, the
client inside of `modelscope`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from modelscope_hub import HubApi
from modelscope_hub.errors import (
    APIError,
    AuthenticationError,
    FileIntegrityError,
    FileSizeMismatchError,
    HubError,
    NetworkError,
    NotExistError,
    PermissionDeniedError,
    ServerError,
)

from edged.errors import FetchError
from edged.install.hubs.protocol import NETWORK_HINT, HubUnreachableError, is_wanted, wrong_size
from edged.install.pins import Checkpoint, HubFile
from edged.io.fetch import brief

_DEFAULT_REVISION = "master"


class ModelScope:
    """See protocol.Client."""

    def __init__(self) -> None:
        self._api = HubApi()

    def list(self, repo: str, revision: str | None) -> Checkpoint:
        """All files of the repository at a revision; which commit that is, ModelScope does not tell."""
        wanted = revision or _DEFAULT_REVISION
        with _told(repo, wanted):
            entries = self._api.list_repo_files(repo, "model", revision=wanted)
        files = {
            entry.path: HubFile(bytes=entry.size, sha256=entry.sha256 or None)
            for entry in entries
            if not entry.is_dir and is_wanted(entry.path)
        }
        return Checkpoint(hub="modelscope", repo=repo, revision=wanted, commit=wanted, files=files)

    def download(self, checkpoint: Checkpoint, path: str, file: HubFile, folder: Path) -> None:
        """Put one file to `folder / path`; the client itself continues, counts and compares."""
        with _told(checkpoint.repo, checkpoint.commit, path):
            try:
                self._api.download_file(
                    checkpoint.repo,
                    "model",
                    path,
                    revision=checkpoint.commit,
                    local_dir=folder,
                    expected_sha256=file.sha256,
                    file_size=file.bytes,
                )
            except FileSizeMismatchError as error:
                raise wrong_size(checkpoint, path, error.message) from error


@contextmanager
def _told(repo: str, revision: str, path: str = "") -> Iterator[None]:
    """Turn the client's errors into ours."""
    where = f"{path} of {repo}" if path else repo
    try:
        yield
    except (AuthenticationError, PermissionDeniedError) as error:
        raise FetchError(
            f"{where}: ModelScope does not give it to everybody",
            "accept its terms on the model's page, then set MODELSCOPE_API_TOKEN",
        ) from error
    except NotExistError as error:
        raise FetchError(
            f"{where}: ModelScope has no such file, repository or revision ({revision!r})",
            "--revision takes a branch, a tag or a full commit as the model's page lists them",
        ) from error
    except FileIntegrityError as error:
        raise FetchError(
            f"{where} at {revision}: not the file expected: {error.message}",
            "run again; if that does not help, a mirror damages it or the branch has moved on: "
            "name a --revision",
        ) from error
    except (NetworkError, ServerError) as error:
        raise HubUnreachableError(
            f"{where}: ModelScope cannot be reached: {brief(error.message)}", NETWORK_HINT
        ) from error
    except APIError as error:
        raise FetchError(f"{where}: ModelScope refused: {error.message}", NETWORK_HINT) from error
    except HubError as error:
        raise FetchError(f"{where}: ModelScope's client failed: {error.message}", NETWORK_HINT) from error
