"""Child of kokoro.py: OpenVINO reading the published ONNX directly. Arguments: ONNX MODEL_DIR THREADS."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.child_loop import serve
from edged.engine.runtime import CpuSettings, compile_model, read_model


def main() -> None:
    """Serve until standard input closes."""
    onnx, model_dir, threads = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    request = compile_model(read_model(onnx), CpuSettings(threads)).create_infer_request()

    def speak(sentence: dict[str, Any]) -> int:
        tokens = sentence["tokens"]
        styles = np.load(model_dir / "voices" / f"{sentence['voice']}.npy", mmap_mode="r")
        outputs = request.infer(
            {
                "tokens": np.asarray([[0, *tokens, 0]], np.int64),
                "style": np.asarray(styles[len(tokens) - 1 : len(tokens)]),
                "speed": np.ones(1, np.float32),
            }
        )
        return int(outputs[0].size)

    serve(speak)


if __name__ == "__main__":
    main()
