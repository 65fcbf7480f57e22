"""The stop benchmark runs from a clone, without a model; how fast it is, is not asserted here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "stop_latency.py"

pytestmark = [pytest.mark.broker, pytest.mark.alsa]


def test_stops_are_measured() -> None:
    """Three announcements are stopped, a hundred wait behind each, and the figures are in order."""
    command = [sys.executable, str(SCRIPT), "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert set(printed) == {"p95_ms", "median_ms", "worst_ms", "runs"}
    assert 0 < printed["median_ms"] <= printed["p95_ms"] <= printed["worst_ms"]
    assert printed["runs"] == 3
