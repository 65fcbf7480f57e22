"""The benchmark of a bank's call runs from a clone; how soon it is heard is not asserted here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "bank_call.py"


@pytest.mark.broker
@pytest.mark.alsa
def test_a_call_and_its_tone_keep_to_their_time() -> None:
    """On the recording: a bell that rings longer than there is time, and 1.6 s of words, in 2 s."""
    command = [sys.executable, str(BENCHMARK), "--quick", "--json", "--chime", "ding"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["n"], 1900 < figures["heard_max_ms"] <= 2000) == (1, True)
    assert figures["last_max_ms"] > figures["heard_max_ms"]
