"""A PC in software with Debian's own kernel: real ALSA drivers, on a host without a sound card.

Its file system is the host's, at the same paths; what it writes stays in its memory.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.clocked_sink import Recording, poll_until
from edged.audio.cards import card_ids
from edged.config.schema import Config
from edged.workers.frames import FrameSocket
from edged.workers.messages import Configure

REPO = Path(__file__).parents[3]
KERNEL = REPO / ".kernel"
USB_RATE_HZ = 48000
DEADLINE_S = 60.0  # instructions are translated one by one: ten to fifty times slower than the host's
_BOOT_S = 120.0
_GUEST = Path(__file__).parent / "guest"
_FOLDERS = ("bin", "dev", "inside", "lower", "modules", "proc", "sys", "upper")
# What the machine needs before it can see the host's files and be spoken to; the rest it loads itself.
_EARLY_MODULES = ("virtio_pci", "virtio_net", "9pnet_virtio", "9p", "overlay")
_SHELL_PORT, _PLAYER_PORT = 7001, 7002
_USB_CARD = "usb-audio,id=card,audiodev=speaker"


class Machine:
    """Context manager: the machine runs inside it."""

    def __enter__(self) -> Machine:
        self._folder = tempfile.TemporaryDirectory(prefix="edged-kernel-")
        self.folder = Path(self._folder.name)
        self._shell, self._player = _free_port(), _free_port()
        try:
            initrd = self._initrd()
            with (self.folder / "qemu.log").open("wb") as log:
                self._qemu = subprocess.Popen(
                    self._command(initrd), stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT
                )
        except BaseException:
            self._folder.cleanup()
            raise
        try:
            poll_until(self._is_up, "the machine does not come up", _BOOT_S)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._qemu.kill()
        self._qemu.wait()
        self._folder.cleanup()

    @property
    def console(self) -> str:
        """What the kernel and qemu have printed."""
        logs = (self.folder / "qemu.log", self.folder / "console")
        return "".join(path.read_text(errors="replace") for path in logs if path.exists())

    def run(self, command: str) -> str:
        """Run a shell command inside; returns all it has printed."""
        with socket.create_connection(("127.0.0.1", self._shell), DEADLINE_S) as connection:
            connection.sendall(f"( {command}\n) </dev/null 2>&1; exit\n".encode())
            return b"".join(iter(lambda: connection.recv(65536), b"")).decode()

    @contextlib.contextmanager
    def running(self, program: str) -> Iterator[subprocess.Popen[bytes]]:
        """A program that goes on inside until the end; what it prints is the process's output."""
        netcat = ["busybox", "nc", "127.0.0.1", str(self._shell)]
        process = subprocess.Popen(netcat, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin
        assert process.stdout
        with process:
            process.stdin.write(f"echo $$; exec {program} </dev/null\n".encode())
            pid = int(process.stdout.readline())
            try:
                yield process
            finally:
                self.run(f"kill {pid}")
                process.kill()

    @contextlib.contextmanager
    def player(self, config: Config) -> Iterator[FrameSocket]:
        """A configured player process inside, spoken to from here; it ends with the channel."""
        with socket.create_connection(("127.0.0.1", self._player), DEADLINE_S) as connection:
            channel = FrameSocket(connection)
            channel.send(Configure(config=config))
            yield channel
        poll_until(lambda: not self._players(), "the player does not end", DEADLINE_S)

    def player_pid(self) -> int:
        """The player's process inside."""
        (pid,) = self._players()
        return pid

    def player_log(self) -> str:
        """What the last player has logged."""
        return self.run("cat /tmp/player.log")

    def cpu_s(self, pid: int) -> float:
        """Seconds of the machine's processor that a process has used."""
        fields = self.run(f"cat /proc/{pid}/stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100  # USER_HZ, the same on all x86

    def cards(self) -> dict[str, int]:
        """Id -> number of each sound card inside."""
        numbers = card_ids(self.run("cat /proc/asound/cards"))
        return {name: number for number, name in numbers.items()}

    @contextlib.contextmanager
    def record(self) -> Iterator[Recording]:
        """Hear what is played on the card `Loopback`, from now on."""
        arecord = "arecord -q -D hw:CARD=Loopback,DEV=1 -f S16_LE -r 48000 -c 2 -t raw --buffer-time=2000000"
        with self.running(f"{arecord} --period-time=50000 2>/tmp/arecord.log") as process:
            recording = Recording(process, 48000, 2)
            try:
                poll_until(lambda: recording.frames > 0, "the recorder does not start", DEADLINE_S)
                yield recording
            finally:
                recording.stop()

    def unplug(self) -> None:
        """Pull the USB card out."""
        self._monitor("device_del card")

    def plug(self) -> None:
        """... and put it back."""
        self._monitor(f"device_add {_USB_CARD}")

    def heard_from_usb(self) -> NDArray[np.int16]:
        """What the USB card has played since it was plugged in, [frames, 2]; the last 21 ms come late."""
        data = (self.folder / "speaker.wav").read_bytes()[44:]
        return np.frombuffer(data[: len(data) // 4 * 4], "<i2").reshape(-1, 2)

    def _players(self) -> list[int]:
        return [int(pid) for pid in self.run("pgrep -f '[e]dged.workers.player'").split()]

    def _monitor(self, command: str) -> None:
        assert self._qemu.stdin
        self._qemu.stdin.write(f"{command}\n".encode())
        self._qemu.stdin.flush()

    def _is_up(self) -> bool:
        if self._qemu.poll() is not None:
            raise RuntimeError(f"the machine ended: {self.console}")
        return "the machine is up" in self.console and self._answers()

    def _answers(self) -> bool:
        try:
            return bool(self.run("echo yes"))
        except ConnectionResetError:  # its netcat is about to listen
            return False

    def _command(self, initrd: Path) -> list[str]:
        forwards = ((self._shell, _SHELL_PORT), (self._player, _PLAYER_PORT))
        forwarded = ",".join(f"hostfwd=tcp:127.0.0.1:{here}-:{there}" for here, there in forwards)
        speaker = str(self.folder / "speaker.wav")
        return [
            *("setpriv", "--pdeathsig", "KILL"),  # should the tests be killed
            *("qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "1024", "-smp", "1"),
            *("-nodefaults", "-display", "none", "-no-reboot", "-monitor", "stdio"),
            *("-serial", f"file:{self.folder / 'console'}"),
            *("-kernel", str(KERNEL / "vmlinuz"), "-initrd", str(initrd)),
            *("-append", "console=ttyS0 quiet panic=-1 tsc=reliable mitigations=off"),
            *("-device", "virtio-rng-pci"),
            *(
                "-netdev",
                f"user,id=net,restrict=on,{forwarded}",
                "-device",
                "virtio-net-pci,netdev=net,romfile=",
            ),
            *("-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"),
            *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
            *("-audiodev", f"wav,id=speaker,path={speaker},out.frequency={USB_RATE_HZ}"),
            *("-device", "qemu-xhci", "-device", _USB_CARD),
        ]

    def _initrd(self) -> Path:
        """What the kernel unpacks and runs: busybox, a few modules, the scripts in `guest`."""
        root = self.folder / "initrd"
        for name in _FOLDERS:
            (root / name).mkdir(parents=True)
        busybox = shutil.which("busybox")
        assert busybox
        shutil.copy(busybox, root / "bin" / "busybox")
        for script in _GUEST.iterdir():
            shutil.copy(script, root)
        modules = _modules_for(_EARLY_MODULES)
        for module in modules:
            shutil.copy(module, root / "modules")
        (root / "modules" / "order").write_text("".join(f"{module.name}\n" for module in modules))
        settings = {
            "KERNEL": KERNEL,
            "PYTHON": sys.executable,
            "SHELL_PORT": _SHELL_PORT,
            "PLAYER_PORT": _PLAYER_PORT,
        }
        lines = (f"{name}={shlex.quote(str(value))}\n" for name, value in settings.items())
        (root / "settings").write_text("".join(lines))
        names = "\n".join(str(path.relative_to(root)) for path in root.rglob("*"))
        pack = ["cpio", "--create", "--format=newc", "--quiet"]
        initrd = self.folder / "initrd.cpio"
        with initrd.open("wb") as packed:
            subprocess.run(pack, input=names.encode(), cwd=root, check=True, stdout=packed)
        return initrd


def _modules_for(names: tuple[str, ...]) -> list[Path]:
    """The files of these modules and of those they need, in the order in which they can be loaded."""
    (version,) = (path.name for path in (KERNEL / "lib" / "modules").iterdir())
    found: dict[Path, None] = {}
    for name in names:
        modprobe = ["/sbin/modprobe", "-d", str(KERNEL), "-S", version, "--show-depends", name]
        shown = subprocess.run(modprobe, check=True, capture_output=True, text=True).stdout
        for line in shown.splitlines():
            if line.startswith("insmod "):
                found[Path(line.removeprefix("insmod ").strip())] = None
    return list(found)


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port
