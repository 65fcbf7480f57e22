"""A container with edged installed as install.sh installs it, its Python packages borrowed from here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .nspawn import Nspawn

REPO = Path(__file__).parents[3]
CLONE = Path("/mnt/clone")
PACKAGES = Path("/mnt/packages")
VENV = "/opt/edged/venv"

# Sine tones on a sound card that takes everything at once; the broker is the container's own.
CONFIG = """
device: {id: board}
audio: {device: "null"}
speech: {engine: tone}
"""


@pytest.fixture(scope="session")
def container() -> Iterator[Nspawn]:
    """A booted Debian with edged installed and not started."""
    with booted() as container:
        borrow_environment(container)
        container.write("/etc/edged/edged.yaml", CONFIG)
        install(container, "--no-model", "--keep-venv")
        yield container


@contextmanager
def booted(*, private_network: bool = True) -> Iterator[Nspawn]:
    """A container that can read this clone; skips the test where containers cannot work."""
    _skip_where_it_cannot_work()
    binds = {REPO: CLONE, Path(sysconfig.get_path("purelib")): PACKAGES}
    container = Nspawn("edged-test", binds, private_network=private_network)
    container.boot()
    try:
        yield container
    finally:
        container.stop()


def install(container: Nspawn, *options: str) -> str:
    """Run install.sh from the clone; returns what it has printed."""
    return container.run(f"{CLONE}/firmware_scripts/install.sh", *options).stdout


def borrow_environment(container: Nspawn) -> None:
    """The Python environment install.sh would download: the same packages, and the program as it is here.

    Both are where the service user may read them, whatever the folder of this clone allows.
    """
    container.run("/usr/bin/python3", "-m", "venv", "--without-pip", VENV)
    shown = container.run(
        f"{VENV}/bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"
    )
    purelib = shown.stdout.strip()
    container.write(f"{purelib}/borrowed.pth", f"{PACKAGES}\n")
    shutil.copytree(REPO / "edged", container.root / purelib.lstrip("/") / "edged")
    container.run("chmod", "-R", "a+rX", purelib)
    program = f"#!{VENV}/bin/python\nfrom edged.cli.main import main\nmain()\n"
    container.write(f"{VENV}/bin/edged", program, mode=0o755)


def _skip_where_it_cannot_work() -> None:
    if os.geteuid() != 0:
        pytest.skip("systemd-nspawn needs root")
    if shutil.which("systemd-nspawn") is None:
        pytest.skip("systemd-nspawn is not installed (Debian: systemd-container)")
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("this root may not mount (an unprivileged container)")
