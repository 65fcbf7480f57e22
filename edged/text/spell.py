"""Codes said sign by sign: serial numbers, tickets, telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from edged.text import numbers_en, numbers_zh
from edged.text import patterns as p
from edged.text.alphabet import HAN
from edged.text.clean import clean
from edged.text.sentence import Lang
from edged.text.units import SIGN_NAMES

_PHONE = re.compile(f"(?:{p.INTERNATIONAL_PHONE}|{p.CHINESE_PHONE})")
_SPELLED = re.compile(rf"[A-Za-z]|\d+|[{HAN}]+|\s+|.")
_SAID_IN_CODES = re.compile(rf"[A-Za-z]|\d+|[{HAN}]+|\+(?=\d)|(?<=\d)(?:[-./]|\s+)(?=\d)")
_BETWEEN_HAN = re.compile(rf"(?<=[{HAN}，]) (?=[{HAN}，])")
_PAUSE: dict[Lang, str] = {"zh": "，", "en": ","}
_BY_DIGIT: dict[Lang, Callable[[str], str]] = {"zh": numbers_zh.by_digit, "en": numbers_en.by_digit}


def spelled(text: str, lang: Lang) -> str:
    """Every letter, digit and sign of `text` by its name; a space is a pause. Empty: nothing to say."""
    return _said(_SPELLED.findall(clean(text)[0]), lang)


def by_digit(code: str, lang: Lang) -> str:
    """`code` digit by digit and letter by letter: a ticket, an order, a telephone number.

    Signs are said between digits only (B2-07, but A-015 as A015), a space there is a pause. In Chinese the
    1 of a telephone number is 幺. Empty: nothing to say.
    """
    code = clean(code)[0].strip()
    if _PHONE.fullmatch(code):
        return _phone(code, lang)
    return _said(_SAID_IN_CODES.findall(code), lang)


def _phone(number: str, lang: Lang) -> str:
    read = numbers_zh.phone if lang == "zh" else numbers_en.by_digit
    groups = f"{_PAUSE[lang]} ".join(read(group) for group in re.findall(r"\d+", number))
    return _joined([_name("+", lang), groups] if number[0] == "+" else [groups], lang)


def _said(signs: Iterable[str], lang: Lang) -> str:
    return _joined([_name(sign, lang) for sign in signs], lang)


def _name(sign: str, lang: Lang) -> str:
    if sign.isdigit():
        return _BY_DIGIT[lang](sign)
    if sign in SIGN_NAMES:
        return SIGN_NAMES[sign][lang == "en"]
    return sign.upper() if sign.isalnum() else _PAUSE[lang]


def _joined(names: list[str], lang: Lang) -> str:
    return _BETWEEN_HAN.sub("", " ".join(names)).strip(f" {_PAUSE[lang]}")
