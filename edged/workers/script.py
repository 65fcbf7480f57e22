"""Pieces of content -> the sentences, clips and pauses they are heard as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from edged.errors import BadInputError, EdgedError, EmptyTextError
from edged.text.alphabet import HAN_RUN
from edged.text.clauses import complete, ends_at_comma
from edged.text.content import Clip, Piece, Reading, Silence, Words
from edged.text.language import sentence_lang
from edged.text.reading import read_words
from edged.text.sentence import Sentence
from edged.text.style import DEFAULT, Style

Item = Sentence | Clip | Silence

# A request is at most 256 KiB and may be wrong everywhere: a result is a few lines.
_MOST_WARNINGS = 20
_MORE = f"more_skipped: only the first {_MOST_WARNINGS} are named"
_ENDS = tuple(".!?。！？")


class Script:
    """Reads pieces, one after the other.

    A sentence has no pause of its own here: pauses are items between two of them, so that none trails
    after the last one and each sentence can be said again alone. `check_clip` raises BadInputError for
    a clip that cannot be played; it is left out.
    """

    def __init__(self, check_clip: Callable[[str], None], style: Style = DEFAULT) -> None:
        self._check_clip = check_clip
        self._style = style
        self._last: Sentence | None = None
        self._before: Words | None = None  # the words that nothing separates from the next ones
        self._clips: dict[str, bool] = {}  # name: playable
        self._warnings: dict[str, None] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was skipped so far, each once, in the order it came up."""
        return tuple(self._warnings)

    def read(self, pieces: Iterable[Piece]) -> Iterator[Item]:
        """The items of `pieces`, which follow those read before."""
        for piece in pieces:
            if isinstance(piece, Words):
                yield from self._words(piece)
            elif isinstance(piece, Silence) or self._is_playable(piece):
                self._before = None
                yield piece

    def cut(self, growing: Words) -> tuple[Words, Words]:
        """The clauses of a growing text that are complete, and the rest of it.

        A beginning that could be of any language, such as "A015,", waits for the words after it.
        """
        length = complete(growing.text)
        if growing.lang == "auto" and self._last is None and not sentence_lang(growing.text[:length]):
            length = 0
        return replace(growing, text=growing.text[:length]), replace(growing, text=growing.text[length:])

    def read_clause(self, clause: Words) -> Iterator[Item]:
        """The items of words that were cut off: after a comma the voice stays up."""
        return self._words(clause, goes_on=True)

    def nothing_heard(self) -> EdgedError:
        """The error of a job without anything to hear."""
        if self._clips:
            return BadInputError("; ".join(self.warnings))
        return EmptyTextError("; ".join(("nothing in the text can be spoken", *self.warnings)))

    def _words(self, words: Words, goes_on: bool = False) -> Iterator[Item]:
        spoken = read_words(replace(words, lang=self._reading(words)), self._style)
        self._warn(*spoken.warnings)
        sentences = list(spoken.sentences)
        if not sentences:
            return
        if goes_on and ends_at_comma(words.text):
            sentences[-1] = _with_comma(sentences[-1])
        pause_ms = self._pause_before(words)
        for sentence in sentences:
            if pause_ms:
                yield Silence(pause_ms)
            yield replace(sentence, pause_ms=0)
            pause_ms = sentence.pause_ms
        self._before, self._last = words, sentences[-1]

    def _pause_before(self, words: Words) -> int:
        """A code between words is part of their sentence, unless that has ended."""
        if self._before is None or self._last is None:
            return 0
        is_code_within = self._before.how != words.how and not self._last.spoken.endswith(_ENDS)
        goes_on = is_code_within or ends_at_comma(self._before.text)
        return self._style.comma_ms if goes_on else self._style.full_stop_ms

    def _reading(self, words: Words) -> Reading:
        """Text without a clue to its language follows the sentence before."""
        if words.lang == "auto" and self._last and not sentence_lang(words.text):
            return self._last.lang
        return words.lang

    def _is_playable(self, clip: Clip) -> bool:
        if clip.name not in self._clips:
            try:
                self._check_clip(clip.name)
                self._clips[clip.name] = True
            except BadInputError as error:
                self._clips[clip.name] = False
                self._warn(f"clip_skipped: {clip.name}: {error.what}")
        return self._clips[clip.name]

    def _warn(self, *warnings: str) -> None:
        for warning in warnings:
            if warning not in self._warnings:
                self._warnings[warning if len(self._warnings) < _MOST_WARNINGS else _MORE] = None


def _with_comma(sentence: Sentence) -> Sentence:
    comma = "，" if HAN_RUN.fullmatch(sentence.spoken[-1]) else ","
    return replace(sentence, spoken=sentence.spoken + comma)
