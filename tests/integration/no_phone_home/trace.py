"""Runs a program under strace and says whom it, or any child of it, tried to reach."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.1")}, 16)
_IPV4 = re.compile(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)')
# connect(3, {sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28)
_IPV6 = re.compile(r'sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"')
# systemd-resolved answers look-ups over this socket instead of port 53.
_RESOLVER = re.compile(r'sun_path="([^"]*io\.systemd\.Resolve[^"]*)"')
_OUTGOING = re.compile(r"^(?:\d+ +)?(?:connect|sendto|sendmsg|sendmmsg)\(")


@dataclass(frozen=True, slots=True)
class Destination:
    """Somebody a process tried to reach; a name look-up is one (port 53, or a resolver's socket)."""

    address: str
    port: int = 0


def traced(log: Path, *command: str) -> list[str]:
    """The argument list that runs `command` and its children with their network calls written to `log`."""
    calls = ["-e", "trace=connect,sendto,sendmsg,sendmmsg"]
    return ["strace", "-f", "--seccomp-bpf", "-qq", *calls, "-s", "64", "-o", str(log), "--", *command]


def destinations(log: Path) -> set[Destination]:
    """Everybody whom the traced processes tried to reach over IP, or asked to resolve a name."""
    found = set()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if not _OUTGOING.match(line):
            continue
        for pattern in (_IPV4, _IPV6):
            found |= {Destination(address, int(port)) for port, address in pattern.findall(line)}
        found |= {Destination(path) for path in _RESOLVER.findall(line)}
    return found


def run_traced(log: Path, environ: Mapping[str, str], *command: str) -> set[Destination]:
    """Run `command` to its successful end and return whom it tried to reach."""
    subprocess.run(
        traced(log, *command), env=dict(environ), check=True, timeout=120, stdout=subprocess.DEVNULL
    )
    return destinations(log)
