"""What edged and its service manager tell each other: sd_notify(3), the watchdog, credentials.

Outside systemd every notification is a no-op and there are no credentials.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from edged.errors import ConfigError

log = logging.getLogger(__name__)

# The manager reads its socket within milliseconds unless it hangs; then we must not hang with it.
_SEND_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class ServiceManager:
    """The manager that started this process, as the environment describes it."""

    notify_address: str | None = None
    credentials_dir: Path | None = None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> ServiceManager:
        """Read NOTIFY_SOCKET and CREDENTIALS_DIRECTORY."""
        environ = os.environ if environ is None else environ
        credentials_dir = environ.get("CREDENTIALS_DIRECTORY")
        return cls(
            notify_address=environ.get("NOTIFY_SOCKET") or None,
            credentials_dir=Path(credentials_dir) if credentials_dir else None,
        )

    def ready(self, status: str) -> bool:
        """Start-up or reload has finished."""
        return self._notify("READY=1", _status(status))

    def status(self, text: str) -> bool:
        """One line for `systemctl status`."""
        return self._notify(_status(text))

    def watchdog(self) -> bool:
        """Keep-alive: everything has just been seen to work. Ignored by a manager that waits for none."""
        return self._notify("WATCHDOG=1")

    def reloading(self) -> bool:
        """A reload begins; `ready` ends it."""
        now_usec = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        return self._notify("RELOADING=1", f"MONOTONIC_USEC={now_usec}")

    def stopping(self, status: str) -> bool:
        """The end begins."""
        return self._notify("STOPPING=1", _status(status))

    def credential(self, name: str) -> str | None:
        """The credential `name` without its final newline; None when it is missing or empty.

        Raises ConfigError when it exists and cannot be read as text.
        """
        if self.credentials_dir is None:
            return None
        path = self.credentials_dir / name
        try:
            return path.read_text(encoding="utf-8").rstrip("\r\n") or None
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                [f"systemd credential {name}: {error}"],
                f"check the file behind LoadCredential={name} in `systemctl cat edged`",
            ) from error

    def credential_file(self, name: str) -> Path | None:
        """Where the credential `name` lies, for those who read files; None when it is missing or empty.

        Raises ConfigError as `credential` does.
        """
        if self.credentials_dir is None or self.credential(name) is None:
            return None
        return self.credentials_dir / name

    def _notify(self, *assignments: str) -> bool:
        """Send one message; True when the manager has taken it."""
        if self.notify_address is None:
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.settimeout(_SEND_TIMEOUT_S)
                sock.sendto("\n".join(assignments).encode(), _socket_address(self.notify_address))
        except OSError as error:
            log.warning("cannot tell systemd %s: %s", assignments[0], error)
            return False
        return True


def _socket_address(address: str) -> str:
    """`@name` is how the environment writes an abstract socket; the kernel wants a leading NUL."""
    return "\0" + address[1:] if address.startswith("@") else address


def _status(text: str) -> str:
    return "STATUS=" + " ".join(text.split())  # a line break would start another assignment
