"""How one site wants its texts read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from edged.text.segment import MAX_CHARS

Emoji = Literal["skip", "name"]


@dataclass(frozen=True, slots=True)
class Style:
    """Pauses after a comma where a sentence is cut and after a full stop, what becomes of emoji, and how
    many characters an engine takes at once.
    """

    comma_ms: int = 300
    full_stop_ms: int = 600
    emoji: Emoji = "skip"
    max_chars: int = MAX_CHARS


DEFAULT = Style()
