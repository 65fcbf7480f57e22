"""Which token is heard in which piece of a sentence, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from edged.text.alphabet import HAN, LETTER
from edged.text.sentence import Pinyin
from edged.text.tokens import Token

_HAN_CHAR = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True)
class Placed:
    """A token and the part of its piece that its letters take: piece[start:end]."""

    token: Token
    start: int
    end: int


def placed(tokens: Iterable[Token], pieces: Sequence[str]) -> list[list[Placed]]:
    """The tokens of each piece, in order.

    The passes after the scanner move spaces and punctuation only, so the letters of the pieces are those
    of the tokens. A token is placed where its first letter is; one without letters follows the one before.
    """
    result: list[list[Placed]] = [[] for _ in pieces]
    letters = _letters(pieces)
    index = at = 0
    for token in tokens:
        piece = start = end = -1
        for _ in LETTER.finditer(token.spoken):
            index, at = next(letters)
            if piece < 0:
                piece, start = index, at
            if index == piece:
                end = at + 1
        if piece < 0:
            piece, start, end = index, at, at
        result[piece].append(Placed(token, start, end))
    return result


def chosen_pinyin(tokens: Iterable[Placed], piece: str) -> Iterator[Pinyin]:
    """The readings that tokens of a piece bring along."""
    for place in tokens:
        syllables = iter(place.token.pinyin)
        if place.token.pinyin:
            for han in _HAN_CHAR.finditer(piece, place.start, place.end):
                yield Pinyin(han.start(), han.end(), (next(syllables),))


def _letters(pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    for index, piece in enumerate(pieces):
        for letter in LETTER.finditer(piece):
            yield index, letter.start()
