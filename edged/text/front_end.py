"""The text front end: a list of small passes from any string to sentences an engine can speak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from edged.text import rules
from edged.text.clean import clean
from edged.text.hints import Hints
from edged.text.language import sentence_langs, spans
from edged.text.letters import shouts
from edged.text.lexicon import Entry, Lexicon
from edged.text.markup import Break, Hint, Part, Plain, parse_markup
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
    """A sentence on its way: its tokens, what they sound like together, its closing mark and pause."""

    lang: Lang
    tokens: tuple[Token, ...]
    spoken: str
    mark: str
    pause_ms: int | None  # where the markup sets it


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
    parts, of_markup = parse_markup(text)
    hints = Hints()
    warnings = dict.fromkeys(of_markup)
    bodies: list[tuple[str, str, int | None]] = []  # text, closing mark, pause where the markup sets it
    for stretch, break_ms in _stretches(parts):
        cleaned, skipped = _cleaned(stretch, hints, style.lexicon)
        warnings.update(dict.fromkeys(skipped))
        found = [(body.strip(), mark, None) for body, mark in split_sentences(cleaned) if body.strip()]
        bodies += found
        if break_ms is not None and bodies:
            bodies[-1] = (bodies[-1][0], bodies[-1][1] or ",", break_ms)
    originals = [hints.spelled_out(body) for body, _, _ in bodies]
    langs: list[Lang] = sentence_langs(originals) if lang == "auto" else [lang] * len(bodies)
    read_bodies = [
        _read(body, mark, pause_ms, language, hints, mixed=lang == "auto")
        for (body, mark, pause_ms), language in zip(bodies, langs, strict=True)
    ]
    return ReadText(tuple(_pieces([body for body in read_bodies if body.spoken], style)), tuple(warnings))


def _stretches(parts: tuple[Part, ...]) -> Iterator[tuple[list[Plain | Hint], int | None]]:
    """What stands between two breaks, and the length of the break after it."""
    stretch: list[Plain | Hint] = []
    for part in parts:
        if isinstance(part, Break):
            yield stretch, part.ms
            stretch = []
        else:
            stretch.append(part)
    yield stretch, None


def _cleaned(stretch: list[Plain | Hint], hints: Hints, lexicon: Lexicon) -> tuple[str, tuple[str, ...]]:
    cleaned, warnings = "", dict[str, None]()
    for part in stretch:
        text, skipped = clean(part.text)
        warnings.update(dict.fromkeys(skipped))
        if isinstance(part, Plain):
            cleaned += _in_their_own_way(text, hints, lexicon)
        else:
            cleaned += hints.add(replace(part, text=text))
    return cleaned, tuple(warnings)


def _in_their_own_way(text: str, hints: Hints, lexicon: Lexicon) -> str:
    """`text` with the words of the lexicon as it wants them said."""
    pieces, start = [], 0
    for found in lexicon.find(text):
        word = text[found.start : found.end]
        pieces += [text[start : found.start], _said(word, found.entry, hints)]
        start = found.end
    return "".join((*pieces, text[start:]))


def _said(word: str, entry: Entry, hints: Hints) -> str:
    if entry.pinyin:
        return hints.add(Hint(word, "pinyin", entry.pinyin, "lexicon"))
    return clean(entry.instead)[0]


def _read(body: str, mark: str, pause_ms: int | None, lang: Lang, hints: Hints, mixed: bool) -> _Body:
    stretches = spans(body, lang) if mixed else iter([(0, len(body), lang)])
    tokens: list[Token] = []
    spoken: list[str] = []
    for start, end, language in stretches:
        found = list(_tokens(body, start, end, language, hints))
        spoken.append(("" if language == "zh" else " ").join(token.spoken for token in found))
        tokens += found
    return _Body(lang, tuple(tokens), tidy(" ".join(spoken)), mark, pause_ms)


def _tokens(body: str, start: int, end: int, lang: Lang, hints: Hints) -> Iterator[Token]:
    def decided(char: str) -> Token | None:
        return hints.token(char, lang)

    if lang == "zh":
        return scan(body, start, end, rules.ZH, decided)
    of_lang = rules.EN_SHOUTED if shouts(body[start:end]) else rules.EN
    return scan(body, start, end, of_lang, decided)


def _pieces(bodies: list[_Body], style: Style) -> Iterator[ReadSentence]:
    """Sentences with their closing marks and pauses.

    Every sentence but the last gets a mark, so that joining them keeps them apart. The last has no pause:
    nothing follows it, and the request is over only when its last sample has been played.
    """
    for index, body in enumerate(bodies):
        is_last = index == len(bodies) - 1
        pieces = list(split_long(close(body.spoken, _mark(body.mark, is_last))))
        for place, (piece, tokens) in enumerate(zip(pieces, placed(body.tokens, pieces), strict=True)):
            if place < len(pieces) - 1:
                pause_ms = style.comma_ms if piece[-1] in "，、," else 0
            elif body.pause_ms is not None:
                pause_ms = 0 if is_last else body.pause_ms
            else:
                pause_ms = 0 if is_last else style.full_stop_ms
            sentence = Sentence(body.lang, piece, pause_ms, tuple(chosen_pinyin(tokens, piece)))
            yield ReadSentence(sentence, tuple(item.token for item in tokens))


def _mark(mark: str, is_last: bool) -> str:
    """What keeps a sentence apart from the next one; after the last one no voice stays up."""
    if is_last:
        return "" if mark == "," else mark
    return mark or "."
