"""One emulated machine for all tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from edged.config.schema import AudioConfig, Config
from tests.integration.alsa.conftest import PlayerChild
from tests.integration.kernel.machine import DEADLINE_S, KERNEL, Machine

PlayerFactory = Callable[..., AbstractContextManager[PlayerChild]]


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    """A booted machine with the cards Loopback, Dummy and Audio, which is a USB one."""
    if shutil.which("qemu-system-x86_64") is None or not (KERNEL / "vmlinuz").exists():
        pytest.skip("no emulated machine: run tests/integration/kernel/install_emulator.sh")
    with Machine() as machine:
        yield machine


@pytest.fixture
def player(machine: Machine) -> PlayerFactory:
    """`with player("hw:CARD=Loopback") as child`: the player process inside the machine."""

    @contextmanager
    def start(device: str, **audio: object) -> Iterator[PlayerChild]:
        config = Config(audio=AudioConfig.model_validate({"device": device, **audio}))
        with machine.player(config) as channel:
            yield PlayerChild(channel, DEADLINE_S)

    return start
