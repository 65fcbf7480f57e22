"""The Qwen3-TTS benchmarks: they run on a tiny model, and their arithmetic is right."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchmarks import boards, qwen3_torch
from benchmarks.boards import BOARDS, predict
from benchmarks.qwen3_checkpoint import checkpoint, published_config
from benchmarks.qwen3_cost import frame_cost, limit
from benchmarks.qwen3_soak import line
from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.config import ModelConfig, SpeechTokenizerConfig
from edged.errors import EngineError
from tests.fakes.qwen3_checkpoint import tokenizer_config

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where checkpoint and model are kept between the runs."""
    return tmp_path_factory.mktemp("a work folder")


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / script), *arguments]
    environment = {"PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_every_figure_is_measured(work: Path) -> None:
    """All that the table and the page of boards need, and the limit beside it."""
    done = run("qwen3.py", "--size", "tiny", "--quick", "--json", "--work", str(work))
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    assert set(printed["ms_per_frame"]) == {"talker", "predictor", "vocoder"}
    assert {"rtf", "first_audio_s", "rss_mb", "ar_over_limit", "vocoder_vs_straight"} <= set(printed)
    assert printed["rtf"] > 0
    assert printed["limit"]["rtf"] > 0
    assert "speedup_vs_torch" not in printed


def test_a_peer_that_is_not_set_up_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that makes its environment."""
    monkeypatch.setattr(qwen3_torch, "_PYTHON", tmp_path / "nowhere")
    with ExitStack() as stack, pytest.raises(EngineError, match=r"setup-peers\.sh --torch"):
        qwen3_torch.TorchPeer(stack, tmp_path, "text", threads=2, frames=1)


def test_a_soak_prints_what_an_utterance_leaves_behind(work: Path) -> None:
    """A slope and its upper bound, in bytes."""
    done = run("qwen3_soak.py", "--utterances", "20", "--longest", "6", "--work", str(work))
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["utterances"] == 20
    assert printed["bytes_per_utterance"] <= printed["bytes_per_utterance_95"]


def test_the_line_through_a_ramp_is_the_ramp() -> None:
    """Slope and its deviation, with and without noise."""
    assert line([5.0, 7.0, 9.0, 11.0]) == pytest.approx((2.0, 0.0))
    slope, deviation = line([0.0, 1.0, 0.0, 1.0] * 50)
    assert abs(slope) < 2 * deviation


@pytest.mark.parametrize(("size", "talker_mb"), [("0.6b", 444), ("1.7b", 1416)])
def test_a_frame_costs_what_its_shapes_say(size: str, talker_mb: float) -> None:
    """62 GFLOP of vocoder a second; INT8 reads the talker once and the predictor's layers 15 times."""
    config = ModelConfig.model_validate(published_config(size))
    vocoder = SpeechTokenizerConfig.model_validate(tokenizer_config()).decoder_config
    cost = frame_cost(config, vocoder, "int8", "int8")
    assert cost.talker_mb == pytest.approx(talker_mb, rel=0.01)
    assert cost.predictor_mb == pytest.approx(1220, rel=0.03)
    assert cost.vocoder_gflop * 12.5 == pytest.approx(62, rel=0.01)
    mixed = frame_cost(config, vocoder, "int4", "int8")
    assert mixed.talker_mb == pytest.approx(cost.talker_mb * 4.125 / 8)
    assert mixed.predictor_mb == cost.predictor_mb
    bound = limit(cost, talker_gb_per_s=30, predictor_gb_per_s=40, gflop_per_s=300)
    assert bound.sum_ms == pytest.approx(talker_mb / 30 + cost.predictor_mb / 40 + 16.5, rel=0.01)


def test_a_checkpoint_is_written_once_and_is_one(work: Path) -> None:
    """The converter accepts it."""
    folder = checkpoint(work, "tiny", "base")
    written = (folder / "model.safetensors").stat().st_mtime_ns
    assert checkpoint(work, "tiny", "base") == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == written
    assert open_checkpoint(folder).config.tts_model_type == "base"


def test_the_page_of_boards_is_what_the_script_writes() -> None:
    """Nobody edits figures by hand."""
    assert (ROOT / "docs/boards.md").read_text(encoding="utf-8") == boards.page()


def test_a_faster_board_is_predicted_to_be_faster() -> None:
    """More bandwidth, more operations and fewer bits each help where they should."""
    slow, fast = (
        board for board in BOARDS if board.name == "Intel N100" and board.weights == ("int4", "int8")
    )
    assert predict(fast, "0.6b").autoregressive_ms < predict(slow, "0.6b").autoregressive_ms
    assert predict(fast, "0.6b").vocoder_ms == predict(slow, "0.6b").vocoder_ms
    assert predict(fast, "1.7b").autoregressive_ms > predict(fast, "0.6b").autoregressive_ms
