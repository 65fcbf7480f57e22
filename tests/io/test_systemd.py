"""sd_notify and credentials, against a real datagram socket."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from edged.errors import ConfigError
from edged.io.systemd import ServiceManager


class Listener:
    """The manager's end of NOTIFY_SOCKET."""

    def __init__(self, sock: socket.socket, address: str) -> None:
        self.sock = sock
        self.address = address

    def received(self) -> str:
        """The next message; the sender has already returned, so it is there."""
        return self.sock.recv(4096, socket.MSG_DONTWAIT).decode()


@contextmanager
def listening(address: str) -> Iterator[Listener]:
    """A socket bound as systemd binds it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind("\0" + address[1:] if address.startswith("@") else address)
        yield Listener(sock, address)


@pytest.fixture(params=["file", "abstract"])
def listener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Listener]:
    """Both kinds of socket that systemd and containers hand out."""
    name = "@edged-test-" + os.urandom(8).hex() if request.param == "abstract" else str(tmp_path / "notify")
    with listening(name) as one:
        yield one


@pytest.fixture
def manager(listener: Listener) -> ServiceManager:
    """A manager that listens."""
    return ServiceManager.from_environ({"NOTIFY_SOCKET": listener.address})


def test_each_message_has_its_assignments(manager: ServiceManager, listener: Listener) -> None:
    """The words of sd_notify(3), one assignment per line."""
    assert manager.ready("tone engine, listening")
    assert listener.received() == "READY=1\nSTATUS=tone engine, listening"
    assert manager.status("speaking 你好")
    assert listener.received() == "STATUS=speaking 你好"
    assert manager.watchdog()
    assert listener.received() == "WATCHDOG=1"
    assert manager.stopping("bye")
    assert listener.received() == "STOPPING=1\nSTATUS=bye"


def test_reloading_carries_the_monotonic_time(manager: ServiceManager, listener: Listener) -> None:
    """systemd matches a reload by its time stamp in µs of CLOCK_MONOTONIC."""
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    assert manager.reloading()
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    first, second = listener.received().split("\n")
    name, _, value = second.partition("=")
    assert (first, name) == ("RELOADING=1", "MONOTONIC_USEC")
    assert before <= int(value) <= after


def test_a_status_stays_on_one_line(manager: ServiceManager, listener: Listener) -> None:
    """A line break in a text must not become an assignment of its own."""
    manager.status("broken\nWATCHDOG=trigger\n\tpipe")
    assert listener.received() == "STATUS=broken WATCHDOG=trigger pipe"


def test_outside_systemd_nothing_is_sent() -> None:
    """Without NOTIFY_SOCKET every notification is a no-op."""
    manager = ServiceManager.from_environ({})
    assert not any([manager.ready("x"), manager.status("x"), manager.watchdog(), manager.reloading()])
    assert not manager.stopping("x")
    assert manager.credential("mqtt-password") is None


def test_a_manager_that_went_away_is_logged_not_fatal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Speech goes on without its service manager."""
    manager = ServiceManager(notify_address=str(tmp_path / "gone"))
    assert not manager.watchdog()
    assert "WATCHDOG=1" in caplog.text


def test_the_real_environment_is_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Called without arguments it reads this process's environment."""
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert ServiceManager.from_environ().credentials_dir == tmp_path


def test_a_credential_is_read_without_its_newline(tmp_path: Path) -> None:
    """Editors end files with a line break that is no part of the password; inner blanks are."""
    (tmp_path / "mqtt-password").write_text(" pass word \n", encoding="utf-8")
    manager = ServiceManager.from_environ({"CREDENTIALS_DIRECTORY": str(tmp_path)})
    assert manager.credential("mqtt-password") == " pass word "
    assert manager.credential("other") is None


def test_an_empty_credential_is_none(tmp_path: Path) -> None:
    """The unit's stand-in for a missing password file is an empty line."""
    (tmp_path / "mqtt-password").write_text("\n", encoding="utf-8")
    assert ServiceManager(credentials_dir=tmp_path).credential("mqtt-password") is None


def test_an_unreadable_credential_is_a_configuration_error(tmp_path: Path) -> None:
    """A password that cannot be read must not silently become an anonymous login."""
    (tmp_path / "mqtt-password").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder").mkdir()
    manager = ServiceManager(credentials_dir=tmp_path)
    for name in ("mqtt-password", "folder"):
        with pytest.raises(ConfigError, match=name):
            manager.credential(name)
