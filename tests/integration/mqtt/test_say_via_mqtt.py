"""`edged say --via mqtt` with a real daemon behind a real broker."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.broker import WAIT_S, Broker
from tests.integration.running_daemon import DEVICE, EDGED, RunningDaemon, running_daemon

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

SILENT = "audio: {device: 'null'}\nspeech: {engine: tone}\n"
LONG = "One two three. " * 200


@pytest.fixture(params=["5", "3.1.1"])
def asking(request: pytest.FixtureRequest, tmp_path: Path, daemon: RunningDaemon) -> Path:
    """The configuration of somebody who asks in either version of the protocol."""
    config = tmp_path / "asking.yaml"
    port = daemon.broker.port
    config.write_text(f"mqtt: {{host: 127.0.0.1, port: {port}, version: '{request.param}'}}\n")
    return config


@pytest.fixture
def silent(tmp_path: Path, broker: Broker) -> Iterator[RunningDaemon]:
    """A daemon that speaks into nothing, in no time."""
    with running_daemon(tmp_path, broker, {}, SILENT) as running:
        yield running


def say(config: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [EDGED, "say", "--via", "mqtt", "--config", str(config), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=2 * WAIT_S, check=False)


def test_the_result_is_waited_for(asking: Path) -> None:
    """In MQTT 5 and 3.1.1; another board by its name."""
    done = say(asking, "--device", DEVICE, "--json", "--voice", "nobody", "Hello")
    result = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert (result["status"], result["device"]) == ("finished", DEVICE)
    assert "warning: voice_fallback: nobody" in done.stderr


def test_ctrl_c_takes_the_announcement_back(daemon: RunningDaemon, asking: Path) -> None:
    """It is cancelled, not left to speak on."""
    command = [EDGED, "say", "--via", "mqtt", "--config", str(asking), "--device", DEVICE, LONG]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asker:
        try:
            daemon.wait_stage(daemon.wait_current(), "speaking")
            asker.send_signal(signal.SIGINT)
            assert asker.wait(WAIT_S) == 130
        finally:
            asker.kill()
    daemon.wait_results(1)
    assert [result["status"] for result in daemon.results()] == ["cancelled"]


def test_the_own_daemon_is_the_default_and_a_refusal_has_a_status(silent: RunningDaemon) -> None:
    """Without --device it is the board of this configuration; the device says what is wrong."""
    done = say(silent.config, "   ")
    assert done.returncode == 65
    assert done.stdout.startswith(f"{DEVICE}: rejected (empty): ")


def test_a_device_nobody_knows_or_that_is_away_is_an_error(silent: RunningDaemon) -> None:
    """Rather than a request that is spoken some time later."""
    unknown = say(silent.config, "--device", "nowhere", "Hello")
    assert (unknown.returncode, "no device 'nowhere'" in unknown.stderr) == (69, True)
    silent.stop()
    away = say(silent.config, "Hello")
    assert (away.returncode, f"{DEVICE} is offline" in away.stderr) == (69, True)


def test_options_of_the_other_way_are_refused(silent: RunningDaemon) -> None:
    """A WAV file is not written by another board."""
    assert say(silent.config, "--out", "x.wav", "Hello").returncode == 2
