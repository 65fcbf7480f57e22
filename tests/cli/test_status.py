"""`edged status` as a user or a script meets it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from edged.cli import status as status_module
from edged.cli.status import command
from edged.errors import DaemonUnreachableError
from edged.io.status_socket import serve_status
from edged.protocol.state import DeviceState, Health, MqttCounters, State

RESULT = {
    "id": "t1", "status": "failed", "code": "audio_lost", "reason": "[/] unplugged", "ts": 1700000000.0,
    "first_audio_ms": 180, "audio_ms": None,
}  # fmt: skip
STATE = State(state=DeviceState.ONLINE, version="1", volume=70, muted=False)
HEALTH = Health(
    ts=1.0, load=0.5, rss_mb={"main": 40.0}, temperature_c=None, thermal="nominal", queue=12, rtf=None,
    xruns=0, mqtt=MqttCounters(connects=1),
)  # fmt: skip
DOCUMENT = {
    "state": STATE.model_dump(mode="json"),
    "health": HEALTH.model_dump(mode="json"),
    "queue": [{"id": f"w{n}", "priority": "normal", "key": "[bold]", "waiting_s": 2.0} for n in range(12)],
    "results": [*({**RESULT, "id": f"older{n}"} for n in range(19)), RESULT],
}


@contextmanager
def daemon(folder: Path, document: dict[str, Any] = DOCUMENT) -> Iterator[list[str]]:
    """Something that answers like a daemon; gives the options that make `edged status` ask it."""
    config = folder / "edged.yaml"
    config.write_text("paths: {runtime_dir: run}\n")
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(serve_status(folder / "run", lambda: document))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield ["--config", str(config)]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.run_until_complete(server.wait_closed())
        loop.close()


def test_a_person_sees_state_queue_and_last_results(tmp_path: Path) -> None:
    """Words from outside are shown as they are, and a long queue leaves room for the rest."""
    with daemon(tmp_path) as options:
        result = CliRunner(env={"COLUMNS": "160"}).invoke(command, options)
    assert result.exit_code == 0
    shown = result.stdout
    assert "online" in shown
    assert "queue: 12" in shown
    assert "[bold]" in shown
    assert "and 2 more" in shown
    assert "audio_lost: [/] unplugged" in shown
    assert shown.index("t1") < shown.index("older18"), "the newest result is on top"


def test_a_script_gets_the_whole_document(tmp_path: Path) -> None:
    """As it came."""
    with daemon(tmp_path) as options:
        result = CliRunner().invoke(command, [*options, "--json"])
    assert json.loads(result.stdout) == DOCUMENT


def test_without_a_daemon_it_says_so(tmp_path: Path) -> None:
    """Whether to be shown once or live."""
    config = tmp_path / "edged.yaml"
    config.write_text("paths: {runtime_dir: run}\n")
    for more in ([], ["--json"], ["--watch"]):
        result = CliRunner().invoke(command, ["--config", str(config), *more])
        assert isinstance(result.exception, DaemonUnreachableError)


def test_watching_goes_on_over_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon is gone for a while, which is shown, and comes back; Ctrl-C ends it."""
    config = tmp_path / "edged.yaml"
    config.write_text("paths: {runtime_dir: run}\n")
    gone = DaemonUnreachableError("no daemon answers")
    answers: list[dict[str, Any] | BaseException] = [DOCUMENT, gone, DOCUMENT, KeyboardInterrupt()]

    def read(_runtime_dir: Path) -> dict[str, Any]:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(status_module, "read_status", read)
    monkeypatch.setattr(status_module, "_EVERY_S", 0.0)
    result = CliRunner(env={"COLUMNS": "160"}).invoke(command, ["--config", str(config), "--watch"])
    assert result.exit_code == 1
    assert not answers
    assert "online" in result.stdout
    assert 10 < len(result.stdout.splitlines()) <= 24, "it would not fit on a small screen"
    assert "t1" in result.stdout


def test_json_is_not_watched(tmp_path: Path) -> None:
    """A script asks again itself."""
    result = CliRunner().invoke(command, ["--json", "--watch"])
    assert result.exit_code == 2
