"""The composition root's own decisions."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from edged.daemon.app import run_daemon
from edged.daemon.intake import Intake
from tests.integration.broker import Broker, controller


@pytest.fixture
def root_logger() -> Iterator[None]:
    """run_daemon sets up logging for its process; here the process is shared."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


@pytest.mark.broker
@pytest.mark.usefixtures("root_logger")
def test_an_unexpected_exception_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Half a state is worth less than a restart: status 70, the reason in the log, systemd does the rest."""

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Intake, "receive", fail)
    with Broker(tmp_path) as broker, controller(broker) as client:
        config = tmp_path / "edged.yaml"
        config.write_text(
            f"device: {{id: t}}\nmqtt: {{host: {broker.host}, port: {broker.port}}}\n"
            "speech: {engine: tone}\npaths: {state_dir: s, runtime_dir: r, cache_dir: c, models_dir: m}\n"
        )
        client.publish("edged/t/speak", "hello", is_retained=True)
        assert run_daemon(config) == 70
    assert "a bug" in caplog.text
