"""The child that converts Kokoro: `python -m edged.install.kokoro_child WEIGHTS SOURCES OUT PARENT`."""

from __future__ import annotations

from pathlib import Path

from edged.engine.kokoro.convert import KokoroSource, convert
from edged.engine.kokoro.precision import Weights
from edged.install.conversion import serve
from edged.install.kokoro import SourceLayout
from edged.io.fetch import Progress


def _convert(weights: str, sources: Path, out: Path, progress: Progress) -> None:
    layout = SourceLayout(sources)
    source = KokoroSource(
        onnx=layout.onnx, vocab=layout.vocab, voices=layout.voices, hibari_assets=layout.hibari
    )
    convert(source, out, progress, Weights(weights))


if __name__ == "__main__":
    serve(_convert)
