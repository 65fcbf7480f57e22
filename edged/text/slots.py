"""What a value of a template's slot is, and how it is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from edged.text import numbers_en, numbers_zh
from edged.text.clean import clean
from edged.text.front_end import to_spoken
from edged.text.sentence import Lang
from edged.text.spell import by_digit, spelled

SlotType = Literal["digits", "cardinal", "money", "time", "spell", "text", "place"]
Currency = Literal["CNY", "USD", "HKD", "EUR", "GBP"]
Value = str | int | float

_LONGEST_VALUE = 200  # characters: a slot holds a few words; a speech is a `text`
_SIGNS: dict[Currency, str] = {"CNY": "¥", "USD": "$", "HKD": "HK$", "EUR": "€", "GBP": "£"}
_AMOUNT: dict[Lang, Callable[[str], str]] = {"zh": numbers_zh.decimal, "en": numbers_en.decimal}
_MINUS: dict[Lang, str] = {"zh": "负", "en": "minus "}
_NUMBER = re.compile(r"[-−]?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,20})?")
_TIME = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?|24:00")
_HAS_DIGIT = re.compile(r"\d")
_PLACE = re.compile(r"(?:([A-Za-z]{1,3})[- ]?)?(\d{1,6}(?:-\d{1,6})?)(?:[- ]?([A-Za-z]{1,2}))?|([A-Za-z])")


def is_numbered(value: Value) -> bool:
    """Whether a `place` is a number, with letters perhaps ("3", "12A"), and not a name ("VIP室")."""
    return bool(_PLACE.fullmatch(_plain(value)))


def read_value(value: Value, kind: SlotType, lang: Lang, currency: Currency = "CNY") -> str:
    """`value` in the spoken form of `lang`. Raises ValueError that says what a slot of this kind takes."""
    plain = str(value).strip() if kind == "text" else _plain(value)
    if len(plain) > _LONGEST_VALUE:
        raise ValueError(f"expected at most {_LONGEST_VALUE} characters, got {len(plain)}")
    if kind == "money":
        spoken = _money(plain, isinstance(value, float), lang, currency)
    else:
        spoken = _READERS[kind](plain, lang)
    if not spoken:
        raise ValueError(f"expected {_EXPECTED[kind]}, got {json.dumps(value, ensure_ascii=False):.60}")
    return spoken


def _plain(value: Value) -> str:
    if isinstance(value, str):
        return clean(value)[0].strip()
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    return str(value)


def _number(plain: str) -> Decimal | None:
    if not _NUMBER.fullmatch(plain):
        return None
    return Decimal(plain.replace(",", "").replace("−", "-"))


def _digits(plain: str, lang: Lang) -> str:
    return by_digit(plain, lang) if _HAS_DIGIT.search(plain) else ""


def _cardinal(plain: str, lang: Lang) -> str:
    number = _number(plain)
    if number is None:
        return ""
    if number == 2 and lang == "zh":
        return "2"  # 二 or 两: what follows decides, and the reader sees it
    return _signed(number, _AMOUNT[lang](f"{number.copy_abs():f}"), lang)


def _money(plain: str, is_float: bool, lang: Lang, currency: Currency) -> str:
    number = _number(plain)
    if number is None:
        return ""
    cents = number.quantize(Decimal("0.01"), ROUND_HALF_UP)
    if cents != number and not is_float:
        return ""
    return _signed(cents, _front_end(f"{_SIGNS[currency]}{cents.copy_abs():f}", lang), lang)


def _signed(number: Decimal, amount: str, lang: Lang) -> str:
    return _MINUS[lang] + amount if number < 0 else amount


def _time(plain: str, lang: Lang) -> str:
    return _front_end(plain, lang) if _TIME.fullmatch(plain) else ""


def _text(plain: str, lang: Lang) -> str:
    return plain if _front_end(plain, lang) else ""


def _place(plain: str, lang: Lang) -> str:
    match = _PLACE.fullmatch(plain)
    if not match:
        return _text(plain, lang) if _number(plain) is None else ""
    before, number, after, letter = match.groups()
    names = [spelled(letters, lang) for letters in (before, after, letter) if letters]
    if number:
        names.insert(1 if before else 0, _place_number(number, lang))
    return " ".join(names)


def _place_number(number: str, lang: Lang) -> str:
    """Up to two digits are an amount (counter twelve), more are said one by one (room three oh five)."""
    if len(number) > 2:
        return by_digit(number, lang)
    return _AMOUNT[lang](number)


def _front_end(text: str, lang: Lang) -> str:
    return " ".join(sentence.spoken for sentence in to_spoken(text, lang).sentences)


_READERS: dict[SlotType, Callable[[str, Lang], str]] = {
    "digits": _digits,
    "cardinal": _cardinal,
    "time": _time,
    "spell": spelled,
    "text": _text,
    "place": _place,
}
_EXPECTED: dict[SlotType, str] = {
    "digits": "a code with digits in it (A015)",
    "cardinal": "a number below 10^15 (12.5)",
    "money": "an amount with at most two decimals (1250.50)",
    "time": "a time of day (14:05)",
    "spell": "letters, digits or signs (X7-F)",
    "text": "something that can be spoken",
    "place": "a number of up to six digits (3, 12A) or a name that can be spoken (VIP)",
}
