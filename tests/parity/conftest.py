"""edged with the checkpoints the golden files are from, converted to float32 by the real converter.

Every test runs on the committed golden files (marker `parity`), and where `.venv-reference` exists also on
fresh ones from the reference itself, with other weights (marker `reference`).
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.convert import convert
from edged.engine.qwen3.precision import PRECISIONS, Weights
from tests.parity.golden import Golden
from tests.parity.speech import Speech, write_voices
from tests.reference.environment import reference_python

_ROOT = Path(__file__).resolve().parents[2]
_LIVE_SEED, _LIVE_FRAMES = 1, 32
_COMMITTED, _LIVE = "committed", "live"


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(_COMMITTED, marks=pytest.mark.parity),
        pytest.param(_LIVE, marks=pytest.mark.reference),
    ],
)
def golden(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Golden:
    """What the reference said."""
    if request.param == _COMMITTED:
        return Golden(_ROOT / "tests/golden/qwen3")
    out = tmp_path_factory.mktemp("golden")
    command = [reference_python(), str(_ROOT / "tests/reference/make_golden.py"), "--out", str(out)]
    options = ["--seed", str(_LIVE_SEED), "--frames", str(_LIVE_FRAMES)]
    made = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return Golden(out)


@pytest.fixture(scope="session")
def speech(golden: Golden, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Speech]:
    """Checkpoint name -> edged's own parts, loaded from the checkpoint's conversion."""

    @cache
    def load(name: str) -> Speech:
        folder = tmp_path_factory.mktemp(name)
        checkpoint = golden.write_checkpoint(name, folder / "checkpoint")
        model = folder / "model"
        model.mkdir()
        convert(open_checkpoint(checkpoint), model, PRECISIONS[Weights.FP32], name, lambda what, part: None)
        write_voices(model, name)
        return Speech(model)

    return load
