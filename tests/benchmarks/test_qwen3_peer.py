"""The reference as the benchmark's other side, on a tiny checkpoint; how fast is not asserted here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint
from tests.reference.environment import reference_python

_ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.reference


def ask(checkpoint: Path, dtype: str, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers, without the first line that says that it is ready."""
    done = subprocess.run(
        [reference_python(), str(_ROOT / "benchmarks/qwen3_peer.py"), str(checkpoint), dtype],
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )
    assert done.returncode == 0, done.stderr
    ready, *answers = map(json.loads, done.stdout.splitlines())
    assert ready == {"ready": True}
    return answers


@pytest.mark.parametrize(
    ("dtype", "model_type"), [("fp32", "custom_voice"), ("bf16", "base"), ("fp32", "voice_design")]
)
def test_it_answers_with_times(dtype: str, model_type: str, tmp_path: Path) -> None:
    """As many frames as were asked for, whatever the weights, and a time for each stage of each model."""
    checkpoint = write_tiny_checkpoint(tmp_path / "checkpoint", model_type)
    spoken, vocoded = ask(
        checkpoint,
        dtype,
        {"do": "frames", "text": "请到三号检票口。", "frames": 40, "threads": 1},
        {"do": "vocode", "frames": 3, "repeat": 2, "threads": 1},
    )
    assert (spoken["frames"], vocoded["frames"]) == (40, 3)
    stages = [spoken["prefill_ms"], *spoken["ms_per_frame"].values(), vocoded["ms_per_frame"]]
    assert len(stages) == 4
    assert all(stage > 0 for stage in stages)
