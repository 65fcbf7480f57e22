"""The name of this board on the broker."""

from __future__ import annotations

import hashlib
import re
import socket
from pathlib import Path

from edged.config.schema import Config

MACHINE_ID = Path("/etc/machine-id")
_DIGITS = 8  # of 32 bits: two of a hundred boards share a name once in a million sites


def device_name(config: Config, machine_id: Path = MACHINE_ID) -> str:
    """The configured device id, else one made of the machine id, else the host name as a topic level.

    The machine id itself is confidential (machine-id(5)), so it is hashed.
    """
    if config.device.id:
        return config.device.id
    try:
        machine = machine_id.read_bytes().strip()
    except OSError:
        machine = b""
    if re.fullmatch(rb"[0-9a-f]{32}", machine):  # an image is shipped with an empty one, or "uninitialized"
        return f"edged-{hashlib.sha256(machine + b'edged').hexdigest()[:_DIGITS]}"
    return re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())[:64] or "edged"
