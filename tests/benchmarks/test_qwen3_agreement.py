"""Teacher-forced comparison of networks, on a tiny checkpoint."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.qwen3_agreement import agreement, below, measure, snr_db
from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.precision import Precision
from edged.engine.runtime import CpuSettings
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[Precision, dict[str, Any]]:
    """FP32 compared with more and with fewer bits."""
    folder = write_tiny_checkpoint(tmp_path_factory.mktemp("tiny") / "checkpoint", wide_talker=True)
    checkpoint = open_checkpoint(folder)
    return {
        precision: measure(checkpoint, precision, 12, CpuSettings(threads=1), lambda what: None)
        for precision in (Precision.FP16, Precision.INT8)
    }


def test_all_layers_and_codebooks_are_reported(reports: dict[Precision, dict[str, Any]]) -> None:
    """The tiny talker has 3 layers, a frame 16 codes."""
    report = reports[Precision.INT8]
    assert len(report["layer_snr_db"]) == 3
    assert len(report["agreement"]) == len(report["logits_snr_db"]) == 16


def test_every_step_gets_what_fp32_had(reports: dict[Precision, dict[str, Any]]) -> None:
    """Float16 weights chosen at every step as FP32 did stay close; free-running would not."""
    report = reports[Precision.FP16]
    assert min(report["logits_snr_db"]) > 50
    assert min(report["agreement"]) >= 0.9


def test_fewer_bits_are_seen(reports: dict[Precision, dict[str, Any]]) -> None:
    """INT8 is further away than float16, in each layer."""
    closer, further = reports[Precision.FP16], reports[Precision.INT8]
    assert all(np.array(further["layer_snr_db"]) < np.array(closer["layer_snr_db"]) - 6)


def test_ratio_and_agreement() -> None:
    """A hundredth of the power is 20 dB down; one row of two with another best code is half."""
    exact = np.array([[3.0, 4.0], [4.0, 3.0]], np.float32)
    assert snr_db(exact, exact * np.float32(1.1)) == pytest.approx(20, abs=0.01)
    assert agreement(exact, np.array([[1.0, 2.0], [1.0, 2.0]], np.float32)) == 0.5


def test_the_gate_names_what_is_below() -> None:
    """Each layer's ratio counts by itself, agreement by its mean."""
    report = {"hidden_snr_db": 31.0, "layer_snr_db": [40.0, 30.0], "agreement": [1.0, 0.8]}
    assert below(report, {"hidden_snr_db": 31, "layer_snr_db": [40, 30], "agreement": 0.9}) == []
    assert below(report, {"hidden_snr_db": 33, "layer_snr_db": [30, 40], "agreement": 0.99}) == [
        "hidden_snr_db",
        "layer_snr_db",
        "agreement",
    ]
    assert below(report, {}) == []


def test_json_is_all_that_it_prints(tmp_path: Path) -> None:
    """Whatever the libraries have to say goes elsewhere; the size of the tiny model has no gate."""
    checkpoint = write_tiny_checkpoint(tmp_path / "checkpoint")
    script = Path(__file__).resolve().parents[2] / "benchmarks/qwen3_agreement.py"
    command = [sys.executable, str(script), str(checkpoint), "--frames", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["frames"] == 2
