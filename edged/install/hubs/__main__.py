"""The process that talks to a hub: `python -m edged.install.hubs REQUEST PARENT` (see child.py)."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from edged.install.child import serve
from edged.install.hubs.protocol import Client, DownloadRequest, ListRequest, partial_path
from edged.install.pins import HubName
from edged.io.disk import storage_errors
from edged.io.fetch import Progress

_REQUEST: TypeAdapter[ListRequest | DownloadRequest] = TypeAdapter(ListRequest | DownloadRequest)
_PROGRESS_PERIOD_S = 0.5  # a bar that moves twice a second looks alive


def answer(arguments: list[str], progress: Progress) -> Any:
    """Do what the request on the command line says."""
    request = _REQUEST.validate_json(arguments[0])
    if isinstance(request, ListRequest):
        return client_of(request.hub).list(request.repo, request.revision).model_dump(mode="json")
    with storage_errors(request.folder):
        _download(request, progress)
    return None


def client_of(hub: HubName) -> Client:
    """The hub's client; only that one is imported."""
    if hub == "huggingface":
        from edged.install.hubs.huggingface import HuggingFace

        return HuggingFace()
    from edged.install.hubs.modelscope import ModelScope

    return ModelScope()


def _download(request: DownloadRequest, progress: Progress) -> None:
    checkpoint = request.checkpoint
    assert checkpoint.hub != "folder"
    client = client_of(checkpoint.hub)
    total_bytes = max(1, sum(checkpoint.files[path].bytes for path in request.paths))
    done_bytes = 0
    for path in request.paths:
        (request.folder / path).parent.mkdir(parents=True, exist_ok=True)
        partial = partial_path(checkpoint.hub, request.folder, path)

        def report(arrived_bytes: int, path: str = path, before_bytes: int = done_bytes) -> None:
            progress(f"fetching {path}", (before_bytes + arrived_bytes) / total_bytes)

        with _watched(partial, report):
            client.download(checkpoint, path, checkpoint.files[path], request.folder)
        done_bytes += checkpoint.files[path].bytes


@contextmanager
def _watched(partial: Path, report: Callable[[int], None]) -> Iterator[None]:
    """Report how many bytes of a file have arrived while the block fetches it, whatever client does."""
    finished = threading.Event()

    def watch() -> None:
        while not finished.wait(_PROGRESS_PERIOD_S):
            with contextlib.suppress(FileNotFoundError):  # not yet there, or complete
                report(partial.stat().st_size)

    report(partial.stat().st_size if partial.exists() else 0)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


if __name__ == "__main__":
    serve(answer)
