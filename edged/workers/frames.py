"""The wire between main and its children: framed messages over a socketpair.

One frame is `>II` (header length, payload length), a JSON header (one message of
`edged.workers.messages`) and an opaque payload (mono float32 little-endian samples, or nothing).
Data and its end travel on this one ordered channel, so a failure can never look like a short success.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edged.workers.messages import Message, parse_message

if TYPE_CHECKING:  # main passes samples on and never opens them: 14 MB less without numpy
    import numpy as np
    from numpy.typing import NDArray

_PREFIX = struct.Struct(">II")
MAX_HEADER_BYTES = 2 * 1024 * 1024  # 256 KiB of the smallest segments, five times as long in a Speak message
MAX_PAYLOAD_BYTES = 16 * 1024 * 1024  # 170 s of 24 kHz float32: no single chunk is longer
_RECEIVE_BYTES = 256 * 1024


class FrameError(Exception):
    """The peer sent something that is not a frame; the channel cannot be trusted any more."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A message and the bytes that came with it."""

    message: Message
    payload: bytes = b""

    def samples(self) -> NDArray[np.float32]:
        """The payload as mono float32 samples, shape [n]."""
        import numpy as np

        return np.frombuffer(self.payload, dtype="<f4").astype(np.float32, copy=False)


def encode(message: Message, payload: bytes = b"") -> bytes:
    """One frame as bytes."""
    header = message.model_dump_json().encode()
    return _PREFIX.pack(len(header), len(payload)) + header + payload


def encode_samples(samples: NDArray[np.float32]) -> bytes:
    """Mono samples [n] as a payload."""
    import numpy as np

    return np.ascontiguousarray(samples, dtype="<f4").tobytes()


class FrameDecoder:
    """Turns a byte stream cut anywhere into frames; pure, no socket."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take bytes, give every frame that is complete. Raises FrameError on nonsense."""
        self._buffer += data
        while (frame := self._take()) is not None:
            yield frame

    def _take(self) -> Frame | None:
        if len(self._buffer) < _PREFIX.size:
            return None
        header_bytes, payload_bytes = _PREFIX.unpack_from(self._buffer)
        if header_bytes > MAX_HEADER_BYTES or payload_bytes > MAX_PAYLOAD_BYTES:
            raise FrameError(f"frame of {header_bytes}+{payload_bytes} bytes is over the limit")
        end = _PREFIX.size + header_bytes + payload_bytes
        if len(self._buffer) < end:
            return None
        header = bytes(self._buffer[_PREFIX.size : _PREFIX.size + header_bytes])
        payload = bytes(self._buffer[_PREFIX.size + header_bytes : end])
        del self._buffer[:end]
        try:
            return Frame(parse_message(header), payload)
        except ValueError as error:
            raise FrameError(f"not a message: {error}") from error


class FrameSocket:
    """The blocking end of the channel, for a child: any thread may send, one thread receives."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._send_lock = threading.Lock()
        self._decoder = FrameDecoder()

    def send(self, message: Message, payload: bytes = b"") -> None:
        """Send one frame; blocks while the peer does not read. Raises OSError when the peer is gone."""
        data = encode(message, payload)
        with self._send_lock:
            self._sock.sendall(data)

    def frames(self) -> Iterator[Frame]:
        """Every frame until the peer closes."""
        while data := self._sock.recv(_RECEIVE_BYTES):
            yield from self._decoder.feed(data)
