"""The lexicon of a site: a YAML file that may change while edged runs."""

from __future__ import annotations

from pathlib import Path

from edged.io.site_file import encodable, read_site_file
from edged.text.lexicon import NO_LEXICON, Lexicon, read_lexicon


def load_lexicon(file: Path) -> tuple[Lexicon, tuple[str, ...]]:
    """The good words of `file`, and every problem of it as `FILE:LINE KEY: reason`; no file: no words."""
    if not file.exists():
        return NO_LEXICON, ()
    document = read_site_file(file)
    if isinstance(document, str):
        return NO_LEXICON, (encodable(document),)
    lexicon, problems = read_lexicon(document.data)
    return lexicon, tuple(map(encodable, document.told(problems)))


class WatchedLexicon:
    """The words of a file as it is now."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: tuple[int, int] | None = None
        self._lexicon = NO_LEXICON

    def current(self) -> tuple[Lexicon, tuple[str, ...]]:
        """Its words, and what is wrong with it if it was read anew just now."""
        seen = self._stamp()
        if seen == self._seen:
            return self._lexicon, ()
        self._lexicon, problems = load_lexicon(self._file)
        self._seen = seen
        return self._lexicon, problems

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self._file.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size
