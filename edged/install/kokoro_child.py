"""The child process that converts Kokoro: `python -m edged.install.kokoro_child SOURCES OUT PARENT`."""

from __future__ import annotations

from pathlib import Path

from edged.engine.kokoro.convert import KokoroSource, convert
from edged.install.conversion import serve
from edged.install.kokoro import SourceLayout
from edged.io.fetch import Progress


def _convert(sources: Path, out: Path, progress: Progress) -> None:
    layout = SourceLayout(sources)
    source = KokoroSource(
        onnx=layout.onnx, vocab=layout.vocab, voices=layout.voices, hibari_assets=layout.hibari
    )
    convert(source, out, progress)


if __name__ == "__main__":
    serve(_convert)
