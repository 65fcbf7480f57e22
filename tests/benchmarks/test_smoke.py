"""The benchmark scripts run from a clone and print what they promise; how fast is not asserted here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

pytestmark = pytest.mark.model


def run(script: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, str(BENCHMARKS / script), "--quick", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_kokoro_compares_with_its_peers() -> None:
    """Real-time factor and memory, and both against the peers in the same run."""
    printed = run("kokoro.py")
    assert {"rtf", "rss_mb", "vs_onnx_direct", "vs_onnxruntime"} <= set(printed)
    assert all(value > 0 for value in printed.values())


def test_the_voice_is_understood() -> None:
    """A broken voice shows as errors of half the words; the gates are for twenty prompts each."""
    printed = run("intelligibility.py")
    assert set(printed) == {"zh", "en"}
    assert printed["zh"]["pinyin_err"] <= 30
    assert printed["en"]["wer"] <= 30


@pytest.mark.broker
@pytest.mark.alsa
def test_first_sample_is_heard() -> None:
    """Publish → first sample, as recorded and as reported."""
    printed = run("first_sample.py")
    assert len(printed) == 4
    assert all(row["heard_p50_ms"] > 0 and row["n"] == 1 for row in printed.values())


def test_what_cannot_be_measured_is_an_error(tmp_path: Path) -> None:
    """Exit status 1 and the reason, never a made-up figure."""
    command = [sys.executable, str(BENCHMARKS / "kokoro.py"), "--json", "--model", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert str(tmp_path) in done.stderr
