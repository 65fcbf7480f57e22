"""Child of kokoro.py: edged's engine, text to samples. Arguments: MODEL_DIR THREADS."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchmarks.child_loop import serve
from edged.engine.base import SynthJob
from edged.engine.kokoro.engine import KokoroEngine
from edged.text.sentence import Sentence


def main() -> None:
    """Serve until standard input closes."""
    engine = KokoroEngine(Path(sys.argv[1]), threads=int(sys.argv[2]), cache_dir=None)
    engine.warm_up()

    def speak(request: dict[str, Any]) -> int:
        lang = request["lang"]
        sentence = Sentence(lang, request["spoken"], 0)
        job = SynthJob("benchmark", (sentence,), {lang: request["voice"]})
        return sum(len(chunk.samples) for chunk in engine.synthesize(job))

    serve(speak)


if __name__ == "__main__":
    main()
