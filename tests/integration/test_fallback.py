"""The large voice cannot be used: the whole daemon goes on with a smaller one, and says so."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.clocked_sink import ClockedSink
from edged.io.store import Store
from tests.fakes.installed_model import install_files
from tests.integration.broker import Broker
from tests.integration.running_daemon import EDGED, RunningDaemon, running_daemon

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

MODELS = Path(__file__).resolve().parents[2] / "models"
NAME = "qwen3-tts-0.6b-customvoice"
QWEN3 = "speech: {engine: qwen3}\n"
Start = Callable[[str], AbstractContextManager[RunningDaemon]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a daemon in `tmp_path` with these settings."""
    with Broker(tmp_path) as broker, ClockedSink() as sink:
        yield partial(running_daemon, tmp_path, broker, sink.env)


def install_something(store: Store) -> Path:
    """A folder in the store that has the name of the large voice and a good manifest."""
    files = ("talker.bin", "predictor.bin", "model.json")
    return install_files(store, NAME, {name: b"weights of " + name.encode() for name in files})


def flip_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)


def remove(path: Path) -> None:
    path.parent.chmod(0o755)
    path.unlink()


def doctor(daemon: RunningDaemon) -> dict[str, Any]:
    command = [EDGED, "doctor", "--json", "--config", str(daemon.config)]
    report = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
    return {section["name"]: section for section in report["sections"]}


def status(daemon: RunningDaemon) -> dict[str, Any]:
    command = [EDGED, "status", "--json", "--config", str(daemon.config)]
    document: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return document


@pytest.mark.parametrize(
    ("harm", "words"),
    [(flip_a_byte, "predictor.bin: content changed"), (remove, "predictor.bin: missing")],
    ids=["flipped byte", "missing file"],
)
def test_a_damaged_large_voice_is_named_and_replaced(
    tmp_path: Path, start: Start, harm: Callable[[Path], None], words: str
) -> None:
    """Found at load; `state`, `info`, the results, `edged status` and `edged doctor` all tell it."""
    harm(install_something(Store(tmp_path / "models")) / "predictor.bin")
    with start(QWEN3) as daemon:
        info = daemon.wait_info("tone")
        state = daemon.wait_state("degraded")
        assert words in info["fallback"]
        assert words in state["reason"]
        assert "kokoro: " in state["reason"]  # nor is the small voice installed here
        assert state["reason"].endswith("tone speaks instead")
        daemon.speak("Hello", id="a", instruct="calm")
        result = daemon.result("a")
        assert (result["status"], result["voice"]) == ("finished", "tone")
        assert result["warnings"] == ["not_active: instruct", "engine_fallback: tone"]
        assert words in status(daemon)["state"]["reason"]
        seen = doctor(daemon)
        assert words in seen["model"]["findings"][0]["what"]
        assert "tones" in seen["model"]["findings"][0]["why"]
        assert (seen["daemon"]["status"], seen["model"]["status"]) == ("warn", "fail")


def test_a_reload_tries_the_configured_voice_again(tmp_path: Path, start: Start) -> None:
    """Once it is mended; here the technician chooses another engine."""
    with start(QWEN3) as daemon:
        assert f"edged model install {NAME}" in daemon.wait_info("tone")["fallback"]
        daemon.change_settings("speech: {engine: tone}\n")
        daemon.reload()
        assert daemon.wait_state("online")["reason"] == ""
        assert daemon.wait_info("tone")["fallback"] == ""


def test_a_model_of_another_engine_is_no_large_voice(tmp_path: Path, start: Start) -> None:
    """A whole folder that holds something else: named by the first file it lacks."""
    install_something(Store(tmp_path / "models"))
    with start(QWEN3) as daemon:
        assert "model.json" in daemon.wait_info("tone")["fallback"]


@pytest.mark.model
def test_the_small_voice_speaks_where_it_is_installed(tmp_path: Path, start: Start) -> None:
    """Words instead of tones, by its own default voices."""
    Store(MODELS).open_active("kokoro")  # says what to do when it is not there
    (tmp_path / "models").mkdir()
    (tmp_path / "models/kokoro").symlink_to(MODELS / "kokoro")
    with start("speech: {engine: qwen3, voice_zh: vivian}\n") as daemon:
        assert "kokoro speaks instead" in daemon.wait_info("kokoro")["fallback"]
        daemon.speak("你好", id="a")
        result = daemon.result("a")
        assert (result["status"], result["voice"]) == ("finished", "zf_xiaobei")
        assert result["warnings"] == ["engine_fallback: kokoro"]
