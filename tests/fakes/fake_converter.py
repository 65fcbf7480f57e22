"""A converter that only copies; run as `fake_converter.py QUIRK WEIGHTS SOURCES OUT PARENT`."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

from edged.errors import BadInputError
from edged.install.conversion import serve
from edged.io.fetch import Progress


def fill_disk(path: Path) -> None:
    """Write until the disk is full, then say so the way a C++ library does."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(bytes(1_000_000)):
            pass
    raise RuntimeError("basic_ios::clear: iostream error")


def convert(weights: str, sources: Path, out: Path, progress: Progress) -> None:
    """Write `model.bin` and `voices/a.bin`, or misbehave half way as the quirk says."""
    quirk = sys.argv[1]
    content = (sources / "model.bin").read_bytes()
    (out / "voices").mkdir()
    (out / "voices/a.bin").write_bytes(content[::-1])
    (out / "weights.txt").write_text(weights)
    progress(f"half way in process {os.getpid()}", 0.5)
    if quirk == "chatty":
        print("a library that prints", flush=True)
        os.write(1, b"native code that prints\n")
    elif quirk == "crash":
        raise RuntimeError("tensor of a shape nobody expected")
    elif quirk == "refuse":
        raise BadInputError("model.bin: not a model", "fetch it again")
    elif quirk == "hang":
        signal.pause()
    elif quirk == "disk-full":
        fill_disk(out / "model.bin")
    (out / "model.bin").write_bytes(content)
    progress("done", 1.0)


if __name__ == "__main__":
    serve(convert)
