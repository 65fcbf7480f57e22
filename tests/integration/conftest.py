"""A broker, a card that keeps time, and a daemon on it or on files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.clocked_sink import ClockedSink
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

# synthesis is held back to 2 s ahead of playback, so that a long text keeps both children busy
TONE = "speech: {engine: tone, max_ahead_s: 2}\n"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """It remembers sessions and retained messages across a restart."""
    with Broker(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def sink() -> Iterator[ClockedSink]:
    """A sound card that keeps time and can be heard."""
    with ClockedSink() as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path, broker: Broker, sink: ClockedSink) -> Iterator[RunningDaemon]:
    """A daemon that plays tones in real time."""
    with running_daemon(tmp_path, broker, sink.env, TONE) as running:
        yield running


@pytest.fixture
def recorded(tmp_path: Path, broker: Broker) -> Iterator[RunningDaemon]:
    """A daemon that plays tones into WAV files, one an announcement, faster than real time."""
    heard = tmp_path / "heard.wav"
    # ALSA_CONFIG_PATH takes a space for the end of a name, and tests run in any folder
    with tempfile.TemporaryDirectory(dir="/tmp") as plain:
        asound = Path(plain) / "asound.conf"
        asound.write_text(
            "pcm.silence { type null }\n"
            f'pcm.!default {{ type file slave.pcm silence file "{heard}" format wav truncate false }}\n'
        )
        with running_daemon(tmp_path, broker, {"ALSA_CONFIG_PATH": str(asound)}, TONE) as running:
            yield running
