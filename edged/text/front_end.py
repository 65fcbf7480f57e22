"""The text front end: a list of small passes from any string to sentences an engine can speak."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from edged.text import rules
from edged.text.clean import clean
from edged.text.language import sentence_langs, spans
from edged.text.letters import shouts
from edged.text.segment import split_long, split_sentences
from edged.text.sentence import Lang, Sentence, SpokenText
from edged.text.tidy import close, tidy
from edged.text.tokens import Token, scan

Reading = Literal["zh", "en", "auto"]

SENTENCE_PAUSE_MS = 350  # a listener hears the sentence end; longer feels like the end of the message
PIECE_PAUSE_MS = 120  # where a long sentence is cut at a comma, about the pause an engine makes there


def to_spoken(text: str, lang: Reading = "auto") -> SpokenText:
    """Read `text` out: sentences in spoken form, and a warning for each kind of thing skipped.

    With "auto" each sentence is read in its own language, and so is an English clause in a Chinese
    sentence or the other way round; "zh" and "en" read everything in that one. Never raises; text with
    nothing to speak gives no sentences. Takes time linear in the length of `text`, and reading the
    result again changes nothing.
    """
    cleaned, warnings = clean(text)
    bodies, marks = _sentences(cleaned)
    langs: list[Lang] = sentence_langs(bodies) if lang == "auto" else [lang] * len(bodies)
    read = [
        (language, tidy(_read(body, language, mixed=lang == "auto")), mark)
        for body, mark, language in zip(bodies, marks, langs, strict=True)
    ]
    return SpokenText(tuple(_pieces([r for r in read if r[1]])), warnings)


def _sentences(cleaned: str) -> tuple[list[str], list[str]]:
    pairs = [(body.strip(), mark) for body, mark in split_sentences(cleaned) if body.strip()]
    return [body for body, _ in pairs], [mark for _, mark in pairs]


def _read(body: str, lang: Lang, mixed: bool) -> str:
    stretches = spans(body, lang) if mixed else iter([(0, len(body), lang)])
    return " ".join(_read_span(body, *stretch) for stretch in stretches)


def _read_span(body: str, start: int, end: int, lang: Lang) -> str:
    return ("" if lang == "zh" else " ").join(token.spoken for token in _tokens(body, start, end, lang))


def _tokens(body: str, start: int, end: int, lang: Lang) -> Iterator[Token]:
    if lang == "zh":
        return scan(body, start, end, rules.ZH)
    shouted = shouts(body[start:end])
    return scan(body, start, end, rules.EN_SHOUTED if shouted else rules.EN)


def _pieces(read: list[tuple[Lang, str, str]]) -> Iterator[Sentence]:
    """Sentences with their closing marks and pauses.

    Every sentence but the last gets a mark, so that joining them keeps them apart. The last has no pause:
    nothing follows it, and the request is over only when its last sample has been played.
    """
    for index, (lang, body, mark) in enumerate(read):
        is_last = index == len(read) - 1
        spoken = close(body, mark if mark or is_last else ".")
        pieces = list(split_long(spoken))
        for piece in pieces[:-1]:
            yield Sentence(lang, piece, PIECE_PAUSE_MS if piece[-1] in "，、," else 0)
        yield Sentence(lang, pieces[-1], 0 if is_last else SENTENCE_PAUSE_MS)
