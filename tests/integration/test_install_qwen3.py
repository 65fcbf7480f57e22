"""`edged model install qwen3-tts-...` as a user runs it: a hub on this machine, real client and converter."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.hub_server import FakeHub, serving
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint
from tests.integration.no_phone_home.trace import run_traced
from tests.integration.running_daemon import EDGED

NAME = "qwen3-tts-0.6b-customvoice"
REPO = "Qwen/Qwen3-TTS-12Hz-0.6B-CustomVoice"
COMMIT = "5ecdb67327fd37bb2e042aab12ff7391903235d3"
LARGE = "model.safetensors"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A tiny checkpoint with random weights, in the published layout."""
    folder = write_tiny_checkpoint(tmp_path_factory.mktemp("checkpoint") / "tiny")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture
def hub(files: dict[str, bytes]) -> Iterator[FakeHub]:
    """Hugging Face with this one repository."""
    with serving(FakeHub(REPO, {COMMIT: files}, {"main": COMMIT})) as served:
        yield served


@pytest.fixture
def environ(hub: FakeHub, tmp_path: Path) -> dict[str, str]:
    """A board's environment: nothing in it makes telemetry packages keep silent by themselves."""
    (tmp_path / "home").mkdir()
    kept = {key: value for key, value in os.environ.items() if key not in ("CI", "HF_TOKEN", "HF_HOME")}
    return {
        **kept,
        "HOME": str(tmp_path / "home"),
        "HF_ENDPOINT": hub.address,
        "MODELSCOPE_ENDPOINT": hub.address,
        "no_proxy": "127.0.0.1,localhost",
    }


def test_a_checkpoint_is_fetched_converted_and_whole(
    hub: FakeHub, environ: dict[str, str], tmp_path: Path
) -> None:
    """One command makes a hub's checkpoint the active model, and talks to nobody but that hub."""
    assert shutil.which("strace"), "apt-get install strace"
    models = str(tmp_path / "my models")
    seen = run_traced(
        tmp_path / "strace.log", environ, EDGED, "model", "install", NAME, "--models-dir", models
    )
    assert {destination.port for destination in seen} == {int(hub.address.rpartition(":")[2])}
    assert {destination.address for destination in seen} <= {"127.0.0.1", "::1"}
    listed = subprocess.run(
        [EDGED, "model", "list", "--json", "--models-dir", models],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    (entry,) = json.loads(listed.stdout)["installed"]
    assert (entry["name"], entry["active"], entry["problem"]) == (NAME, True, None)
    manifest = json.loads((Path(entry["path"]) / "manifest.json").read_text(encoding="utf-8"))
    assert {source["version"] for source in manifest["sources"]} == {COMMIT}
    assert f"huggingface:{REPO}/{LARGE}" in {source["artefact"] for source in manifest["sources"]}
    verify = [EDGED, "model", "verify", NAME, "--models-dir", models]
    subprocess.run(verify, env=environ, check=True)


def test_ctrl_c_leaves_a_download_that_goes_on(hub: FakeHub, environ: dict[str, str], tmp_path: Path) -> None:
    """Ctrl-C, which the terminal sends to every process of the command, ends all of them with status 130."""
    hub.hold.add(LARGE)
    command = [EDGED, "model", "install", NAME, "--models-dir", str(tmp_path / "models")]
    with subprocess.Popen(
        command, env=environ, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as install:
        assert install.stderr is not None
        assert any(line == f"fetching {LARGE}\n" for line in install.stderr)
        os.killpg(install.pid, signal.SIGINT)
        assert install.wait(30) == 130
    with pytest.raises(ProcessLookupError):
        os.killpg(install.pid, 0)
    slot = tmp_path / "models" / NAME
    assert {path.name for path in slot.iterdir()} == {".lock", ".downloads"}
    hub.hold.clear()
    subprocess.run([*command, "--json"], env=environ, check=True, stdout=subprocess.DEVNULL)
    assert {path.name for path in slot.iterdir()} > {".lock", "active"}
