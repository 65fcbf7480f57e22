"""Draws the JSON of qwen3.py (standard input) as a PNG. Argument: FILE. Runs in .venv-peers (matplotlib)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib  # type: ignore[import-not-found]

matplotlib.use("agg")

from matplotlib import pyplot
from matplotlib.patches import Patch  # type: ignore[import-not-found]

_STAGES = {"talker": "#4477aa", "predictor": "#66ccee", "vocoder": "#ccbb44"}
_REAL_TIME_MS = 80


def main() -> None:
    """One bar each for the machine's limit, edged and, where it was measured, torch."""
    result: dict[str, Any] = json.load(sys.stdin)
    bars = {
        "limit of the machine": {stage: result["limit"][f"{stage}_ms"] for stage in _STAGES},
        "edged, each network alone": result["ms_per_frame"],
        "edged, a whole utterance": {"together": result["whole_ms_per_frame"]},
    }
    if "torch" in result:
        bars[f"torch {result['torch']['dtype']}"] = result["torch"]["ms_per_frame"]
    figure, axes = pyplot.subplots(figsize=(8, 0.6 * len(bars) + 1.6), layout="constrained")
    for name, stages in bars.items():
        left = 0.0
        for stage, milliseconds in stages.items():
            axes.barh(name, milliseconds, left=left, color=_STAGES.get(stage, "#228833"))
            left += milliseconds
        axes.text(left, name, f" {left:.0f}", va="center")
    real_time = axes.axvline(_REAL_TIME_MS, color="black", linestyle=":", label="real time")
    axes.invert_yaxis()
    axes.margins(x=0.08)
    axes.set_xlabel("milliseconds per frame of 80 ms")
    axes.set_title(
        f"Qwen3-TTS {result['size']}, {result['weights']}, {result['machine']['threads']:.0f} threads"
    )
    patches = [Patch(color=color, label=stage) for stage, color in _STAGES.items()]
    figure.legend(handles=[*patches, real_time], loc="outside lower center", ncols=4)
    figure.savefig(Path(sys.argv[1]), dpi=120)


if __name__ == "__main__":
    main()
