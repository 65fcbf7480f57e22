"""A model folder: what its manifest vouches for, and every way it can be damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from edged.errors import ModelUnavailableError
from edged.io.model_folder import (
    CheckpointEntry,
    Manifest,
    SourceEntry,
    describe_files,
    find_damage,
    open_model,
    write_manifest,
)

WRITTEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def manifest_for(folder: Path, created: datetime = WRITTEN) -> Manifest:
    return Manifest(
        name="tiny",
        version="1.0",
        created=created,
        licence="MIT",
        precision="int8 weights",
        sample_rate_hz=16000,
        converter_version="1",
        built_with="openvino 1",
        edged="0.1.0",
        sources=(SourceEntry(artefact="tiny-voice", version="1.0", sha256="0" * 64),),
        files=describe_files(folder),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole model folder with a nested file."""
    path = tmp_path / "tiny" / "1.0-abc"
    (path / "voices").mkdir(parents=True)
    (path / "model.bin").write_bytes(bytes(range(256)))
    (path / "voices/a.bin").write_bytes(b"style")
    write_manifest(path, manifest_for(path))
    return path


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_whole_folder_opens_with_its_manifest(folder: Path) -> None:
    """A folder that is as it was written opens, and lists its files with their sizes."""
    model = open_model(folder)
    assert (model.manifest.name, model.manifest.sample_rate_hz) == ("tiny", 16000)
    assert {name: entry.bytes for name, entry in model.manifest.files.items()} == {
        "model.bin": 256,
        "voices/a.bin": 5,
    }
    assert model.size_bytes == 261


@pytest.mark.parametrize("name", ["model.bin", "voices/a.bin"])
def test_flipped_byte_names_the_file(folder: Path, name: str) -> None:
    """One changed byte in any file refuses the model, names the file."""
    flip_a_byte(folder / name)
    with pytest.raises(ModelUnavailableError, match=f"{name}: content changed"):
        open_model(folder)


def test_missing_truncated_and_foreign_files_are_damage(folder: Path) -> None:
    """A file gone, a file cut short and a file nobody vouched for are each reported."""
    model = open_model(folder)
    (folder / "voices/a.bin").unlink()
    (folder / "model.bin").write_bytes(b"short")
    (folder / "voices/z.bin").write_bytes(b"smuggled")
    assert [str(damage) for damage in find_damage(model)] == [
        "model.bin: 5 bytes instead of 256",
        "voices/a.bin: missing",
        "voices/z.bin: not in the manifest",
    ]


def _without_sample_rate(text: str) -> str:
    data = json.loads(text)
    del data["sample_rate_hz"]
    return json.dumps(data)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda text: text[: len(text) // 2], "not a model manifest"),
        (lambda text: "[1, 2]", "not a model manifest"),
        (lambda text: "", "not a model manifest"),
        (_without_sample_rate, "sample_rate_hz: Field required"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "format"),
        (lambda text: text.replace('"MIT"', '"MIS"'), "changed since it was written"),
        (lambda text: text.replace('"bytes": 256', '"bytes": 257'), "changed since it was written"),
    ],
    ids=["cut", "a list", "empty", "field gone", "newer format", "one letter", "one digit"],
)
def test_spoilt_manifest_is_refused(folder: Path, spoil: Callable[[str], str], says: str) -> None:
    """A manifest that is not the one written refuses the model, down to a single character."""
    path = folder / "manifest.json"
    path.write_text(spoil(path.read_text()))
    with pytest.raises(ModelUnavailableError, match=says):
        open_model(folder)


def test_folder_without_manifest_is_refused(tmp_path: Path) -> None:
    """Any other folder is not a model, and the message names the file that is missing."""
    with pytest.raises(ModelUnavailableError, match=r"manifest\.json: No such file"):
        open_model(tmp_path)


def test_build_name_depends_on_content_alone(folder: Path) -> None:
    """The same content made at another time is the same build; other content is another."""
    first = manifest_for(folder)
    assert manifest_for(folder, WRITTEN + timedelta(days=1)).build == first.build
    flip_a_byte(folder / "model.bin")
    assert manifest_for(folder).build != first.build
    assert first.build.startswith("1.0-")


def test_digests_of_installed_models_stay(folder: Path) -> None:
    """A manifest that names no checkpoint is written and sealed as before there could be one."""
    manifest = manifest_for(folder)
    assert manifest.digest == "67ff0b7761cdae20c5d9cb715997163325077f8dc20deb2b74d498db1c70e366"
    assert "checkpoint" not in json.loads((folder / "manifest.json").read_text())


def test_checkpoint_is_part_of_the_seal(folder: Path) -> None:
    """Where a model comes from and how its parts are kept is read back, and cannot be changed unnoticed."""
    entry = CheckpointEntry(
        repository="somebody/voice", revision="abc", parts={"talker": "int4"}, instruction_set="AVX2"
    )
    manifest = manifest_for(folder).model_copy(update={"checkpoint": entry})
    write_manifest(folder, manifest)
    assert open_model(folder).manifest.checkpoint == entry
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace("int4", "int8"))
    with pytest.raises(ModelUnavailableError, match="digest does not match"):
        open_model(folder)
