"""What every test on a faked board needs."""

from __future__ import annotations

import subprocess

import pytest

from .fakesys import FakeSysfs


@pytest.fixture(scope="module", autouse=True)
def private_mounts(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where not even a user namespace may mount (some containers)."""
    command = FakeSysfs(tmp_path_factory.mktemp("probe")).command("true")
    probe = subprocess.run(command, capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(f"no private mount namespace here: {probe.stderr.strip()}")
