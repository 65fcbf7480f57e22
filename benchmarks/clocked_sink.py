"""A sound card in software: a private PulseAudio whose null sink keeps time, behind ALSA's pulse plugin.

What a program plays on the PCM `clocked` passes bit for bit and in real time; `record` hears it.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

START_DEADLINE_S = 10.0
_POLL_S = 0.02
_SINK = "clocked"
_RT_PRIORITY = 20

# norewinds: without it the null sink forgets the first 100 ms; no dbus, no autospawn, no real-time
_PULSE_SCRIPT = """\
load-module module-native-protocol-unix auth-anonymous=1 socket={socket}
{null_sink}
"""
_NULL_SINK = "module-null-sink sink_name={sink} rate={rate_hz} channels={channels} format=s16le norewinds=1"
_PULSE_OPTIONS = [
    "--daemonize=no",
    "--fail=yes",
    "--use-pid-file=no",
    "--disallow-exit=yes",
    "--exit-idle-time=-1",
    "--high-priority=no",
    "--realtime=no",
    "--disable-shm=yes",
    "--resample-method=trivial",
    "--log-target=stderr",
    "--log-level=error",
]

# handle_underrun: an xrun shows, as it does on a sound card
_ASOUND = """\
pcm.clocked {{ type pulse server "unix:{socket}" device "{sink}" handle_underrun 1 }}
pcm.!default {{ type plug slave.pcm "clocked" }}
"""


class ClockedSink:
    """Context manager: PulseAudio runs inside it, in a folder of its own that goes with it."""

    def __init__(self, rate_hz: int = 48000, channels: int = 2) -> None:
        self.rate_hz = rate_hz
        self.channels = channels
        self._null_sink = _NULL_SINK.format(sink=_SINK, rate_hz=rate_hz, channels=channels)

    def __enter__(self) -> ClockedSink:
        # under /tmp, whatever TMPDIR says: the path of a socket has 107 characters at most
        self._folder = tempfile.TemporaryDirectory(prefix="edged-", dir="/tmp")
        self.folder = Path(self._folder.name)
        self._server = f"unix:{self.folder}/native"
        script = self.folder / "script.pa"
        load = f"load-module {self._null_sink}"
        script.write_text(_PULSE_SCRIPT.format(socket=self.folder / "native", null_sink=load))
        asound = _ASOUND.format(socket=self.folder / "native", sink=_SINK)
        (self.folder / "asound.conf").write_text(asound)
        self._process = subprocess.Popen(
            ["pulseaudio", "-n", "-F", str(script), *_PULSE_OPTIONS],
            env=self._pulse_env(),
            stdin=subprocess.DEVNULL,
            stderr=(self.folder / "pulse.log").open("wb"),
        )
        try:
            poll_until(self._is_up, "PulseAudio does not come up", START_DEADLINE_S)
            _hurry(self._process.pid)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    @property
    def env(self) -> dict[str, str]:
        """What a program needs in its environment to see the PCM `clocked`, also as `default`."""
        return {"ALSA_CONFIG_PATH": str(self.folder / "asound.conf")}

    @property
    def pid(self) -> int:
        """PulseAudio's, for SIGSTOP: a device that hangs."""
        return self._process.pid

    def unplug(self) -> None:
        """The card is gone."""
        self._pactl("unload-module", "module-null-sink")

    def plug(self) -> None:
        """... and back."""
        self._pactl("load-module", *self._null_sink.split())

    @contextlib.contextmanager
    def record(self) -> Iterator[Recording]:
        """Hear everything that is played from now on; the recorder is running when this returns."""
        shape = [f"--rate={self.rate_hz}", f"--channels={self.channels}", "--format=s16le", "--raw"]
        command = ["parec", f"--device={_SINK}.monitor", "--latency-msec=10", *shape]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=self._pulse_env())
        recording = Recording(process, self.rate_hz, self.channels)
        try:
            poll_until(lambda: recording.frames > 0, "the recorder does not start", START_DEADLINE_S)
            _hurry(process.pid)
            yield recording
        finally:
            recording.stop()

    def _is_up(self) -> bool:
        if self._process.poll() is not None:
            raise RuntimeError(f"PulseAudio ended: {(self.folder / 'pulse.log').read_text()}")
        listing = ["pactl", "list", "short", "sinks"]
        answer = subprocess.run(listing, env=self._pulse_env(), capture_output=True, text=True, check=False)
        return _SINK in answer.stdout

    def _pactl(self, *arguments: str) -> None:
        subprocess.run(["pactl", *arguments], env=self._pulse_env(), check=True, stdout=subprocess.DEVNULL)

    def _pulse_env(self) -> dict[str, str]:
        home = {name: str(self.folder) for name in ("HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH")}
        home["PULSE_STATE_PATH"] = str(self.folder)
        no_bus = {"DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        return {**os.environ, **home, **no_bus, "PULSE_SERVER": self._server}


class Recording:
    """What has been heard so far; grows while the recorder runs."""

    def __init__(self, process: subprocess.Popen[bytes], rate_hz: int, channels: int) -> None:
        self.rate_hz = rate_hz
        self._process = process
        self._channels = channels
        self._data = bytearray()
        self._arrivals: list[tuple[float, int]] = []  # of each block: monotonic seconds, its first frame
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def frames(self) -> int:
        """Frames heard so far."""
        return len(self._data) // (2 * self._channels)

    def heard_at_s(self, frame: int) -> float:
        """When this frame was heard, in seconds of the monotonic clock.

        The null sink, which keeps that clock, hands over a block of 10 ms when the first frame of it is
        due: each block tells the time, to within 0.2 ms on an idle machine, and the median passes over
        those that were late.
        """
        frame_s = 1 / self.rate_hz
        return statistics.median(at_s - first * frame_s for at_s, first in self._arrivals) + frame * frame_s

    def samples(self) -> NDArray[np.int16]:
        """Everything heard so far, [frames, channels]."""
        whole = bytes(self._data[: self.frames * 2 * self._channels])
        return np.frombuffer(whole, "<i2").reshape(-1, self._channels)

    def until_silent(self, silence_frames: int, deadline_s: float) -> NDArray[np.int16]:
        """Wait until something was heard and `silence_frames` of silence after it; [frames, channels]."""

        def silent() -> bool:
            heard = np.flatnonzero(self.samples().any(axis=1))
            return len(heard) > 0 and self.frames - int(heard[-1]) > silence_frames

        poll_until(silent, "the sound does not end", deadline_s)
        return self.samples()

    def until_heard(self, frames: int, deadline_s: float) -> None:
        """Wait until so many frames that are not silent have been heard."""
        enough = f"fewer than {frames} frames of sound"
        poll_until(lambda: int(self.samples().any(axis=1).sum()) >= frames, enough, deadline_s)

    def until_frames(self, frames: int, deadline_s: float) -> None:
        """Wait until the recording is so long, whatever was heard: so much time has passed."""
        poll_until(lambda: self.frames >= frames, f"fewer than {frames} frames", deadline_s)

    def stop(self) -> None:
        """End the recorder."""
        self._process.terminate()
        self._process.wait()
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while block := os.read(pipe.fileno(), 65536):
                self._arrivals.append((time.monotonic(), self.frames))
                self._data += block


def trim(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    """From the first to the last frame that is not silent, [frames, channels]."""
    heard = np.flatnonzero(samples.any(axis=1))
    return samples[heard[0] : heard[-1] + 1] if len(heard) else samples[:0]


def _hurry(pid: int) -> None:
    """Hardware does not compete for the CPU; without the privilege, a busy machine shows as gaps."""
    with contextlib.suppress(PermissionError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setscheduler(int(thread.name), os.SCHED_RR, os.sched_param(_RT_PRIORITY))


def poll_until(condition: Callable[[], bool], complaint: str, deadline_s: float) -> None:
    """Return as soon as the condition holds. Raises TimeoutError with the complaint."""
    end_s = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > end_s:
            raise TimeoutError(complaint)
        time.sleep(_POLL_S)
