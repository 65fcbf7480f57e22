"""No process of edged reaches, or looks up, anybody but the broker; seen from outside, by strace."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.broker import Broker, Controller, controller
from tests.integration.running_daemon import DEVICE, EDGED

from .trace import Destination, destinations, run_traced, traced

TEXT = "Number 12, please go to counter 3."


@pytest.fixture(autouse=True)
def strace() -> None:
    """Without it nothing is proved, so its absence is a failure (check.sh installs it)."""
    assert shutil.which("strace"), "apt-get install strace"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A board's environment: no CI variable, which telemetry packages take as a reason to be silent."""
    home = tmp_path / "home"
    home.mkdir()
    return {key: value for key, value in os.environ.items() if key != "CI"} | {"HOME": str(home)}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where strace writes."""
    return tmp_path / "strace.log"


def write_config(folder: Path, engine: str, port: int) -> Path:
    """A daemon that keeps everything below `folder` and plays into nothing."""
    models = "" if engine == "tone" else f"models_dir: {installed_models()}, "
    config = folder / "edged.yaml"
    config.write_text(
        f"device: {{id: {DEVICE}}}\n"
        f"mqtt: {{host: 127.0.0.1, port: {port}}}\n"
        f'audio: {{device: "null"}}\n'
        f"speech: {{engine: {engine}}}\n"
        f"paths: {{{models}state_dir: state, cache_dir: cache, runtime_dir: run}}\n",
        encoding="utf-8",
    )
    return config


def installed_models() -> str:
    """The folder that `edged model install` has filled for this environment."""
    from edged.config.loader import load_config

    return str(load_config(None).paths.models_dir)


@contextmanager
def daemon(command: list[str], environ: dict[str, str]) -> Iterator[None]:
    """A daemon under strace, stopped as systemd would stop it."""
    with subprocess.Popen(command, env=environ, start_new_session=True) as strace:
        try:
            yield
            os.kill(only_child(strace.pid), signal.SIGTERM)
            assert strace.wait(30) == 0
        finally:
            if strace.poll() is None:
                os.killpg(strace.pid, signal.SIGKILL)


def only_child(pid: int) -> int:
    """The one process that `pid` has started."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii"))


def wait_for(client: Controller, topic: str, word: str) -> None:
    """Hear until `topic` says `word`; fails when the board falls silent."""
    while True:
        message = client.next()
        if message.topic == f"edged/{DEVICE}/{topic}" and word in message.payload.decode():
            return


@pytest.mark.parametrize("module", ["openvino", "nncf"])
def test_the_detector_sees_what_the_library_does_by_itself(
    log: Path, environ: dict[str, str], module: str
) -> None:
    """Without our block the import looks up a host: a blind detector would prove nothing below."""
    seen = run_traced(log, environ, sys.executable, "-c", f"import {module}")
    assert any(destination.port == 53 or "Resolve" in destination.address for destination in seen), seen


@pytest.mark.parametrize("module", ["openvino", "nncf"])
def test_the_block_silences_the_library(log: Path, environ: dict[str, str], module: str) -> None:
    """The same import after our block reaches nobody."""
    block = "from edged.engine.offline import block_telemetry; block_telemetry()"
    assert run_traced(log, environ, sys.executable, "-c", f"{block}; import {module}") == set()


def test_the_detector_sees_ipv6(log: Path, environ: dict[str, str]) -> None:
    """A datagram to an IPv6 address is seen, whether or not it could leave."""
    send = "import socket; socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('::1', 9))"
    seen = run_traced(log, environ, sys.executable, "-c", f"try: {send}\nexcept OSError: pass")
    assert seen == {Destination("::1", 9)}


@pytest.mark.parametrize("engine", ["tone", pytest.param("kokoro", marks=pytest.mark.model)])
def test_say_reaches_nobody(log: Path, environ: dict[str, str], tmp_path: Path, engine: str) -> None:
    """Speaking needs no network at all."""
    config = write_config(tmp_path, engine, port=1)
    wav = tmp_path / "said.wav"
    seen = run_traced(log, environ, EDGED, "say", TEXT, "--out", str(wav), "--config", str(config))
    assert wav.stat().st_size > 10_000
    assert seen == set()


@pytest.mark.broker
@pytest.mark.parametrize("engine", ["tone", pytest.param("kokoro", marks=pytest.mark.model)])
def test_the_daemon_reaches_its_broker_and_nobody_else(
    log: Path, environ: dict[str, str], tmp_path: Path, engine: str
) -> None:
    """From start over a spoken announcement to the end, all three processes."""
    with Broker(tmp_path) as broker, controller(broker) as client:
        client.subscribe(f"edged/{DEVICE}/#")
        config = write_config(tmp_path, engine, broker.port)
        with daemon(traced(log, EDGED, "run", "--config", str(config)), environ):
            wait_for(client, "state", "online")
            client.publish(f"edged/{DEVICE}/speak", json.dumps({"id": "traced", "text": TEXT}))
            wait_for(client, "result/traced", "finished")
    assert destinations(log) == {Destination(broker.host, broker.port)}
