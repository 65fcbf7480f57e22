"""`edged doctor` as another process."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import psutil
import pytest

from edged.daemon.examination import examine
from edged.errors import EdgedError


def test_it_finds_what_the_command_line_finds(tmp_path: Path) -> None:
    """A broken configuration ends it without a report, and that is told."""
    config = tmp_path / "edged.yaml"
    config.write_text("speech: {engine: tine}\n")
    with pytest.raises(EdgedError, match="status 78 and no report"):
        asyncio.run(examine(config))


def test_one_that_hangs_is_ended(tmp_path: Path) -> None:
    """This one waits for ever for somebody who writes its configuration; it is not left behind."""
    config = tmp_path / "edged.yaml"
    os.mkfifo(config)
    with pytest.raises(EdgedError, match="did not end within"):
        asyncio.run(examine(config, timeout_s=0.0))
    assert not [child for child in psutil.Process().children() if str(config) in child.cmdline()]
