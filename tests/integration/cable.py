"""A cable between a client and the broker that can be pulled, also while words are still on their way."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType

_READ_BYTES = 65536


class Cable:
    """Context manager: what connects to `port` talks to the broker behind `target_port`."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._swallows = threading.Event()
        self._ends: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self) -> Cable:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.pull()
        for thread in self._threads:
            thread.join()

    def swallow(self) -> None:
        """From now on what the client sends is lost, and it does not notice: until the cable is pulled."""
        self._swallows.set()

    def pull(self) -> None:
        """Both sides lose their connection; the next one is good again."""
        ends, self._ends = self._ends, []
        for end in ends:
            with contextlib.suppress(OSError):  # its other side was quicker
                end.shutdown(socket.SHUT_RDWR)
        self._swallows.clear()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            try:
                broker = socket.create_connection(("127.0.0.1", self._target_port))
            except OSError:
                client.close()
                continue
            self._ends += [client, broker]
            for pair in ((client, broker, True), (broker, client, False)):
                thread = threading.Thread(target=self._carry, args=pair, daemon=True)
                self._threads.append(thread)
                thread.start()

    def _carry(self, source: socket.socket, target: socket.socket, is_from_client: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_READ_BYTES):
                if not (is_from_client and self._swallows.is_set()):
                    target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()
