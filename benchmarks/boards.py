"""What Qwen3-TTS is to be expected to do on a CPU: arithmetic on published figures, and what was measured.

Writes docs/boards.md. Predictions use nothing that was measured, measurements come from benchmarks/results.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.qwen3_checkpoint import published_config
from benchmarks.qwen3_cost import frame_cost, limit
from edged.engine.qwen3.config import ModelConfig, SpeechTokenizerConfig
from tests.fakes.qwen3_checkpoint import tokenizer_config

_ROOT = Path(__file__).resolve().parent.parent
_RESULTS = _ROOT / "benchmarks/results"
_PAGE = _ROOT / "docs/boards.md"

# of the published figures: programs that read memory get about three quarters of its bandwidth, convolutions
# about half of the peak
_BANDWIDTH_SHARE, _PEAK_SHARE = 0.75, 0.5
_PROMPT_ROWS = 40  # twenty Chinese characters with what stands around them
_FIRST_FRAME_FACTOR = 1.7  # one frame alone costs the vocoder as much more as one of eight
# interpreter, OpenVINO, tokenizer, activations, and 0.1 GB for what OpenVINO notes about the predictor's
# thousands of operations
_PROGRAM_MB = 370


@dataclass(frozen=True, slots=True)
class Board:
    """A CPU with its memory, as published; `ghz` is what all cores are assumed to keep up.

    `flop_per_cycle` of one core in float32, `int8_factor` how many times faster its 8-bit products are.
    """

    name: str
    memory: str
    gb_per_s: float
    cores: int
    ghz: float
    flop_per_cycle: int
    int8_factor: float
    weights: tuple[str, str]
    isa: str

    @property
    def gflop_per_s(self) -> float:
        """Float32 peak of all cores."""
        return self.cores * self.ghz * self.flop_per_cycle


_INT8, _MIXED, _W8A8 = ("int8", "int8"), ("int4", "int8"), ("w8a8", "w8a8")
_NAMES = {_INT8: "int8", _MIXED: "mixed", _W8A8: "w8a8"}
# Gracemont: two 128-bit FMA a cycle. Tremont: SSE, one multiplication and one addition of 128 bits, no FMA.
# Golden Cove: two FMA of 256 bits. Willow Cove: one FMA of 512 bits. Ice Lake server: two of 512.
BOARDS = (
    Board("Intel N100", "1 × DDR4-3200", 25.6, 4, 2.9, 16, 4, _MIXED, "AVX2, AVX-VNNI"),
    Board("Intel N100", "1 × DDR5-4800", 38.4, 4, 2.9, 16, 4, _INT8, "AVX2, AVX-VNNI"),
    Board("Intel N100", "1 × DDR5-4800", 38.4, 4, 2.9, 16, 4, _MIXED, "AVX2, AVX-VNNI"),
    Board("Intel N95", "1 × DDR4-3200", 25.6, 4, 3.0, 16, 4, _MIXED, "AVX2, AVX-VNNI"),
    Board("Celeron N5105", "2 × DDR4-2933", 46.9, 4, 2.6, 8, 2, _W8A8, "SSE4.2"),
    Board("Core i5-12400", "2 × DDR4-3200", 51.2, 6, 4.0, 32, 4, _INT8, "AVX2, AVX-VNNI"),
    Board("Core i7-1165G7", "2 × LPDDR4X-4266", 68.3, 4, 3.3, 32, 4, _INT8, "AVX-512 VNNI"),
    Board("Xeon Silver 4310", "8 × DDR4-2666", 170.6, 12, 2.1, 64, 4, _INT8, "AVX-512 VNNI"),
)


@dataclass(frozen=True, slots=True)
class Prediction:
    """Milliseconds per frame of 80 ms, real-time factors, first audio and memory of a model on a board."""

    autoregressive_ms: float
    vocoder_ms: float
    first_audio_ms: float
    memory_mb: float

    @property
    def rtf_in_turn(self) -> float:
        """Vocoder and the rest one after the other."""
        return (self.autoregressive_ms + self.vocoder_ms) / 80

    @property
    def rtf_overlapped(self) -> float:
        """One hides behind the other entirely, which is the best overlapping can do."""
        return max(self.autoregressive_ms, self.vocoder_ms) / 80


def predict(board: Board, size: str) -> Prediction:
    """What the board makes of a model of this size."""
    config = ModelConfig.model_validate(published_config(size))
    vocoder = SpeechTokenizerConfig.model_validate(tokenizer_config()).decoder_config
    cost = frame_cost(config, vocoder, *board.weights)
    read_gb_per_s, gflop_per_s = _BANDWIDTH_SHARE * board.gb_per_s, _PEAK_SHARE * board.gflop_per_s
    frame = limit(
        cost, talker_gb_per_s=read_gb_per_s, predictor_gb_per_s=read_gb_per_s, gflop_per_s=gflop_per_s
    )
    # a product over a whole prompt is bound by arithmetic: 8 bits a weight, two operations
    prompt_gflop = 2 * _PROMPT_ROWS * cost.talker_weights / 1e9
    prefill_ms = max(frame.talker_ms, 1000 * prompt_gflop / (board.int8_factor * gflop_per_s))
    first_ms = prefill_ms + frame.autoregressive_ms + _FIRST_FRAME_FACTOR * frame.vocoder_ms
    return Prediction(frame.autoregressive_ms, frame.vocoder_ms, first_ms, cost.resident_mb + _PROGRAM_MB)


def advice(prediction: Prediction) -> str:
    """Which engine a board gets."""
    if prediction.rtf_in_turn <= 0.9:
        return "Qwen3-TTS, live"
    if prediction.rtf_overlapped <= 0.9:
        return "Kokoro; Qwen3-TTS live if `benchmarks/qwen3.py` measures below 0.9 there"
    return "Kokoro live; Qwen3-TTS only for what is synthesised beforehand"


def page() -> str:
    """docs/boards.md."""
    return "\n".join([_HEAD, *_predicted("0.6b"), "", *_predicted("1.7b"), _BETWEEN, *_measured(), ""])


def _predicted(size: str) -> list[str]:
    return [
        f"### Predicted, {size.upper()}",
        "",
        _row(
            "CPU, memory",
            "instruction set",
            "weights",
            "AR + vocoder, ms a frame",
            "RTF in turn",
            "RTF overlapped at best",
            "first audio",
            "RAM",
            "engine",
        ),
        _row(*["---"] * 9),
        *(_predicted_row(board, predict(board, size)) for board in BOARDS),
    ]


def _predicted_row(board: Board, p: Prediction) -> str:
    return _row(
        f"{board.name}, {board.memory}",
        board.isa,
        _NAMES[board.weights],
        f"{p.autoregressive_ms:.0f} + {p.vocoder_ms:.0f}",
        f"{p.rtf_in_turn:.2f}",
        f"{p.rtf_overlapped:.2f}",
        f"{p.first_audio_ms / 1000:.2f} s",
        f"{p.memory_mb / 1000:.1f} GB",
        advice(p),
    )


def _measured() -> list[str]:
    results = sorted(_RESULTS.glob("qwen3-*.json"))
    return [
        _row(
            "run",
            "size, weights",
            "talker + predictor + vocoder, ms",
            "RTF",
            "limit of the machine, RTF",
            "first audio",
            "RSS",
            "times torch",
        ),
        _row(*["---"] * 8),
        *(_measured_row(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in results),
    ]


def _measured_row(name: str, result: dict[str, Any]) -> str:
    return _row(
        name,
        f"{result['size'].upper()}, {result['weights']}",
        " + ".join(f"{result['ms_per_frame'][stage]:.0f}" for stage in ("talker", "predictor", "vocoder")),
        f"{result['rtf']:.2f}",
        f"{result['limit']['rtf']:.2f}",
        f"{result['first_audio_s']:.2f} s",
        f"{result['rss_mb'] / 1000:.2f} GB",
        _times_torch(result),
    )


def _times_torch(result: dict[str, Any]) -> str:
    kinds = result.get("torch", {}).get("rtf_by_dtype", {})
    return ", ".join(f"{rtf / result['rtf']:.1f} ({dtype})" for dtype, rtf in kinds.items()) or "-"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


_HEAD = """\
# Which engine for which board

