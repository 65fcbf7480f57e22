"""Long sentences in parts, because what the talker remembers of an utterance grows with its length."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from edged.engine.qwen3.runaway import MARGIN_FRAMES, Limits

# 40 s at the slowest pace, some 15 s at an ordinary one; the talker of the 0.6B model keeps 115 kB (float16)
# or 229 kB (float32) of keys and values a frame
LONGEST_FRAMES = 500

# always before a letter or a syllable: a mark alone would be a text without a sound
_BOUNDARIES = (
    r"(?<=[.!?。！？])\s*(?=\w)",
    r"(?<=[,，、])\s*(?=\w)",
    r"(?<=\s)(?=\w)",
    r"(?<=.)(?=\w)",
)


def parts(spoken: str, longest_frames: int = LONGEST_FRAMES) -> Iterator[str]:
    """`spoken` in as few parts as need at most so many frames each, about alike, cut where it hurts least.

    Each has something to speak in it, if `spoken` has. Only marks without end can make one longer.
    """
    most = Limits.of_text(spoken).most
    count = math.ceil(most / longest_frames)
    even_frames = math.ceil(most / count) + MARGIN_FRAMES
    yield from _parts(spoken, min(even_frames, longest_frames), _BOUNDARIES)


def _parts(text: str, longest_frames: int, boundaries: tuple[str, ...]) -> Iterator[str]:
    if not boundaries or _fits(text, longest_frames):
        yield text
        return
    gathered = ""
    for piece in re.split(f"({boundaries[0]})", text):
        if _speaks(gathered) and _speaks(piece) and not _fits(gathered + piece, longest_frames):
            yield from _parts(gathered.strip(), longest_frames, boundaries[1:])
            gathered = ""
        gathered += piece
    if gathered.strip():
        yield from _parts(gathered.strip(), longest_frames, boundaries[1:])


def _fits(text: str, longest_frames: int) -> bool:
    return Limits.of_text(text).most <= longest_frames


def _speaks(text: str) -> bool:
    return re.search(r"\w", text) is not None
