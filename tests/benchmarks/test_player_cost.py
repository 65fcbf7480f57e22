"""The benchmark of the player's cost, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.alsa

_DEADLINE_S = 60.0  # it takes ten
SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "player_cost.py"


def test_the_players_cost_is_measured() -> None:
    """Some CPU and memory, and speech without a stall; the figures themselves depend on the machine."""
    command = [sys.executable, str(SCRIPT), "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_DEADLINE_S)
    printed = json.loads(done.stdout)
    assert 0 < printed["cpu_percent"] < 100
    assert printed["rss_mb"] > 0
    assert printed["stalls"] == 0
