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
    """The faster of float32 and bfloat16, of one thread and all of them. Raises EngineError without it."""

    def __init__(self, stack: ExitStack, checkpoint: Path, text: str, *, threads: int, frames: int) -> None:
        if not _PYTHON.exists():
            raise EngineError(
                f"{_PYTHON}: the reference's environment is missing", "benchmarks/setup-peers.sh --torch"
            )
        self._text = text
        children = {dtype: _start(stack, checkpoint, dtype) for dtype in _DTYPES}
        self._child, self._setting = min(
            (
                (child, {"dtype": dtype, "threads": count})
                for dtype, child in children.items()
                for count in sorted({1, threads})
            ),
            key=lambda candidate: frame_ms(self._measured(candidate[0], candidate[1], _TRIAL_FRAMES), frames),
        )
        self._frames = frames

    def measure(self) -> dict[str, Any]:
        """One round: prefill, and milliseconds per frame of each stage."""
        return self._measured(self._child, self._setting, self._frames)

    def _measured(self, child: ChildProcess, setting: dict[str, Any], frames: int) -> dict[str, Any]:
        threads = setting["threads"]
        spoken = child.ask(do="frames", text=self._text, frames=frames, threads=threads)
        vocoder = child.ask(do="vocode", frames=_VOCODER_FRAMES, repeat=1, threads=threads)
        return {
            **setting,
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
