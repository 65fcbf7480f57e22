"""How one site wants its texts read."""

from __future__ import annotations

from dataclasses import dataclass

from edged.text.lexicon import NO_LEXICON, Lexicon
from edged.text.segment import MAX_CHARS


@dataclass(frozen=True, slots=True)
class Style:
    """Pauses after a comma where a sentence is cut and after a full stop, how many characters an engine takes
    at once, and the site's own words.
    """

    comma_ms: int = 300
    full_stop_ms: int = 600
    max_chars: int = MAX_CHARS
    lexicon: Lexicon = NO_LEXICON


DEFAULT = Style()
