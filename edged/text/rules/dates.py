"""Dates and years."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.abbreviations import MONTH, MONTHS, month_name
from edged.text.tokens import Rule, rule

_DAY = r"(3[01]|[12]\d|0?[1-9])"
_RANK = r"(?:st|nd|rd|th)?(?![\dA-Za-z:])"
_YEAR = r"(?:,?\s((?:1\d|20)\d{2})(?!\d))?"


def _date_zh(year: str, month: str, day: str) -> str | None:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return None
    return f"{zh.by_digit(year)}年{zh.cardinal(int(month))}月{zh.cardinal(int(day))}日"


def _month_first_zh(m: re.Match[str]) -> str | None:
    return _date_zh(m[3], m[1], m[2]) or _date_zh(m[3], m[2], m[1])


def _date_en(year_digits: str | None, month: str, day: str) -> str | None:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return None
    return f"{MONTHS[int(month) - 1]} {en.ordinal(int(day))}" + (
        f", {en.year(year_digits)}" if year_digits else ""
    )


def _month_first_en(m: re.Match[str]) -> str | None:
    return _date_en(m[3], m[1], m[2]) or _date_en(m[3], m[2], m[1])


def _decade(m: re.Match[str]) -> str:
    words = en.year(m[1])
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def _day_of_month(m: re.Match[str]) -> str:
    words = f"the {en.ordinal(int(m[1]))} of {month_name(m[2])}"
    return f"{words}, {en.year(m[3])}" if m[3] else words


def _month_day(m: re.Match[str]) -> str:
    words = f"{month_name(m[1])} {en.ordinal(int(m[2]))}"
    return f"{words}, {en.year(m[3])}" if m[3] else words


ZH: Sequence[Rule] = (
    rule("date", p.ISO_DATE, lambda m: _date_zh(m[1], m[3], m[4])),
    rule("date", p.SLASH_DATE, _month_first_zh),
    rule("pause", p.TIMESTAMP_JOINT, "，"),
    rule(
        "date",
        r"((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\d-])",
        lambda m: f"{zh.by_digit(m[1])}年{zh.cardinal(int(m[2]))}月",
    ),
    rule("year", r"[12]\d{3}(?=学?年(?!前|后|的?历史))", lambda m: zh.by_digit(m[0])),
    rule("year", r"[12]\d{3}(?=\s?[-~–—至到]\s?[12]\d{3}学?年)", lambda m: zh.by_digit(m[0])),
    rule("year", "[5-9]0(?=后)", lambda m: zh.by_digit(m[0])),
)

EN: Sequence[Rule] = (
    rule("date", p.ISO_DATE, lambda m: _date_en(m[1], m[3], m[4])),
    rule("date", p.SLASH_DATE, _month_first_en),
    rule("pause", p.TIMESTAMP_JOINT, ","),
    rule("date", rf"(?:[Tt]he\s)?{_DAY}{_RANK}\s(?:of\s)?{MONTH}\b\.?{_YEAR}", _day_of_month),
    rule("date", rf"{MONTH}\.?\s(?:the\s)?{_DAY}{_RANK}{_YEAR}", _month_day),
    rule(
        "date",
        r"(\d{1,2})/(\d{1,2})(?![\d/])",
        lambda m: _date_en(None, m[1], m[2]),
        after=r"\b(?:on|by|until|before|due)\s",
    ),
    rule(
        "date",
        rf"{MONTH}\.?\s((?:19|20)\d{{2}})(?!\d)",
        lambda m: f"{month_name(m[1])} {en.year(m[2])}",
    ),
    rule("year", r"((?:1[89]|20)\d0)s(?![A-Za-z])", _decade),
    rule(
        "year",
        r"(?:1[5-9]|20)\d{2}(?![\d.,]\d|\d)",
        lambda m: en.year(m[0]),
        after=rf"\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Uu]ntil|{MONTH})\s",
    ),
)
