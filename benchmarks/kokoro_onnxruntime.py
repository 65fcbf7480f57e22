"""Child of kokoro.py in .venv-peers: onnxruntime on the published ONNX. Arguments: ONNX MODEL_DIR THREADS."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

# installed in .venv-peers only
import onnxruntime  # type: ignore[import-not-found]

from benchmarks.child_loop import serve


def main() -> None:
    """Serve until standard input closes."""
    onnx, model_dir, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])

    def speak(sentence: dict[str, Any]) -> int:
        tokens = sentence["tokens"]
        styles = np.load(model_dir / "voices" / f"{sentence['voice']}.npy", mmap_mode="r")
        inputs = {
            "tokens": np.asarray([[0, *tokens, 0]], np.int64),
            "style": np.asarray(styles[len(tokens) - 1 : len(tokens)]),
            "speed": np.ones(1, np.float32),
        }
        return int(session.run(None, inputs)[0].size)

    serve(speak)


if __name__ == "__main__":
    main()
