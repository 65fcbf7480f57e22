"""The name of a board on the broker."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from edged.config.schema import Config
from edged.daemon.identity import device_name


def test_a_configured_device_id_is_used(tmp_path: Path) -> None:
    """What the technician has named it."""
    assert device_name(Config.model_validate({"device": {"id": "lobby"}}), tmp_path / "none") == "lobby"


def test_boards_of_one_host_name_differ(tmp_path: Path) -> None:
    """The name comes from the machine id, always the same one, and does not give that away."""
    names = []
    for machine in ("0123456789abcdef" * 2, "fedcba9876543210" * 2, "0123456789abcdef" * 2):
        (tmp_path / "machine-id").write_text(f"{machine}\n")
        names.append(device_name(Config(), tmp_path / "machine-id"))
    assert names == ["edged-7ca61f76", "edged-cd85e771", "edged-7ca61f76"]


@pytest.mark.parametrize("content", [None, "", "uninitialized\n", "\xff"])
@pytest.mark.parametrize(
    ("host", "device"),
    [("board-1", "board-1"), ("halle 3/links", "halle-3-links"), ("x" * 80, "x" * 64), ("", "edged")],
)
def test_without_a_machine_id_the_host_name_serves(
    content: str | None, host: str, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any host name gives a legal topic level; an image that was never booted has no machine id."""
    monkeypatch.setattr(socket, "gethostname", lambda: host)
    if content is not None:
        (tmp_path / "machine-id").write_text(content, encoding="latin-1")
    assert device_name(Config(), tmp_path / "machine-id") == device
