"""The reference in PyTorch as the other side of qwen3.py."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.child_process import ChildProcess
from edged.errors import EngineError

_HERE = Path(__file__).resolve().parent
_PYTHON = _HERE.parent / ".venv-reference/bin/python"
_DTYPES = ("fp32", "bf16")
_VOCODER_FRAMES = 50  # in one call, which is how the reference is fastest
_TRIAL_FRAMES = 4  # to find out which setting is the fastest


class TorchPeer:
    """float32 and bfloat16, each with one thread or all, whichever is faster. EngineError without it."""

    def __init__(self, stack: ExitStack, checkpoint: Path, text: str, *, threads: int, frames: int) -> None:
        if not _PYTHON.exists():
            raise EngineError(
                f"{_PYTHON}: the reference's environment is missing", "benchmarks/setup-peers.sh --torch"
            )
        self._text = text
        self._frames = frames
        self._children = {dtype: _start(stack, checkpoint, dtype) for dtype in _DTYPES}
        self._threads = {dtype: self._best_threads(dtype, threads) for dtype in _DTYPES}

    def measure(self) -> list[dict[str, Any]]:
        """One round with each number type: prefill, and milliseconds per frame of each stage."""
        return [self._measured(dtype, self._threads[dtype], self._frames) for dtype in _DTYPES]

    def _best_threads(self, dtype: str, most: int) -> int:
        return min(
            {1, most}, key=lambda count: frame_ms(self._measured(dtype, count, _TRIAL_FRAMES), self._frames)
        )

    def _measured(self, dtype: str, threads: int, frames: int) -> dict[str, Any]:
        child = self._children[dtype]
        spoken = child.ask(do="frames", text=self._text, frames=frames, threads=threads)
        vocoder = child.ask(do="vocode", frames=_VOCODER_FRAMES, repeat=1, threads=threads)
        return {
            "dtype": dtype,
            "threads": threads,
            "prefill_ms": spoken["prefill_ms"],
            "ms_per_frame": {**spoken["ms_per_frame"], "vocoder": vocoder["ms_per_frame"]},
            "peak_rss_mb": spoken["peak_rss_mb"],
        }


def frame_ms(measured: dict[str, Any], frames: float) -> float:
    """Milliseconds per frame of an utterance of so many frames, which share its prefill."""
    return float(sum(measured["ms_per_frame"].values()) + measured["prefill_ms"] / frames)


def _start(stack: ExitStack, checkpoint: Path, dtype: str) -> ChildProcess:
    child = ChildProcess(f"torch {dtype}", [_PYTHON, _HERE / "qwen3_peer.py", checkpoint, dtype])
    stack.callback(child.close)
    return child
