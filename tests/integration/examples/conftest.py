"""A device that speaks tones, as fast as they can be made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.broker import Broker, Controller, controller
from tests.integration.running_daemon import RunningDaemon, running_daemon


@pytest.fixture
def device(tmp_path: Path, broker: Broker) -> Iterator[RunningDaemon]:
    """A daemon that plays into nothing."""
    with running_daemon(tmp_path, broker, {}, "audio: {device: 'null'}\nspeech: {engine: tone}\n") as running:
        yield running


@pytest.fixture
def desk(broker: Broker) -> Iterator[Controller]:
    """Somebody who listens to what the example and the device say."""
    with controller(broker) as listening:
        yield listening
