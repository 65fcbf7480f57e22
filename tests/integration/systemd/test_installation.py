"""install.sh and uninstall.sh on a whole machine: account, ownership, enabling, and back again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .conftest import CLONE, booted, borrow_environment, install
from .nspawn import Nspawn

pytestmark = pytest.mark.systemd

OFFLINE = ("--no-model", "--keep-venv")


@pytest.fixture
def machine() -> Iterator[Nspawn]:
    """A Debian that has never seen edged, but for its Python environment."""
    with booted() as machine:
        borrow_environment(machine)
        yield machine


def uninstall(machine: Nspawn, *options: str) -> str:
    """Run uninstall.sh from the clone; returns what it has printed."""
    return machine.run(f"{CLONE}/firmware_scripts/uninstall.sh", *options).stdout


def owner(machine: Nspawn, path: str) -> str:
    """`user:group mode`."""
    return machine.run("stat", "-c", "%U:%G %a", path).stdout.strip()


def exists(machine: Nspawn, *command: str) -> bool:
    """Whether a look-up such as `id edged` succeeds."""
    return machine.run(*command, check=False).returncode == 0


def test_install_makes_account_state_and_an_enabled_unit(machine: Nspawn) -> None:
    """Everything the service needs, owned by whom it must be; not started before it is configured."""
    assert "Next:" in install(machine, *OFFLINE)
    assert "audio" in machine.run("id", "-nG", "edged").stdout.split()
    assert owner(machine, "/var/lib/edged/models") == "edged:edged 755"
    assert owner(machine, "/etc/edged/edged.yaml") == "root:root 644"
    assert machine.run("systemctl", "is-enabled", "edged").stdout == "enabled\n"
    assert machine.run("systemctl", "is-active", "edged", check=False).stdout == "inactive\n"
    assert "edged" in machine.run("edged", "--version").stdout


def test_install_twice_is_install_once(machine: Nspawn) -> None:
    """The second run changes nothing and succeeds."""
    install(machine, *OFFLINE)
    assert "wrote" not in install(machine, *OFFLINE)


def test_uninstall_keeps_state_and_account(machine: Nspawn) -> None:
    """The program goes; configuration and voices stay with their owner."""
    install(machine, *OFFLINE)
    uninstall(machine)
    assert not exists(machine, "test", "-e", "/opt/edged")
    assert not exists(machine, "systemctl", "cat", "edged")
    assert owner(machine, "/var/lib/edged/models") == "edged:edged 755"
    assert exists(machine, "test", "-e", "/etc/edged/edged.yaml")


def test_purge_removes_state_and_account(machine: Nspawn) -> None:
    """Nothing is left; a second purge is done already."""
    install(machine, *OFFLINE)
    uninstall(machine, "--purge")
    for trace in ("/opt/edged", "/etc/edged", "/var/lib/edged", "/etc/sysusers.d/edged.conf"):
        assert not exists(machine, "test", "-e", trace), trace
    assert not exists(machine, "id", "edged")
    assert uninstall(machine, "--purge") == "uninstall: done\n"


def test_nothing_is_enabled_without_a_program() -> None:
    """--keep-venv on a machine without one says so, instead of leaving a service that cannot start."""
    with booted() as machine:
        done = machine.run(f"{CLONE}/firmware_scripts/install.sh", *OFFLINE, check=False)
        assert done.returncode == 1
        assert "no /opt/edged/venv/bin/edged to keep" in done.stderr
        assert not exists(machine, "systemctl", "cat", "edged")


def test_without_a_network_it_says_so(machine: Nspawn) -> None:
    """A failed download is told with what to do, and enables nothing."""
    done = machine.run(f"{CLONE}/firmware_scripts/install.sh", "--no-model", check=False, timeout_s=120)
    assert done.returncode == 1
    assert "Check the network" in done.stderr
    assert not exists(machine, "systemctl", "cat", "edged")


@pytest.mark.network
def test_install_with_an_environment_of_its_own() -> None:
    """The locked dependencies and the program, built without writing into the (read-only) clone."""
    speak = ["edged", "say", "hi", "--engine", "tone", "--out", "/var/lib/edged/hi.wav"]
    with booted(private_network=False) as machine:
        machine.run(f"{CLONE}/firmware_scripts/install.sh", "--no-model", timeout_s=600)
        machine.run("runuser", "-u", "edged", "--", *speak)
