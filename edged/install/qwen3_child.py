"""The child that converts Qwen3-TTS: `python -m ...qwen3_child NAME PRECISIONS CHECKPOINT OUT PARENT`."""

from __future__ import annotations

from pathlib import Path

from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.convert import convert, drop_unfinished, missing_bytes
from edged.engine.qwen3.precision import Precisions
from edged.install.child import serve
from edged.io.disk import require_space
from edged.io.fetch import Progress


def _convert(arguments: list[str], progress: Progress) -> None:
    name, words, folder, out = arguments
    checkpoint, precisions, model = open_checkpoint(Path(folder)), Precisions.parse(words), Path(out)
    require_space(model, missing_bytes(checkpoint, precisions, model))
    try:
        convert(checkpoint, model, precisions, name, progress)
    except (OSError, RuntimeError):  # each library has words of its own for a full disk
        drop_unfinished(model)
        require_space(model, missing_bytes(checkpoint, precisions, model))
        raise


if __name__ == "__main__":
    serve(_convert)
