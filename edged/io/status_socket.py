"""The local status socket: whoever connects gets one JSON document and the connection closes."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edged.errors import DaemonUnreachableError

_NAME = "status.sock"
_TIMEOUT_S = 5.0  # main answers in milliseconds, or it hangs
_READ_BYTES = 65536


async def serve_status(runtime_dir: Path, document: Callable[[], dict[str, Any]]) -> asyncio.AbstractServer:
    """Answer every connection with `document()`. Raises OSError when the socket cannot be made."""
    runtime_dir.mkdir(parents=True, exist_ok=True)
    (runtime_dir / _NAME).unlink(missing_ok=True)

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(json.dumps(document(), ensure_ascii=False).encode())
        writer.close()

    with _short_path(runtime_dir) as path:
        return await asyncio.start_unix_server(answer, path)


def read_status(runtime_dir: Path) -> dict[str, Any]:
    """The running daemon's document. Raises DaemonUnreachableError when none answers."""
    try:
        with _short_path(runtime_dir) as path, socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(_TIMEOUT_S)
            sock.connect(path)
            data = b"".join(iter(lambda: sock.recv(_READ_BYTES), b""))
    except OSError as error:
        raise DaemonUnreachableError(
            f"no daemon answers on {runtime_dir / _NAME}: {error.strerror or error}",
            "systemctl status edged, or start it with: edged run",
        ) from error
    document: dict[str, Any] = json.loads(data)
    return document


@contextmanager
def _short_path(runtime_dir: Path) -> Iterator[str]:
    """The socket's path through an open directory: a Unix socket path may hold 107 bytes only."""
    folder = os.open(runtime_dir, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{_NAME}"
    finally:
        os.close(folder)
