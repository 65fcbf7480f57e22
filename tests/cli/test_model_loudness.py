"""`edged model loudness NAME [VOICE]...` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from edged.cli.model import command, install, voice_loudness
from edged.engine.loudness import shipped_lufs
from edged.engine.tone import ToneEngine
from edged.errors import BadInputError, ModelUnavailableError, UnknownVoiceError
from edged.io.loudness_file import LoudnessFile
from edged.io.model_folder import read_manifest
from edged.io.store import Store
from edged.workers.engines import LoadedEngine
from tests.fakes.installed_model import install_files

NAME = "kokoro"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store with one model, with which the tone engine speaks."""
    monkeypatch.setattr(voice_loudness, "open_engine", lambda config: LoadedEngine(ToneEngine(), NAME, None))
    store = Store(tmp_path / "my models")
    install_files(store, NAME, {"a": b"b"})
    return store


def run(store: Store, *arguments: str) -> str:
    done = CliRunner().invoke(
        command, ["loudness", *arguments, "--models-dir", str(store.models_dir)], catch_exceptions=False
    )
    assert done.exit_code == 0
    return done.stdout


def digest(store: Store) -> str:
    return read_manifest(store.path(NAME, store.active(NAME) or "")).digest


def test_the_default_voices_are_measured_and_kept(store: Store) -> None:
    """Each once, whatever number of languages it speaks; the file is where the models are."""
    measured = json.loads(run(store, NAME, "--json"))
    assert measured == {"tone": pytest.approx(shipped_lufs("tone")["tone"], abs=0.5)}
    assert LoudnessFile(store.models_dir).voices(digest(store)) == measured


def test_a_voice_can_be_named(store: Store) -> None:
    """In any capitals; a line for each."""
    lufs = shipped_lufs("tone")["tone"]
    assert run(store, NAME, "TONE") == f"tone: {lufs:.1f} LUFS\n"


def test_what_cannot_be_measured_is_an_error(store: Store) -> None:
    """An unknown voice, a model that no engine speaks with, one that is not installed; nothing is written."""
    with pytest.raises(UnknownVoiceError, match="no voice 'anna'"):
        run(store, NAME, "anna", "tone")
    install_files(store, "tiny", {"a": b"b"})
    with pytest.raises(BadInputError, match="tiny: no engine speaks with this model"):
        run(store, "tiny")
    with pytest.raises(ModelUnavailableError):
        run(store, "qwen3-tts-0.6b-base")
    assert LoudnessFile(store.models_dir).voices(digest(store)) == {}


def test_an_install_outlives_a_failed_measurement(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """The model is there: a warning says what is not known, and how to find it out."""
    install._measure_loudness(store, "qwen3-tts-0.6b-base", None)
    assert "edged model loudness qwen3-tts-0.6b-base" in capsys.readouterr().err
    install._measure_loudness(store, NAME, None)
    assert LoudnessFile(store.models_dir).voices(digest(store))
