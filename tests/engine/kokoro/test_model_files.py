"""A model folder that is whole, and all the ways it can be not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from edged.engine.kokoro.engine import KokoroEngine
from edged.engine.kokoro.model_files import ModelFiles, ModelSpec, VoiceEntry
from edged.errors import ModelUnavailableError, UnknownVoiceError

SPEC = ModelSpec(
    name="kokoro-test",
    sample_rate_hz=24_000,
    precision="int8",
    converter="1",
    generator_frames=40,
    voices=(
        VoiceEntry(name="zf_one", langs=("zh",), description="woman"),
        VoiceEntry(name="am_two", langs=("en",), description="man"),
    ),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a specification, a vocabulary and one of two voices."""
    (tmp_path / "model.json").write_text(SPEC.model_dump_json())
    (tmp_path / "vocab.json").write_text(json.dumps({"vocab": {"a": 43, "ˈ": 156}}))
    (tmp_path / "voices").mkdir()
    np.save(tmp_path / "voices/zf_one.npy", np.zeros((510, 256), np.float32))
    return tmp_path


def test_a_folder_is_read(folder: Path) -> None:
    """Voices in their order, tokens, and a style pack of 510 rows."""
    files = ModelFiles(folder)
    assert [voice.name for voice in files.voices] == ["zf_one", "am_two"]
    assert files.vocabulary == {"a": 43, "ˈ": 156}
    assert files.style_pack("zf_one").shape == (510, 256)


def test_the_first_voice_of_a_language_is_its_default(folder: Path) -> None:
    """The engine tells voices and rate without compiling anything."""
    info = KokoroEngine(folder, threads=1, cache_dir=None).info
    assert (info.default_voice("zh"), info.default_voice("en")) == ("zf_one", "am_two")
    assert (info.name, info.sample_rate_hz) == ("kokoro", 24_000)


def read_all(folder: Path) -> None:
    """Read everything that a sentence needs."""
    files = ModelFiles(folder)
    assert files.vocabulary
    files.style_pack("zf_one")


@pytest.mark.parametrize("missing", ["model.json", "vocab.json", "voices/zf_one.npy"])
def test_a_missing_file_is_named_with_the_remedy(folder: Path, missing: str) -> None:
    """Which file, and `edged model install kokoro`."""
    (folder / missing).unlink()
    with pytest.raises(ModelUnavailableError, match=missing.replace(".", r"\.")) as caught:
        read_all(folder)
    assert caught.value.hint == "edged model install kokoro"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.json", b"{"),
        ("model.json", SPEC.model_dump_json().replace('"format":1', '"format":2').encode()),
        ("vocab.json", b"[]"),
        ("vocab.json", b'{"vocab": {"a": "b"}}'),
        ("voices/zf_one.npy", b"short"),
    ],
    ids=["cut short", "newer format", "no table", "no number", "no array"],
)
def test_a_damaged_file_is_named(folder: Path, name: str, content: bytes) -> None:
    """Damage is told from absence, and the remedy is another."""
    (folder / name).write_bytes(content)
    with pytest.raises(ModelUnavailableError, match="damaged") as caught:
        read_all(folder)
    assert caught.value.hint == "edged model install kokoro --force"


def test_a_style_pack_of_another_shape_is_damage(folder: Path) -> None:
    """A pack of another model version cannot be spoken with."""
    np.save(folder / "voices/zf_one.npy", np.zeros((511, 256), np.float32))
    with pytest.raises(ModelUnavailableError, match="511"):
        ModelFiles(folder).style_pack("zf_one")


def test_an_unknown_voice_lists_the_known_ones(folder: Path) -> None:
    """The hint is the list to choose from."""
    with pytest.raises(UnknownVoiceError, match="nobody") as caught:
        ModelFiles(folder).style_pack("nobody")
    assert caught.value.hint == "one of: zf_one, am_two"
