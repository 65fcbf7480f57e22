"""First pass: any Unicode string -> characters every later pass knows how to read.

Full-width and other compatibility forms, accents and foreign digits are folded to plain ones. What can
not be spoken is skipped and named in a warning, one per kind, so that one odd character never silences
the rest.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from edged.text.alphabet import HAN

# Everything a reader or the sentence splitter understands besides letters, digits and Han.
_SYMBOLS = "!\"#$%&'()*+,\\-./:;<=>?@\\[\\]^_~。，、·•“”‘’《》〈〉【】「」『』〔〕—–−°±×÷≈≠≤≥√∞¥€£¢‰⁄"
_GREEK = "Α-ΡΣ-Ωα-ω"
_PLAIN = f"A-Za-z0-9\\n {_SYMBOLS}{_GREEK}{HAN}"
_NOT_PLAIN_CHAR = re.compile(f"[^{_PLAIN}]")
_NOT_PLAIN = re.compile(f"[^{_PLAIN}]+")

# A tag needs a name and well-formed attributes: "a<b and c>d" is text. Bounded, so never quadratic.
_MARKUP = re.compile(
    r"</?[A-Za-z][A-Za-z0-9:-]{0,30}(?:\s{1,4}[A-Za-z:-]{1,30}\s?=\s?(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}')){0,8}"
    r"\s?/?>|<!--|-->|(?<![\d*])\*{2,}|#{2,}|~{2,}"
)
_FULL_WIDTH_THOUSANDS = re.compile("(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")
_MIXED_FRACTION = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞])")  # 1½: a space, or the digits run together
_LINE_BREAK = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_LATIN_ACCENTS = re.compile("[\u0300-\u036f]+")

# By Unicode category, the rest are symbols.
_KINDS = {"Cs": "surrogate", "Cc": "control", "Cf": "invisible", "M": "mark", "L": "letter"}
_TWO_WORDS = re.compile("[A-Za-z0-9]{2}")
_VISIBLE = frozenset(("symbol", "letter", "surrogate", "markup"))  # kinds that keep words apart

_NAMED_PER_WARNING = 5  # enough to find the culprit, short enough for a result message

_FOLDS = {
    "²": "^2",
    "³": "^3",
    "㎡": "m^2",
    "㎥": "m^3",
    "∶": ":",
    "ß": "ss",
    "ø": "o",
    "Ø": "O",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "ı": "i",
    "′": "'",
    "″": '"',
    "─": "—",
    "〜": "~",
    "\t": " ",
    **{chr(0x2160 + n): f" {n + 1} " for n in range(12)},  # Roman numeral signs are numbers, not letters
    **{chr(0x2170 + n): f" {n + 1} " for n in range(12)},
}


@lru_cache(maxsize=4096)  # more characters than one site ever uses, little memory
def _fold(char: str) -> str:
    """The plain characters that stand for `char`, or `char` itself where there are none."""
    if char in _FOLDS:
        return _FOLDS[char]
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    # Per character, because normalising a long run of combining marks takes quadratic time.
    plain = _LATIN_ACCENTS.sub("", unicodedata.normalize("NFKD", char))
    return char if _NOT_PLAIN.search(plain) else plain


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """Fold `text` to the plain alphabet; returns it with one warning per kind of thing skipped.

    Warnings read `skipped_symbol: U+1F600 U+2603` (kinds: symbol, letter, mark, control, invisible,
    surrogate) or `skipped_markup: <b>`. Never raises.
    """
    skipped: dict[str, dict[str, None]] = {}

    def skip(match: re.Match[str], named: list[tuple[str, str]]) -> str:
        for kind, name in named:
            skipped.setdefault(kind, {})[name] = None
        text, start, end = match.string, match.start(), match.end()
        splits_words = _TWO_WORDS.match(text[max(0, start - 1) : start] + text[end : end + 1])
        return " " if splits_words and _VISIBLE.intersection(kind for kind, _ in named) else ""

    text = _LINE_BREAK.sub("\n", _FULL_WIDTH_THOUSANDS.sub(",", text))
    text = _MIXED_FRACTION.sub(" ", text)
    text = _NOT_PLAIN_CHAR.sub(lambda m: _fold(m[0]), text)
    text = _NOT_PLAIN.sub(lambda m: skip(m, [(_kind(c), f"U+{ord(c):04X}") for c in m[0]]), text)
    text = _MARKUP.sub(lambda m: skip(m, [("markup", m[0][:20])]), text)
    return text, tuple(_warning(kind, list(names)) for kind, names in skipped.items())


def _kind(char: str) -> str:
    category = unicodedata.category(char)
    return _KINDS.get(category) or _KINDS.get(category[0], "symbol")


def _warning(kind: str, names: list[str]) -> str:
    more = " …" if len(names) > _NAMED_PER_WARNING else ""
    return f"skipped_{kind}: {' '.join(names[:_NAMED_PER_WARNING])}{more}"
