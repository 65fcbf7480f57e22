"""WAV files from disk."""

from __future__ import annotations

from pathlib import Path

from edged.audio import wav
from edged.errors import BadInputError

MAX_WAV_BYTES = 256 * 1024 * 1024  # 23 minutes of CD-like stereo: no announcement, and it fits in memory


def read_wav(path: Path) -> wav.Wav:
    """The sound in a file. Raises BadInputError that names the file."""
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_WAV_BYTES else b""
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}", "the path of a WAV file") from error
    if size > MAX_WAV_BYTES:
        limit = f"the limit is {MAX_WAV_BYTES // 2**20} MiB"
        raise BadInputError(f"{path}: {size // 2**20} MiB; {limit}", "cut it into parts")
    try:
        return wav.decode(data)
    except BadInputError as error:
        raise BadInputError(f"{path}: {error.what}", error.hint) from error
