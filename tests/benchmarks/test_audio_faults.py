"""The fault benchmark runs from a clone; how fast the device recovers is not asserted here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.fault_shim import FAULTS

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "audio_faults.py"

pytestmark = [pytest.mark.broker, pytest.mark.alsa]


def test_every_fault_is_injected() -> None:
    """Each strikes once: every announcement has one result, main answers all the time, nothing is left."""
    command = [sys.executable, str(SCRIPT), "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["injected"] == len(FAULTS)
    assert printed["one_result_each"] is True
    assert printed["left_behind"] == 0
    assert sum(printed["results"].values()) == 2 * len(FAULTS)
    assert set(printed["worst_s"]) == set(FAULTS)
    assert 0 <= printed["recovered_p95_s"] <= printed["recovered_worst_s"]
