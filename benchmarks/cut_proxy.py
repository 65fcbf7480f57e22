"""A TCP proxy that cuts its connections the hard way, when told to."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from types import TracebackType

_READ_BYTES = 1 << 16
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER of 0 s: closing sends RST and drops what is unsent


class CutProxy:
    """Context manager: listens on `port` of the loopback and passes everything on to `target_port`."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)

    def __enter__(self) -> CutProxy:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._listening.close()

    def cut(self) -> None:
        """Reset every connection on both sides; new ones are taken as before."""
        self._loop.call_soon_threadsafe(self._cut)

    def _cut(self) -> None:
        for writer in self._writers:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            writer.transport.abort()

    def _run(self) -> None:
        self._loop.run_until_complete(asyncio.start_server(self._serve, sock=self._listening))
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            target = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:  # the broker is down: so are we
            writer.transport.abort()
            return
        self._writers |= {writer, target[1]}
        await asyncio.gather(self._pass_on(reader, target[1]), self._pass_on(target[0], writer))
        self._writers -= {writer, target[1]}

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(_READ_BYTES):
                writer.write(data)
                await writer.drain()
        writer.close()