Written by `.venv/bin/python benchmarks/boards.py`. Qwen3-TTS makes 12.5 frames of codes a second; the
real-time factor (RTF) is seconds of work per second of speech, vocoder included. Live speech needs less than
1, with some room.

## Predicted

Nobody has measured these boards yet. The figures follow from published numbers of each CPU (memory
bandwidth, cores, float32 operations per cycle) and from what a frame costs by its shapes: the weights of the
talker once, those of the code predictor fifteen times (together: AR), and 4.96 GFLOP of vocoder. Assumed, not
published, are three quarters of the bandwidth, half of the peak, the clock that all cores keep up and how
much faster than float32 the 8-bit products of a prompt are. The truth lies between *in turn* and *overlapped
at best*; on two cores overlapping gained nothing that could be measured.
"""
_BETWEEN = """
What decides: the weights must come from memory for every frame, so boards with one memory channel are slow
however many cores they have, and the 1.7B model, with three times the talker, is for desktop CPUs. Boards
without AVX2 (N5105) get W8A8 weights, because OpenVINO unpacks weight-only INT8 to float32 there, four times
the memory; they are not for live speech. Kokoro (82M parameters, RTF 0.24 on two AVX-512 cores,
docs/adr/003) is the voice for those.

## Measured

By `.venv/bin/python benchmarks/qwen3.py --size 0.6b --weights int8 --peer torch --json` and the like, on
2026-11-30; random weights in the published shapes; each row is a file of `benchmarks/results/`. `avx512` is a
virtual machine of two cores with AVX-512 VNNI and BF16; features of that CPU cannot be hidden, so nothing
stands here for an N100. *Limit* is computed from the read bandwidth and the float32 peak measured in the same
run. *Times torch*: how many times as fast as the reference, in float32 and, which an N100 has no instructions
for, in bfloat16.

![Milliseconds per frame: the machine's limit, edged, torch](img/qwen3-0.6b-int8.png)
"""


@click.command()
@click.option("--check", is_flag=True, help="Only tell (exit status 1) whether the page is out of date.")
def command(check: bool) -> None:
    """Write docs/boards.md.

    \b
    Example:
      .venv/bin/python benchmarks/boards.py
    """
    if check:
        raise SystemExit(_PAGE.read_text(encoding="utf-8") != page())
    _PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    command()
