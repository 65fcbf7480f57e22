"""Long sentences in parts, because what the talker remembers of an utterance grows with its length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edged.engine.qwen3.runaway import Limits

# 40 s at the slowest pace, some 15 s at an ordinary one; the talker of the 0.6B model keeps 115 kB (float16)
# or 229 kB (float32) of keys and values a frame
LONGEST_FRAMES = 500

_BOUNDARIES = (r"(?<=[.!?。！？])\s*", r"(?<=[,，、])\s*", r"(?<=\s)", r"(?<=.)")


def parts(spoken: str, longest_frames: int = LONGEST_FRAMES) -> Iterator[str]:
    """`spoken` in as few parts as need at most so many frames each, cut where it hurts least."""
    yield from _parts(spoken, longest_frames, _BOUNDARIES)


def _parts(text: str, longest_frames: int, boundaries: tuple[str, ...]) -> Iterator[str]:
    if not boundaries or _fits(text, longest_frames):
        yield text
        return
    gathered = ""
    for piece in re.split(f"({boundaries[0]})", text):
        if gathered and not _fits(gathered + piece, longest_frames):
            yield from _parts(gathered.strip(), longest_frames, boundaries[1:])
            gathered = ""
        gathered += piece
    if gathered.strip():
        yield from _parts(gathered.strip(), longest_frames, boundaries[1:])


def _fits(text: str, longest_frames: int) -> bool:
    return Limits.of_text(text).most <= longest_frames
