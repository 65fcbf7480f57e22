"""install.sh and uninstall.sh below a SYSROOT: what they lay out, keep and remove."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
UNIT = "etc/systemd/system/edged.service"
EXAMPLE = "etc/edged/templates/example.yaml.txt"
CONFIG = "etc/edged/edged.yaml"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone in a folder with spaces, holding what the scripts read."""
    clone = tmp_path / "a clone of edged"
    for folder in ("firmware_scripts", "systemd", "config"):
        shutil.copytree(REPO / folder, clone / folder)
    return clone


@pytest.fixture
def sysroot(tmp_path: Path) -> Path:
    """An empty board image."""
    return tmp_path / "board image"


def script(clone: Path, name: str, *options: str, sysroot: Path | None) -> subprocess.CompletedProcess[str]:
    """Run one of the scripts, from elsewhere, as a user would."""
    environ = {key: value for key, value in os.environ.items() if key != "SYSROOT"}
    if sysroot:
        environ["SYSROOT"] = str(sysroot)
    return subprocess.run(
        [str(clone / "firmware_scripts" / name), *options],
        env=environ,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def files(sysroot: Path) -> dict[str, bytes]:
    """Every file and link below the image, with its content or target."""
    return {
        str(path.relative_to(sysroot)): path.read_bytes()
        if not path.is_symlink()
        else os.fsencode(path.readlink())
        for path in sysroot.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_the_image_gets_unit_account_configuration_and_command(clone: Path, sysroot: Path) -> None:
    """Everything a board needs that is not compiled or downloaded, and nothing else."""
    done = script(clone, "install.sh", sysroot=sysroot)
    assert done.returncode == 0, done.stderr
    assert files(sysroot) == {
        UNIT: (REPO / "systemd/edged.service").read_bytes(),
        "etc/sysusers.d/edged.conf": (REPO / "systemd/sysusers.d/edged.conf").read_bytes(),
        CONFIG: (REPO / "config/edged.yaml").read_bytes(),
        EXAMPLE: (REPO / "config/templates/example.yaml").read_bytes(),
        "usr/local/bin/edged": b"/opt/edged/venv/bin/edged",
    }
    assert (sysroot / "etc/edged/conf.d").is_dir()


def test_what_is_installed_can_be_read_by_the_service(clone: Path, sysroot: Path) -> None:
    """A private umask of the installing user does not lock the service out."""
    old = os.umask(0o077)
    try:
        assert script(clone, "install.sh", sysroot=sysroot).returncode == 0
    finally:
        os.umask(old)
    assert (sysroot / CONFIG).stat().st_mode & 0o777 == 0o644
    assert (sysroot / "etc/edged").stat().st_mode & 0o777 == 0o755


def test_a_second_run_changes_nothing(clone: Path, sysroot: Path) -> None:
    """Idempotent, and it says what it has not done again."""
    script(clone, "install.sh", sysroot=sysroot)
    before = files(sysroot)
    done = script(clone, "install.sh", sysroot=sysroot)
    assert done.returncode == 0, done.stderr
    assert files(sysroot) == before
    assert "wrote" not in done.stdout


def test_an_upgrade_keeps_the_configuration_and_renews_the_unit(clone: Path, sysroot: Path) -> None:
    """The board's own settings are the owner's, the unit is ours."""
    script(clone, "install.sh", sysroot=sysroot)
    (sysroot / CONFIG).write_text("mqtt: {host: broker}\n", encoding="utf-8")
    (sysroot / UNIT).write_text("[Service]\n", encoding="utf-8")
    done = script(clone, "install.sh", sysroot=sysroot)
    assert (sysroot / CONFIG).read_text(encoding="utf-8") == "mqtt: {host: broker}\n"
    assert (sysroot / UNIT).read_bytes() == (REPO / "systemd/edged.service").read_bytes()
    assert "kept" in done.stdout


def test_uninstall_keeps_what_the_owner_has_made(clone: Path, sysroot: Path) -> None:
    """Configuration, drop-ins, voices and journal outlive the program."""
    script(clone, "install.sh", sysroot=sysroot)
    for kept in ("var/lib/edged/models/voice", "etc/systemd/system/edged.service.d/mine.conf", "opt/other/x"):
        (sysroot / kept).parent.mkdir(parents=True)
        (sysroot / kept).write_text("", encoding="utf-8")
    (sysroot / "opt/edged/venv").mkdir(parents=True)
    done = script(clone, "uninstall.sh", sysroot=sysroot)
    assert done.returncode == 0, done.stderr
    assert not (sysroot / "opt/edged").exists()
    assert set(files(sysroot)) == {
        CONFIG,
        EXAMPLE,
        "etc/sysusers.d/edged.conf",
        "etc/systemd/system/edged.service.d/mine.conf",
        "opt/other/x",
        "var/lib/edged/models/voice",
    }


def test_purge_leaves_nothing_of_edged(clone: Path, sysroot: Path) -> None:
    """What install.sh and the service have made is gone; the rest of the board is untouched."""
    (sysroot / "etc").mkdir(parents=True)
    (sysroot / "etc/hostname").write_text("board\n", encoding="utf-8")
    script(clone, "install.sh", sysroot=sysroot)
    for made in ("var/lib/edged/journal.db", "var/cache/edged/blob"):
        (sysroot / made).parent.mkdir(parents=True)
        (sysroot / made).write_text("", encoding="utf-8")
    assert script(clone, "uninstall.sh", "--purge", sysroot=sysroot).returncode == 0
    assert files(sysroot) == {"etc/hostname": b"board\n"}


def test_uninstall_of_nothing_is_done_already(clone: Path, sysroot: Path) -> None:
    """Idempotent too."""
    sysroot.mkdir()
    done = script(clone, "uninstall.sh", "--purge", sysroot=sysroot)
    assert (done.returncode, done.stdout) == (0, "uninstall: done\n")


@pytest.mark.parametrize("name", ["install.sh", "uninstall.sh"])
def test_help_explains_and_does_nothing(clone: Path, sysroot: Path, name: str) -> None:
    """--help shows usage and examples."""
    done = script(clone, name, "--help", sysroot=sysroot)
    assert done.returncode == 0
    assert "usage:" in done.stdout
    assert "examples:" in done.stdout
    assert not sysroot.exists()


@pytest.mark.parametrize("name", ["install.sh", "uninstall.sh"])
def test_an_unknown_option_does_nothing(clone: Path, sysroot: Path, name: str) -> None:
    """A typing mistake is a usage error before anything has been touched."""
    done = script(clone, name, "--no-modle", sysroot=sysroot)
    assert done.returncode == 2
    assert "usage:" in done.stderr
    assert not sysroot.exists()


@pytest.mark.parametrize("name", ["install.sh", "uninstall.sh"])
def test_without_root_it_says_so(tmp_path: Path, name: str) -> None:
    """An ordinary user is told what to type; nothing is half done."""
    command = [f"/usr/{name}"]  # any folder this user can reach
    shown = subprocess.run(
        ["sh", "-c", (REPO / "firmware_scripts" / name).read_text(encoding="utf-8"), *command],
        preexec_fn=_become_nobody,
        cwd="/",
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shown.returncode == 1
    assert "needs root: sudo" in shown.stderr


def _become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
