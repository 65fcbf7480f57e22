"""How this site's texts are read: its pauses, and its lexicon as it is now."""

from __future__ import annotations

import logging

from edged.config.schema import Config
from edged.io.lexicon import WatchedLexicon
from edged.text.lexicon import Lexicon
from edged.text.style import Style

log = logging.getLogger(__name__)


def style_of(config: Config, lexicon: Lexicon) -> Style:
    """The configured pauses and these words."""
    return Style(config.text.comma_ms, config.text.full_stop_ms, lexicon)


class HouseStyle:
    """Asked before each announcement; a word that is wrong in the lexicon is logged, and the others count."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._lexicon = WatchedLexicon(config.paths.lexicon)

    def now(self) -> Style:
        """The style of the announcement that begins now."""
        lexicon, problems = self._lexicon.current()
        for problem in problems:
            log.warning("lexicon: %s", problem)
        return style_of(self._config, lexicon)
