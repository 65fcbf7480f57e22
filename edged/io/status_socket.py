"""The local status socket: whoever connects gets one JSON document and the connection closes."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edged.errors import DaemonUnreachableError

_NAME = "status.sock"
_TIMEOUT_S = 5.0  # main answers in milliseconds, or it hangs
_READ_BYTES = 65536
_UCRED = struct.Struct("=iII")  # <sys/socket.h>: pid, uid, gid


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
    with _connected(runtime_dir) as sock:
        document: dict[str, Any] = json.loads(b"".join(iter(lambda: sock.recv(_READ_BYTES), b"")))
    return document


def daemon_pid(runtime_dir: Path) -> int:
    """The running daemon's process, as the kernel knows it. Raises DaemonUnreachableError."""
    with _connected(runtime_dir) as sock:
        credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    pid: int = _UCRED.unpack(credentials)[0]
    return pid


@contextmanager
def _connected(runtime_dir: Path) -> Iterator[socket.socket]:
    try:
        with _short_path(runtime_dir) as path, socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(_TIMEOUT_S)
            sock.connect(path)
            yield sock
    except OSError as error:
        raise DaemonUnreachableError(
            f"no daemon answers on {runtime_dir / _NAME}: {error.strerror or error}",
            "systemctl status edged, or start it with: edged run",
        ) from error


@contextmanager
def _short_path(runtime_dir: Path) -> Iterator[str]:
    """The socket's path through an open directory: a Unix socket path may hold 107 bytes only."""
    folder = os.open(runtime_dir, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{_NAME}"
    finally:
        os.close(folder)
