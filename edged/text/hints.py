"""What markup or a lexicon decided: a private-use character in the text until the scanner reads it."""

from __future__ import annotations

from edged.text import numbers_en, numbers_zh
from edged.text.markup import Hint
from edged.text.sentence import Lang
from edged.text.spell import by_digit, spelled
from edged.text.tokens import Token

_FIRST, _LAST = 0xE000, 0xF8FF
_WHY = {
    "spell": "markup: sign by sign",
    "digits": "markup: digit by digit",
    "ordinal": "markup: a rank",
}


class Hints:
    """The hints of one text."""

    def __init__(self) -> None:
        self._hints: list[Hint] = []

    def add(self, hint: Hint) -> str:
        """The character that stands for `hint`; its text when a text has more than 6 400 of them."""
        if _FIRST + len(self._hints) > _LAST:
            return hint.text
        self._hints.append(hint)
        return chr(_FIRST + len(self._hints) - 1)

    def token(self, char: str, lang: Lang) -> Token | None:
        """What `char` stands for, read in `lang`; None for any other character."""
        if not "\ue000" <= char <= "\uf8ff" or ord(char) - _FIRST >= len(self._hints):
            return None
        hint = self._hints[ord(char) - _FIRST]
        if hint.how == "pinyin":
            return Token(hint.text, hint.text, "phoneme", f"{hint.by}: {' '.join(hint.pinyin)}", hint.pinyin)
        return Token(hint.text, _read(hint, lang), "say_as", _WHY[hint.how])

    def spelled_out(self, text: str) -> str:
        """`text` with the words back that its characters stand for: what tells the language."""
        return "".join(self._text_of(char) for char in text) if self._hints else text

    def _text_of(self, char: str) -> str:
        index = ord(char) - _FIRST
        return self._hints[index].text if 0 <= index < len(self._hints) else char


def _read(hint: Hint, lang: Lang) -> str:
    if hint.how == "spell":
        return spelled(hint.text, lang)
    if hint.how == "digits":
        return by_digit(hint.text, lang)
    return f"第{numbers_zh.integer(hint.text)}" if lang == "zh" else numbers_en.ordinal(int(hint.text))
