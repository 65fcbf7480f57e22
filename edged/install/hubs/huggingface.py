"""Hugging Face, or the mirror that HF_ENDPOINT names, through `huggingface_hub`.

The client's own `hf_hub_download` throws a half-arrived file away when its process ends; its `http_get` takes
the bytes that are there already, so a dropped download of gigabytes goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import HfApi, constants, get_hf_file_metadata, get_token, hf_hub_url
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.file_download import http_get

from edged.errors import FetchError
from edged.install.hubs.protocol import NETWORK_HINT, HubUnreachableError, is_wanted, partial_path, wrong_size
from edged.install.pins import Checkpoint, HubFile
from edged.io.disk import sha256_of
from edged.io.fetch import brief

_DEFAULT_REVISION = "main"
# which of them a version of the client is built on is its own business
_TRANSPORTS = ("httpx", "httpx2", "httpcore", "requests")
_RANGE_NOT_SATISFIABLE = 416
_SHA1_DIGITS = 40
# a lost connection costs what has arrived of a chunk: by default 10 MB, which a poor link may never complete
constants.DOWNLOAD_CHUNK_SIZE = 1_000_000


class HuggingFace:
    """See protocol.Client."""

    def list(self, repo: str, revision: str | None) -> Checkpoint:
        """All files of the repository at a revision, and the commit it is."""
        wanted = revision or _DEFAULT_REVISION
        with _told(repo, wanted):
            info = HfApi().model_info(repo, revision=wanted, files_metadata=True)
        files = {
            entry.rfilename: HubFile(bytes=entry.size or 0, sha256=entry.lfs.sha256 if entry.lfs else None)
            for entry in info.siblings or ()
            if is_wanted(entry.rfilename)
        }
        return Checkpoint(
            hub="huggingface", repo=repo, revision=wanted, commit=info.sha or wanted, files=files
        )

    def download(self, checkpoint: Checkpoint, path: str, file: HubFile, folder: Path) -> None:
        """Put one file to `folder / path`, compared with the digest the hub itself gives for it."""
        url = hf_hub_url(checkpoint.repo, path, revision=checkpoint.commit)
        partial = partial_path(checkpoint.hub, folder, path)
        with _told(checkpoint.repo, checkpoint.commit, path):
            etag = get_hf_file_metadata(url).etag or ""
            _refuse_other(checkpoint, path, file, etag)
            try:
                with partial.open("ab") as out:
                    http_get(
                        url,
                        out,
                        resume_size=out.tell(),
                        headers=_headers(),
                        expected_size=file.bytes,
                        displayed_filename=path,
                    )
            except HfHubHTTPError as error:
                if error.response.status_code == _RANGE_NOT_SATISFIABLE:
                    partial.unlink()  # longer than what the hub has: not the beginning of it
                raise
            except OSError as error:
                if error.errno is None:  # the client's own check of the size
                    partial.unlink()
                    raise wrong_size(checkpoint, path, str(error).partition("\n")[0]) from error
                raise
        _check_etag(checkpoint, path, partial, etag)
        partial.replace(folder / path)


def _headers() -> dict[str, str]:
    """Bytes as they are, so that they can be counted and continued; the user's token where there is one."""
    token = get_token()
    return {"Accept-Encoding": "identity", **({"Authorization": f"Bearer {token}"} if token else {})}


def _refuse_other(checkpoint: Checkpoint, path: str, file: HubFile, etag: str) -> None:
    """Save the download of a large file that the hub says is not the one we want."""
    if file.sha256 and _is_sha256(etag) and etag != file.sha256:
        raise FetchError(
            f"{path} of {checkpoint}: SHA-256 expected {file.sha256}, the hub has {etag}",
            "the hub or mirror serves another file under this commit: do not use it",
        )


def _check_etag(checkpoint: Checkpoint, path: str, arrived: Path, etag: str) -> None:
    """Compare a file with the digest that the hub gave as its ETag; a mirror may give none."""
    if _is_sha256(etag):
        found = sha256_of(arrived)
    elif re.fullmatch(rf"[0-9a-f]{{{_SHA1_DIGITS}}}", etag):
        content = arrived.read_bytes()  # git keeps only small files itself
        found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    else:
        return
    if found != etag:
        arrived.unlink()
        raise FetchError(
            f"{path} of {checkpoint}: damaged on its way: digest expected {etag}, found {found}",
            "run again; if that does not help, a mirror or proxy on the way damages it",
        )


def _is_sha256(etag: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{64}", etag) is not None


@contextmanager
def _told(repo: str, revision: str, path: str = "") -> Iterator[None]:
    """Turn the client's errors into ours."""
    where = f"{path} of {repo}" if path else repo
    try:
        yield
    except GatedRepoError as error:
        raise FetchError(
            f"{where}: Hugging Face gives it only to who has accepted its terms",
            "accept them on the model's page, then set HF_TOKEN to a token of that account",
        ) from error
    except RevisionNotFoundError as error:
        raise FetchError(
            f"{where}: Hugging Face has no revision {revision!r} of it",
            "--revision takes a branch, a tag or a full commit as the model's page lists them",
        ) from error
    except EntryNotFoundError as error:
        raise FetchError(f"{where}: not there at revision {revision}", "name another --revision") from error
    except RepositoryNotFoundError as error:
        raise FetchError(
            f"{where}: Hugging Face does not have it, or not for everybody",
            "check HF_ENDPOINT; where a token is needed, set HF_TOKEN",
        ) from error
    except HfHubHTTPError as error:
        status = error.response.status_code
        kind = HubUnreachableError if status >= 500 else FetchError
        raise kind(f"{where}: {constants.ENDPOINT} answered with status {status}", NETWORK_HINT) from error
    except Exception as error:
        transport = type(error).__module__.partition(".")[0] in _TRANSPORTS
        if not transport and not isinstance(error, ConnectionError):
            raise
        raise HubUnreachableError(
            f"{where}: {constants.ENDPOINT} cannot be reached: {brief(str(error))}", NETWORK_HINT
        ) from error
