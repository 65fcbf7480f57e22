"""The unit file, read by the systemd it must work on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .nspawn import Nspawn

REPO = Path(__file__).parents[3]
UNIT = REPO / "systemd/edged.service"
INSTALLED_UNIT = "/etc/systemd/system/edged.service"
# Exposure in tenths. What is left comes from the network, ALSA and real time, each explained in the unit.
EXPOSURE_LIMIT = 20


def exposure_check(unit: Path, limit: int) -> subprocess.CompletedProcess[str]:
    """`systemd-analyze security` on a file."""
    command = [
        "systemd-analyze",
        "security",
        "--offline=yes",
        f"--threshold={limit}",
        "--no-pager",
        str(unit),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def complaints(container: Nspawn, unit: str) -> str:
    """What systemd says about an installed unit; it exits 0 for keys it ignores."""
    done = container.run("systemd-analyze", "verify", unit, check=False)
    return done.stdout + done.stderr


@pytest.mark.systemd
def test_systemd_understands_every_line(container: Nspawn) -> None:
    """No unknown key, no ignored value, no missing program."""
    assert complaints(container, INSTALLED_UNIT) == ""


@pytest.mark.systemd
@pytest.mark.parametrize("drop_in", sorted((REPO / "systemd/drop-ins").iterdir()), ids=lambda path: path.name)
def test_systemd_understands_every_drop_in(container: Nspawn, drop_in: Path) -> None:
    """The examples work as they are."""
    folder = "/etc/systemd/system/edged.service.d"
    container.write(f"{folder}/{drop_in.name}", drop_in.read_text(encoding="utf-8"))
    try:
        assert complaints(container, INSTALLED_UNIT) == ""
        container.run("systemctl", "daemon-reload")
        assert f"{folder}/{drop_in.name}" in container.run("systemctl", "cat", "edged").stdout
    finally:
        container.run("rm", "-r", folder)
        container.run("systemctl", "daemon-reload")


@pytest.mark.systemd
def test_the_check_sees_what_this_systemd_does_not_know(container: Nspawn) -> None:
    """An unknown type or key is only a warning to systemd, and a failure to us."""
    text = UNIT.read_text(encoding="utf-8")
    container.write("/run/systemd/system/newer.service", text.replace("WatchdogSec=", "NoSuchSec="))
    assert "NoSuchSec" in complaints(container, "/run/systemd/system/newer.service")


@pytest.mark.systemd
def test_the_sandbox_is_tight() -> None:
    """The exposure stays below its limit."""
    done = exposure_check(UNIT, EXPOSURE_LIMIT)
    assert done.returncode == 0, done.stdout


@pytest.mark.systemd
def test_the_gate_sees_a_hole(tmp_path: Path) -> None:
    """A service that keeps root's capabilities does not pass."""
    open_unit = tmp_path / "edged.service"
    text = UNIT.read_text(encoding="utf-8")
    open_unit.write_text(text.replace("CapabilityBoundingSet=\n", ""), encoding="utf-8")
    assert exposure_check(open_unit, EXPOSURE_LIMIT).returncode != 0


def test_every_directive_left_off_is_explained() -> None:
    """Who tightens the unit later must find out why a directive is missing."""
    for directive in ("MemoryDenyWriteExecute", "RestrictRealtime", "PrivateDevices", "PrivateNetwork"):
        assert any(
            line.startswith("# ") and f"{directive}=" in line
            for line in UNIT.read_text(encoding="utf-8").splitlines()
        ), directive
