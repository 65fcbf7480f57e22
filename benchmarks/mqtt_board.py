"""The device under load: a real `edged run` that is restarted as systemd would, and what it plays."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import numpy as np
import psutil
from numpy.typing import NDArray

_EDGED = str(Path(sys.executable).with_name("edged"))
DEVICE = "board"
BASE = f"edged/{DEVICE}"
RATE_HZ = 24000  # the tone engine's own: nothing is resampled
SPEED = 2.0  # of every request, the fastest there is: tones of 40 ms
_CONFIG = """\
device: {{id: {device}}}
mqtt: {{host: 127.0.0.1, port: {port}}}
# the smallest buffer: what a killed player had not played yet is lost to the recording
audio: {{device: recorded, rate_hz: {rate_hz}, channels: 1, period_ms: 5, buffer_ms: 20}}
speech: {{engine: tone}}
paths: {{models_dir: models, state_dir: state, cache_dir: cache, runtime_dir: run}}
"""
_ASOUND = """\
pcm.silence {{ type null }}
pcm.recorded {{ type file slave.pcm silence file "{fifo}" format raw }}
"""
_RESTART_S = 0.5  # systemd would wait 2 s; the broker keeps what comes meanwhile
_STOP_S = 20.0


class Recorder:
    """Context manager: everything that is written to `fifo`, by whichever process, in one file.

    Samples are safe as soon as they are in the pipe: a player that is killed takes none with it.
    """

    def __init__(self, folder: Path) -> None:
        self.fifo = folder / "pcm"
        self.file = folder / "played.s16"
        os.mkfifo(self.fifo)

    def __enter__(self) -> Recorder:
        self._end = os.open(self.fifo, os.O_RDWR)  # while it is open, the reader sees no end
        with self.file.open("wb") as file:
            self._reader = subprocess.Popen(["cat", str(self.fifo)], stdout=file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._end)
        self._reader.wait(_STOP_S)

    def samples(self) -> NDArray[np.float32]:
        """What was played, [n]; complete when the block has ended."""
        return np.fromfile(self.file, "<i2").astype(np.float32) / np.float32(2**15)


class Board:
    """Context manager: the daemon runs inside the block. `crashes`: how often it ended by itself."""

    def __init__(self, folder: Path, mqtt_port: int, fifo: Path) -> None:
        self.crashes = 0
        self.log = folder / "edged.log"
        self._config = folder / "edged.yaml"
        self._config.write_text(_CONFIG.format(device=DEVICE, port=mqtt_port, rate_hz=RATE_HZ))
        asound = folder / "asound.conf"
        asound.write_text(_ASOUND.format(fifo=fifo))
        self._env = {**os.environ, "ALSA_CONFIG_PATH": str(asound)}
        self._process: subprocess.Popen[bytes] | None = None
        self._start_at_s = 0.0

    def __enter__(self) -> Board:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def tend(self) -> None:
        """Start it again when it has ended and it is time."""
        if self._process is not None and self._process.poll() is not None:
            self.crashes += 1
            self._ended()
        if self._process is None and time.monotonic() >= self._start_at_s:
            self._start()

    def kill_main(self) -> bool:
        """SIGKILL; False when it does not run."""
        if self._process is None:
            return False
        self._process.kill()
        self._process.wait()
        self._ended()
        return True

    def kill_child(self, name: str) -> bool:
        """SIGKILL to synth or player; False when it does not run."""
        child = self._child(name)
        if child is None:
            return False
        child.kill()
        return True

    def main_rss_bytes(self) -> int | None:
        """Memory of the main process; None when it does not run."""
        if self._process is None or self._process.poll() is not None:
            return None
        return int(psutil.Process(self._process.pid).memory_info().rss)

    def _child(self, name: str) -> psutil.Process | None:
        if self._process is None:
            return None
        with contextlib.suppress(psutil.NoSuchProcess):  # main or a child has just ended by itself
            for child in psutil.Process(self._process.pid).children():
                if f"edged.workers.{name}" in child.cmdline():
                    return child
        return None

    def _start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [_EDGED, "run", "--config", str(self._config)],
                stderr=log,
                env=self._env,
            )

    def _ended(self) -> None:
        self._process = None
        self._start_at_s = time.monotonic() + _RESTART_S
