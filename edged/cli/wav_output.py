"""WAV files as the command line writes them."""

from __future__ import annotations

from pathlib import Path

from edged.audio import wav
from edged.engine.base import Samples
from edged.errors import StorageError


def write_wav(out: Path, samples: Samples, rate_hz: int) -> None:
    """Mono samples [n] as a 16-bit file. Raises StorageError."""
    data = wav.encode(samples, rate_hz)
    try:
        if out.exists() and not out.is_file():
            out.write_bytes(data)  # a pipe or a device, which must not be replaced by a file
        else:
            _replace(out, data)
    except OSError as error:
        raise StorageError(f"{out}: {error.strerror}", "another --out, or free space") from error


def _replace(out: Path, data: bytes) -> None:
    """An older recording stays until this one is whole."""
    unfinished = out.with_name(f".{out.name}.part")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(out)
    finally:
        unfinished.unlink(missing_ok=True)
