"""Keeps one child process running: starts it, hears it, restarts it with back-off.

Runs on main's event loop; nothing here blocks. What a child's frames mean is not its business.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
import time
from collections.abc import Callable, Sequence

from edged.config.schema import Config
from edged.workers.child import child_environment
from edged.workers.frames import FrameDecoder, FrameError, encode
from edged.workers.messages import Configure, Message

log = logging.getLogger(__name__)

_READ_BYTES = 256 * 1024
_EXIT_WAIT_S = 2.0  # a child lets go of its device in well under a second, or is stuck in it
# Seconds before a restart, after so many crashes; the last one for ever. At once first: most crashes are one
# request's.
BACK_OFF_S = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
_HEALTHY_S = 60.0  # after this long without a crash the back-off starts again at its beginning
# a child that leaves this much unread is stuck: 30 s of 24 kHz float32 and its frames are 3 MB
_MAX_UNREAD_BYTES = 64 * 1024 * 1024


class Supervisor:
    """One child process `python -m module`.

    `on_frame(message, payload)` is called for each frame, `on_lost()` once each time the child is gone.
    `config` is what the next child gets. `back_off_s`: the waits before its restarts.
    """

    def __init__(
        self,
        module: str,
        config: Config,
        on_frame: Callable[[Message, bytes], None],
        on_lost: Callable[[], None],
        back_off_s: Sequence[float] = BACK_OFF_S,
    ) -> None:
        self.name = module.rpartition(".")[2]
        self._module = module
        self.config = config
        self._on_frame = on_frame
        self._on_lost = on_lost
        self._back_off_s = back_off_s
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def run(self) -> None:
        """Start the child again and again; ends only by cancellation, which ends the child."""
        crashes = 0
        while True:
            started_s = time.monotonic()
            status = await self._live_once()
            crashes = 1 if time.monotonic() - started_s > _HEALTHY_S else crashes + 1
            delay_s = self._back_off_s[min(crashes, len(self._back_off_s)) - 1]
            log.warning("%s is gone (%s), restarting in %.1f s", self.name, _cause(status), delay_s)
            self._on_lost()
            await asyncio.sleep(delay_s)

    def send(self, message: Message, payload: bytes = b"") -> None:
        """Queue a frame for the child; without a child it is dropped, `on_lost` has told so."""
        if self._writer is None or self._writer.is_closing():
            return
        self._writer.write(encode(message, payload))
        if self._writer.transport.get_write_buffer_size() > _MAX_UNREAD_BYTES:
            log.error("%s does not read what it is sent", self.name)
            self.kill()

    def kill(self) -> None:
        """End a child that hangs; `run` restarts it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def _live_once(self) -> int:
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._module, "--fd", str(theirs.fileno())),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=sys.stderr.fileno(),
                pass_fds=[theirs.fileno()],
                env=child_environment(),
                start_new_session=True,  # a Ctrl-C is for main, which ends its children in order
            )
        self._process = process
        reader, self._writer = await asyncio.open_connection(sock=ours)
        try:
            self.send(Configure(config=self.config))
            await self._hear(reader)
        finally:
            self._writer.close()
            self._writer = None
            status = await _reap(process)
            self._process = None
        return status

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        decoder = FrameDecoder()
        with contextlib.suppress(ConnectionError):  # the end of a killed child, as good as EOF
            while data := await reader.read(_READ_BYTES):
                try:
                    for frame in decoder.feed(data):
                        self._on_frame(frame.message, frame.payload)
                except FrameError as error:
                    log.error("%s talks nonsense: %s", self.name, error)
                    return


async def _reap(process: asyncio.subprocess.Process) -> int:
    """Wait for a child whose channel is closed; one that does not leave is killed."""
    try:
        return await asyncio.wait_for(process.wait(), _EXIT_WAIT_S)
    except TimeoutError:
        process.kill()
        return await process.wait()


def _cause(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"
