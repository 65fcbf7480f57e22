"""How English reads numbers, symbols and abbreviations: an ordered list of rules, first fit wins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edged.text import abbreviations
from edged.text import patterns as p
from edged.text.abbreviations import MONTH, MONTHS, month_name
from edged.text.addresses import read_address
from edged.text.letters import greek_name, read_code, read_word, spell
from edged.text.numbers_en import by_digit, cardinal, decimal, integer, ordinal, year
from edged.text.tokens import Rule, rule
from edged.text.units import CURRENCIES, SIGN_NAMES, SYMBOL_NAMES, UNITS, Currency

_DAY = r"(3[01]|[12]\d|0?[1-9])"
_RANK = r"(?:st|nd|rd|th)?(?![\dA-Za-z:])"
_YEAR = r"(?:,?\s((?:1\d|20)\d{2})(?!\d))?"
_CODE = (
    r"(?<![A-Za-z])(?:room|suite|flight|extension|ext|pin|code|bus|route|apartment|apt|id|password|"
    r"ending in|order)(?:\s(?:is|number))?[.:]?\s?"
)
_CALL = r"(?<![A-Za-z])(?:call|dial|phone|telephone|tel|hotline)[.:]?\s?"
_ADDRESS_NAMES = {sign: en for sign, (_, en) in SIGN_NAMES.items()}


def _date(year_digits: str | None, month: str, day: str) -> str | None:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return None
    return f"{MONTHS[int(month) - 1]} {ordinal(int(day))}" + (f", {year(year_digits)}" if year_digits else "")


def _month_first(m: re.Match[str]) -> str | None:
    return _date(m[3], m[1], m[2]) or _date(m[3], m[2], m[1])


def _clock(hour: str, minute: str | None, second: str | None, half_day: str = "") -> str:
    hours, minutes = int(hour), int(minute or 0)
    words = cardinal(hours)
    if minutes:
        words += f" oh {cardinal(minutes)}" if minutes < 10 else f" {cardinal(minutes)}"
    elif not half_day:
        words += " o'clock" if 0 < hours <= 12 else " hundred"
    if second and int(second):
        words += f" and {_plural(second, 'second', 'seconds')}"
    return f"{words} {half_day.upper()} M" if half_day else words


def _plural(number: str, one: str, many: str) -> str:
    return f"{decimal(number)} {one if number in ('1', '01') else many}"


def _money(amount: str, currency: Currency, scale: str | None) -> str:
    whole, _, fraction = amount.replace(",", "").replace(" ", "").partition(".")
    if scale:
        return f"{decimal(amount)} {scale} {currency.en_many}"
    if len(fraction) > 2:
        return f"{decimal(amount)} {currency.en_many}"
    cents = int(fraction.ljust(2, "0"))
    parts = []
    if int(whole) or not cents:
        parts.append(_plural(whole, currency.en_one, currency.en_many))
    if cents:
        parts.append(_plural(str(cents), currency.en_cent, currency.en_cents))
    return " and ".join(parts)


def _fraction(m: re.Match[str]) -> str | None:
    top, bottom = int(m[1]), int(m[2])
    if not 0 < top < bottom <= 100:
        return f"{cardinal(top)} over {cardinal(bottom)}"
    name = {2: "half", 4: "quarter"}.get(bottom) or ordinal(bottom)
    return f"{cardinal(top)} {name}{'' if top == 1 else 's'}"


def _dotted(m: re.Match[str]) -> str:
    groups = m[0].split(".")
    if len(groups) == 4 and all(int(g) < 256 for g in groups):
        return " dot ".join(by_digit(g) for g in groups)
    return " point ".join(integer(g) for g in groups)


def _quantity(m: re.Match[str]) -> str:
    unit = UNITS[m[2]]
    return _plural(m[1], unit.en_one, unit.en_many)


def _code_digits(digits: str) -> str:
    """Two digits are said as a number ("gate B twelve"), more or a leading zero one by one."""
    return integer(digits) if len(digits) <= 2 else by_digit(digits)


def _ticket(m: re.Match[str]) -> str:
    return f"{spell(m[1].rstrip('-'))} {_code_digits(m[2])}"


def _decade(m: re.Match[str]) -> str:
    words = year(m[1])
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def _day_of_month(m: re.Match[str]) -> str:
    words = f"the {ordinal(int(m[1]))} of {month_name(m[2])}"
    return f"{words}, {year(m[3])}" if m[3] else words


def _month_day(m: re.Match[str]) -> str:
    words = f"{month_name(m[1])} {ordinal(int(m[2]))}"
    return f"{words}, {year(m[3])}" if m[3] else words


_NUMBERS: Sequence[Rule] = (
    rule("address", p.EMAIL, lambda m: read_address(m[0], by_digit, _ADDRESS_NAMES)),
    rule("address", p.URL, lambda m: read_address(m[0], by_digit, _ADDRESS_NAMES)),
    rule("date", p.ISO_DATE, lambda m: _date(m[1], m[3], m[4])),
    rule("date", p.SLASH_DATE, _month_first),
    rule("pause", p.TIMESTAMP_JOINT, ","),
    rule("date", rf"(?:[Tt]he\s)?{_DAY}{_RANK}\s(?:of\s)?{MONTH}\b\.?{_YEAR}", _day_of_month),
    rule("date", rf"{MONTH}\.?\s(?:the\s)?{_DAY}{_RANK}{_YEAR}", _month_day),
    rule(
        "date",
        r"(\d{1,2})/(\d{1,2})(?![\d/])",
        lambda m: _date(None, m[1], m[2]),
        after=r"\b(?:on|by|until|before|due)\s",
    ),
    rule("date", rf"{MONTH}\.?\s((?:19|20)\d{{2}})(?!\d)", lambda m: f"{month_name(m[1])} {year(m[2])}"),
    rule("time", p.CLOCK + p.HALF_DAY, lambda m: _clock(m[1], m[2], m[3], m[4])),
    rule("time", r"(1[0-2]|0?[1-9])" + p.HALF_DAY, lambda m: _clock(m[1], None, None, m[2])),
    rule("time", p.CLOCK, lambda m: _clock(m[1], m[2], m[3])),
    rule("score", p.SCORE, lambda m: f"{cardinal(int(m[1]))} to {cardinal(int(m[2]))}"),
    rule("phone", p.INTERNATIONAL_PHONE, lambda m: f"plus {by_digit(m[0])}"),
    rule("phone", p.CHINESE_PHONE, lambda m: by_digit(m[0])),
    rule("phone", p.AMERICAN_PHONE, lambda m: by_digit(m[0])),
    rule("phone", r"\d{3,12}(?![\d.,:/-])", lambda m: by_digit(m[0]), after=_CALL, ignore_case=True),
    rule("card", p.CARD, lambda m: by_digit(m[0])),
    rule("dotted", p.DOTTED, _dotted),
    rule("hyphenated", p.HYPHENATED, lambda m: " dash ".join(by_digit(g) for g in m[0].split("-"))),
    rule("money", p.MONEY, lambda m: _money(m[2], CURRENCIES[m[1]], m[3])),
    rule("percent", p.PERCENT, lambda m: f"{decimal(m[1])} {SYMBOL_NAMES[m[2]][1]}"),
    rule("number_sign", r"(?:No\.\s?|NO\.\s?|no\.\s?|No|#\s?)(?=\d|[A-Z]\d)", "number"),
    rule(
        "page", p.FRACTION, lambda m: f"{cardinal(int(m[1]))} of {cardinal(int(m[2]))}", after="[Pp]ages?\\s"
    ),
    rule("version", p.VERSION, lambda m: f"V {' point '.join(integer(g) for g in m[1].split('.'))}"),
    rule("year", r"((?:1[89]|20)\d0)s(?![A-Za-z])", _decade),
    rule("quantity", p.QUANTITY, _quantity),
    rule("quantity", p.PER_UNIT, lambda m: f"per {UNITS[m[1]].en_one}"),
    rule("ordinal", r"(\d{1,6})(?:st|nd|rd|th)(?![A-Za-z])", lambda m: ordinal(int(m[1]))),
    rule("ticket", p.TICKET, _ticket),
    rule("code", p.MIXED_CODE, lambda m: read_code(m[0], by_digit)),
    rule("code", p.FLOOR_CODE, lambda m: f"{by_digit(m[1])} {spell(m[2])}"),
    rule("code", r"\d{3,100}(?![\d.,])", lambda m: by_digit(m[0]), after=_CODE, ignore_case=True),
    rule(
        "year",
        r"(?:1[5-9]|20)\d{2}(?![\d.,]\d|\d)",
        lambda m: year(m[0]),
        after=rf"\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Uu]ntil|{MONTH})\s",
    ),
    rule("fraction", r"24/7(?!\d)", "twenty-four seven"),
    rule("fraction", p.FRACTION, _fraction),
    rule("number", p.ROUND, lambda m: integer(m[0])),
    rule("number", p.LONG_RUN, lambda m: by_digit(m[0])),
    rule("number", p.NUMBER, lambda m: decimal(m[0])),
    rule("number", p.BARE_FRACTION, lambda m: decimal(m[0])),
    rule("number", p.DIGITS, lambda m: by_digit(m[0])),
)

_SIGNS: Sequence[Rule] = (
    rule("acronym", r"([A-Z]{1,3})&([A-Z]{1,3})(?![A-Za-z])", lambda m: f"{spell(m[1])} and {spell(m[2])}"),
    rule("power", r"\^2(?!\d)", "squared"),
    rule("power", r"\^3(?!\d)", "cubed"),
    rule("power", p.POWER, lambda m: f"to the power of {cardinal(int(m[1]))}"),
    rule("minus", p.MINUS, "minus"),
    rule("range", p.RANGE, "to", after=p.AFTER_QUANTITY),
    rule("sign", p.NOT_AFTER_TERM + p.SIGN, "minus"),
    rule("about", r"~(?=\d)", "about"),
    rule("dot", p.DOT_INSIDE, "dot"),
    rule("pause", p.REPEATED_SYMBOL, ","),
    rule("pause", "、", "、"),
    rule("pause", p.PAUSE, ","),
    rule("greek", "[Α-Ωα-ω]", lambda m: greek_name(m[0])),
    rule("symbol", f"[{re.escape(''.join(SYMBOL_NAMES))}]", lambda m: SYMBOL_NAMES[m[0]][1]),
    rule("han", p.HAN_TEXT, lambda m: m[0]),
)


def _words(shouting: bool) -> Rule:
    return rule("word", p.WORD, lambda m: read_word(m[0].replace("’", "'"), shouting))


RULES: Sequence[Rule] = (*_NUMBERS, *abbreviations.RULES, *_SIGNS, _words(shouting=False))
SHOUTED_RULES: Sequence[Rule] = (*_NUMBERS, *abbreviations.RULES, *_SIGNS, _words(shouting=True))
