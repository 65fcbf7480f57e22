"""How one site wants its texts read."""

from __future__ import annotations

from dataclasses import dataclass

from edged.text.lexicon import NO_LEXICON, Lexicon


@dataclass(frozen=True, slots=True)
class Style:
    """Pauses after a comma where a sentence is cut and after a full stop, and the site's own words."""

    comma_ms: int = 300
    full_stop_ms: int = 600
    lexicon: Lexicon = NO_LEXICON


DEFAULT = Style()
