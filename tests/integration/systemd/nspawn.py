"""A real systemd as PID 1, booted in a third of a second in a container over an overlay of `/`.

Everything the container needs lives in a private mount namespace and dies with its processes; nothing is
registered with the host's service manager, so it works without one.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.clocked_sink import poll_until

BOOT_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0
POLL_S = 0.05

# Run as root in a new mount namespace: $1 scratch folder, $2 name, the rest nspawn's further arguments.
# The target holds what a service may expect, and none of the host's own services. Each container has its
# own branch in the hierarchies where systemd-nspawn makes cgroups, or two would share one. Should the tests
# be killed, nspawn gets SIGTERM and powers the container off.
_BOOT = r"""
set -eu
scratch=$1; name=$2; shift 2
mount -t tmpfs -o mode=755 tmpfs "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" "$scratch/root"
: >"$scratch/root/etc/fstab"
tr -d - </proc/sys/kernel/random/uuid >"$scratch/root/etc/machine-id"
cat >"$scratch/root/etc/systemd/system/test.target" <<EOF
[Unit]
Requires=sysinit.target dbus.socket
After=sysinit.target dbus.socket
EOF
for hierarchy in systemd unified; do
    [ -d "/sys/fs/cgroup/$hierarchy" ] || continue
    mkdir -p "/sys/fs/cgroup/$hierarchy/$name"
    echo $$ >"/sys/fs/cgroup/$hierarchy/$name/cgroup.procs"
done
exec setpriv --pdeathsig TERM systemd-nspawn --quiet --register=no --keep-unit --machine="$name" \
    --directory="$scratch/root" --boot --console=pipe --notify-ready=yes --kill-signal=SIGRTMIN+3 "$@" \
    systemd.unit=test.target
"""


class NspawnError(Exception):
    """The container cannot be used; the text says why."""


class Nspawn:
    """One container: `boot`, then `run` and `write` as often as needed, then `stop`."""

    def __init__(self, name: str, binds: dict[Path, Path] | None = None, *, private_network: bool = True):
        """`binds` maps folders of the host to read-only places in the container."""
        self._name = f"{name}-{os.getpid()}"
        self._scratch = Path(tempfile.mkdtemp(prefix=f"{self._name}-"))
        self._arguments = [f"--bind-ro={_quoted(host)}:{place}" for host, place in (binds or {}).items()]
        self._arguments += ["--private-network"] if private_network else []
        self._process: subprocess.Popen[bytes] | None = None
        self._leader_pid = 0

    @property
    def root(self) -> Path:
        """The container's file system, seen from here."""
        return Path(f"/proc/{self._leader_pid}/root")

    @property
    def console(self) -> str:
        """What the boot has printed."""
        return (self._scratch / "console").read_text(errors="replace")

    def boot(self) -> None:
        """Return when PID 1 has reached its target. Raises NspawnError."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
                notify.bind(str(self._scratch / "notify"))
                self._process = self._start()
                self._wait_for_ready(notify)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Power off, by force if need be, and remove every trace."""
        if self._process and not _ends(self._process):
            self._process.kill()
            self._process.wait()
            if self._leader_pid:  # does not die with its nspawn
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._leader_pid, signal.SIGKILL)
        for hierarchy in ("systemd", "unified"):
            _remove_cgroup(Path("/sys/fs/cgroup") / hierarchy / self._name)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def run(
        self, *command: str, check: bool = True, timeout_s: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as root inside. Raises NspawnError with its output when it fails and `check`."""
        inside = ["nsenter", f"--target={self._leader_pid}", "--all", "--root", "--wd", "--", "env", "-i"]
        environment = ["PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SYSTEMD_PAGER=", "LANG=C.UTF-8"]
        done = subprocess.run(
            [*inside, *environment, *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        if check and done.returncode:
            raise NspawnError(f"{shlex.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file inside, with its folders."""
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        target.chmod(mode)

    def _start(self) -> subprocess.Popen[bytes]:
        mounts = self._scratch / "mounts"
        mounts.mkdir()
        unshared = ["unshare", "--mount", "--propagation=private", "sh", "-c", _BOOT, "boot"]
        with (self._scratch / "console").open("wb") as console:
            return subprocess.Popen(
                [*unshared, str(mounts), self._name, *self._arguments],
                env={**os.environ, "NOTIFY_SOCKET": str(self._scratch / "notify")},
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )

    def _wait_for_ready(self, notify: socket.socket) -> None:
        assert self._process
        notify.settimeout(POLL_S)
        deadline_s = time.monotonic() + BOOT_TIMEOUT_S
        while time.monotonic() < deadline_s:
            if self._process.poll() is not None:
                raise NspawnError(f"systemd-nspawn ended ({self._process.returncode}): {self.console}")
            with contextlib.suppress(TimeoutError):
                for line in notify.recv(4096).decode().split("\n"):
                    key, _, value = line.partition("=")
                    if key == "X_NSPAWN_LEADER_PID":
                        self._leader_pid = int(value)
                    if line == "READY=1":
                        return
        raise NspawnError(f"no boot within {BOOT_TIMEOUT_S:.0f} s: {self.console}")


def _ends(process: subprocess.Popen[bytes]) -> bool:
    """Ask nspawn to power its container off; False when it does not."""
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _remove_cgroup(branch: Path) -> None:
    """Remove an empty cgroup with its children; the kernel lets go of ended processes a moment late."""
    for folder in sorted((p for p in [branch, *branch.rglob("*")] if p.is_dir()), reverse=True):
        poll_until(partial(_rmdir, folder), f"{folder} is in use", STOP_TIMEOUT_S)


def _rmdir(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def _quoted(path: Path) -> str:
    """A path for --bind-ro=, where a colon separates."""
    return str(path).replace("\\", "\\\\").replace(":", "\\:")
