"""Which language a sentence is in, and which stretches of it belong to the other one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edged.text import patterns as p
from edged.text.alphabet import HAN
from edged.text.sentence import Lang

DEFAULT_LANG: Lang = "zh"  # for text that gives no clue at all, such as "10"

_HAN_CHAR = re.compile(f"[{HAN}]")
# A letter beside a digit belongs to a code (A015), a dotted word to an address: neither tells the language.
_WORD = re.compile(r"(?<![A-Za-z0-9@/.])[A-Za-z]{2,}(?![A-Za-z0-9@/]|\.[A-Za-z])")
_GRAMMAR_WORDS = """
    the is are was be to at of in on for and or your you please now has have will not with from this that
"""
_GRAMMAR = frozenset(_GRAMMAR_WORDS.split())
_ENGLISH_CLUE = re.compile(r"[$£]|\d(?:st|nd|rd|th)(?![A-Za-z])|[a-z]{4}")  # else no words or Han

# Hexadecimal digits are no words.
_HEXADECIMAL = re.compile(f"{p.MAC}|{p.IPV6}")

_BETWEEN_HAN = re.compile(f"[^{HAN}]+")
_CODE = r"[A-Z]{0,3}\d[\d.,:%-]{0,19}"
_AROUND_HAN = re.compile(
    rf"(?:(?<![A-Za-z0-9]){_CODE}\s?)?[{HAN}](?:[{HAN}，、]|\s?{_CODE}(?=\s?[{HAN}]))*(?:{_CODE})?"
)
_CLAUSE_WORDS = 3  # "Gate 12 is open" is an English clause, "Gate 12" a name inside a Chinese one


def sentence_lang(body: str) -> Lang | None:
    """The language that carries `body`; None when it holds neither words nor Han."""
    han = len(_HAN_CHAR.findall(body))
    words = [
        w.lower() for w in _WORD.findall(_HEXADECIMAL.sub(" ", body) if ":" in body or "-" in body else body)
    ]
    english = len(words) + 2 * sum(w in _GRAMMAR for w in words)
    if han == english == 0:
        return "en" if _ENGLISH_CLUE.search(body) else None
    return "zh" if han >= english else "en"


def sentence_langs(bodies: list[str]) -> list[Lang]:
    """The language of each sentence; one without a clue follows the sentence before, else the next."""
    found = [sentence_lang(body) for body in bodies]
    current = next((lang for lang in found if lang), DEFAULT_LANG)
    result: list[Lang] = []
    for lang in found:
        current = lang or current
        result.append(current)
    return result


def spans(body: str, lang: Lang) -> Iterator[tuple[int, int, Lang]]:
    """Yield (start, end, lang) stretches that cover `body`, a sentence mainly in `lang`."""
    foreign: Lang = "en" if lang == "zh" else "zh"
    start = 0
    for match in (_BETWEEN_HAN if lang == "zh" else _AROUND_HAN).finditer(body):
        if lang == "zh" and len(_WORD.findall(_HEXADECIMAL.sub(" ", match[0]))) < _CLAUSE_WORDS:
            continue
        if match.start() > start:
            yield start, match.start(), lang
        yield match.start(), match.end(), foreign
        start = match.end()
    if start < len(body):
        yield start, len(body), lang
