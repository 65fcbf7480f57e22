"""The text front end: a list of small passes from any string to sentences an engine can speak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from edged.text import rules
from edged.text.clean import clean
from edged.text.language import sentence_langs, spans
from edged.text.letters import shouts
from edged.text.pieces import chosen_pinyin, placed
from edged.text.segment import split_long, split_sentences
from edged.text.sentence import Lang, Sentence, SpokenText
from edged.text.style import DEFAULT, Style
from edged.text.tidy import close, tidy
from edged.text.tokens import Token, scan

Reading = Literal["zh", "en", "auto"]


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence and the tokens it was read from, in order."""

    sentence: Sentence
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class ReadText:
    """How a whole text is read, and what had to be skipped."""

    sentences: tuple[ReadSentence, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Body:
    """A sentence on its way: its tokens, what they sound like together, and its closing mark."""

    lang: Lang
    tokens: tuple[Token, ...]
    spoken: str
    mark: str


def to_spoken(text: str, lang: Reading = "auto", style: Style = DEFAULT) -> SpokenText:
    """Read `text` out: sentences in spoken form, and a warning for each kind of thing skipped.

    With "auto" each sentence is read in its own language, and so is an English clause in a Chinese
    sentence or the other way round; "zh" and "en" read everything in that one. Never raises; text with
    nothing to speak gives no sentences. Takes time linear in the length of `text`, and reading the
    result again changes nothing.
    """
    found = read(text, lang, style)
    return SpokenText(tuple(item.sentence for item in found.sentences), found.warnings)


def read(text: str, lang: Reading = "auto", style: Style = DEFAULT) -> ReadText:
    """As `to_spoken`, with the tokens of each sentence: what was read how, and why."""
    cleaned, warnings = clean(text)
    bodies, marks = _sentences(cleaned)
    langs: list[Lang] = sentence_langs(bodies) if lang == "auto" else [lang] * len(bodies)
    found = [
        _read(body, mark, language, mixed=lang == "auto")
        for body, mark, language in zip(bodies, marks, langs, strict=True)
    ]
    return ReadText(tuple(_pieces([body for body in found if body.spoken], style)), warnings)


def _sentences(cleaned: str) -> tuple[list[str], list[str]]:
    pairs = [(body.strip(), mark) for body, mark in split_sentences(cleaned) if body.strip()]
    return [body for body, _ in pairs], [mark for _, mark in pairs]


def _read(body: str, mark: str, lang: Lang, mixed: bool) -> _Body:
    stretches = spans(body, lang) if mixed else iter([(0, len(body), lang)])
    tokens: list[Token] = []
    spoken: list[str] = []
    for start, end, language in stretches:
        found = list(_tokens(body, start, end, language))
        spoken.append(("" if language == "zh" else " ").join(token.spoken for token in found))
        tokens += found
    return _Body(lang, tuple(tokens), tidy(" ".join(spoken)), mark)


def _tokens(body: str, start: int, end: int, lang: Lang) -> Iterator[Token]:
    if lang == "zh":
        return scan(body, start, end, rules.ZH)
    return scan(body, start, end, rules.EN_SHOUTED if shouts(body[start:end]) else rules.EN)


def _pieces(bodies: list[_Body], style: Style) -> Iterator[ReadSentence]:
    """Sentences with their closing marks and pauses.

    Every sentence but the last gets a mark, so that joining them keeps them apart. The last has no pause:
    nothing follows it, and the request is over only when its last sample has been played.
    """
    for index, body in enumerate(bodies):
        is_last = index == len(bodies) - 1
        pieces = list(
            split_long(close(body.spoken, body.mark if body.mark or is_last else "."), style.max_chars)
        )
        for place, (piece, tokens) in enumerate(zip(pieces, placed(body.tokens, pieces), strict=True)):
            if place < len(pieces) - 1:
                pause_ms = style.comma_ms if piece[-1] in "，、," else 0
            else:
                pause_ms = 0 if is_last else style.full_stop_ms
            sentence = Sentence(body.lang, piece, pause_ms, tuple(chosen_pinyin(tokens, piece)))
            yield ReadSentence(sentence, tuple(item.token for item in tokens))
