"""Amounts of money: signs and codes before or after the number, ranges, cents, and what they are paid for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule
from edged.text.units import CURRENCIES, Currency

_SIGNS = "|".join(re.escape(c) for c in sorted(CURRENCIES, key=len, reverse=True))
_CODES = "|".join(c for c in sorted(CURRENCIES) if c.isalpha())
_AMOUNT = rf"({p.NUMBER}|\.\d{{1,2}}(?!\d))"
_SCALE = r"(?:\s?(万亿|[万亿]|(?:million|billion|trillion)(?![A-Za-z]))|([KMB])(?![A-Za-z0-9]))?"
_BEFORE = rf"({_SIGNS})\s?([-−]?){_AMOUNT}{_SCALE}"
_RANGE = rf"({_SIGNS})\s?{_AMOUNT}{p.DASH}({_SIGNS})?\s?{_AMOUNT}{_SCALE}(?![-\d]|\s?=)"
_AFTER = rf"{_AMOUNT}\s?({_CODES})(?![A-Za-z0-9])"
_YUAN = r"\s?元"
_NAMED = "(?:美元|美金|欧元|英镑|日元|港元|港币|人民币)"
_ATTRIBUTE = r"(?=\s[a-z])"  # a $20 deposit

_SHORT_SCALES = {"K": "thousand", "M": "million", "B": "billion"}
_ZEROS = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}


def _scale(m: re.Match[str], first: int) -> str:
    """The scale that groups `first` and the next one of `m` name, in one form; "" without one."""
    return m[first] or _SHORT_SCALES.get(m[first + 1] or "", "")


def _plain(amount: str) -> tuple[str, str]:
    """Whole part and fraction of an amount as written."""
    whole, _, fraction = amount.replace(",", "").replace(" ", "").partition(".")
    return whole or "0", fraction


def _zh(amount: str, currency: Currency, scale: str = "") -> str:
    whole, fraction = _plain(amount)
    if scale:
        return f"{_scaled_zh(amount, scale)}{currency.zh}"
    if len(fraction) > 2:
        return f"{zh.decimal(amount)}{currency.zh}"
    cents = int(fraction.ljust(2, "0"))
    units = f"{zh.counted(whole)}{currency.zh}" if int(whole) or not cents else ""
    return units + (_yuan_cents(cents, bool(units)) if currency.zh == "元" else _cents(cents, currency))


def _scaled_zh(amount: str, scale: str) -> str:
    """1.5 million is 一百五十万: Chinese counts in ten thousands."""
    if scale not in _ZEROS:  # 万 or 亿 already
        return f"{zh.counted(amount)}{scale}"
    whole, fraction = _plain(amount)
    return zh.integer((whole + fraction[: _ZEROS[scale]].ljust(_ZEROS[scale], "0")).lstrip("0") or "0")


def _yuan_cents(cents: int, after_units: bool) -> str:
    jiao, fen = divmod(cents, 10)
    gap = "零" if after_units and fen and not jiao else ""
    return (f"{zh.cardinal(jiao)}角" if jiao else "") + (f"{gap}{zh.cardinal(fen)}分" if fen else "")


def _cents(cents: int, currency: Currency) -> str:
    return f"{zh.cardinal(cents)}{currency.zh_cent}" if cents else ""


def _range_zh(low: str, high: str, currency: Currency, scale: str = "", twice: bool = False) -> str:
    """From `low` to `high`; the unit is said once unless it was written `twice` or cents come with it."""
    if twice or _plain(low)[1]:
        return f"{_zh(low, currency)}到{_zh(high, currency, scale)}"
    return f"{zh.counted(_plain(low)[0])}到{_zh(high, currency, scale)}"


def _en(amount: str, currency: Currency, scale: str = "") -> str:
    whole, fraction = _plain(amount)
    if scale:
        return f"{en.decimal(amount)} {scale} {currency.en_many}"
    if len(fraction) > 2:
        return f"{en.decimal(amount)} {currency.en_many}"
    cents = int(fraction.ljust(2, "0"))
    parts = []
    if int(whole) or not cents:
        parts.append(en.plural(whole, currency.en_one, currency.en_many))
    if cents:
        parts.append(en.plural(str(cents), currency.en_cent, currency.en_cents))
    return " and ".join(parts)


def _range_en(low: str, high: str, currency: Currency, scale: str, twice: bool) -> str:
    if twice or _plain(low)[1]:
        return f"{_en(low, currency)} to {_en(high, currency, scale)}"
    return f"{en.integer(_plain(low)[0])} to {_en(high, currency, scale)}"


ZH: Sequence[Rule] = (
    rule(
        "money",
        rf"{_AMOUNT}{p.DASH}{_AMOUNT}{_YUAN}",
        lambda m: _range_zh(m[1], m[2], CURRENCIES["¥"]),
        why="an amount from one to another",
    ),
    rule(
        "money",
        r"\d{1,4}(?:/\d{1,4}){1,6}(?=\s?元)",
        lambda m: "、".join(zh.counted(n) for n in m[0].split("/")),
        why="amounts to choose from",
    ),
    rule("money", rf"{_AMOUNT}{_YUAN}", lambda m: _zh(m[1], CURRENCIES["¥"])),
    rule(
        "money",
        f"{_RANGE}元?",
        lambda m: _range_zh(m[2], m[4], CURRENCIES[m[1]], _scale(m, 5), twice=bool(m[3])),
    ),
    rule(
        "money",
        f"{_BEFORE}(?:元|(?<=[A-Za-z]){_NAMED})?",
        lambda m: ("负" if m[2] else "") + _zh(m[3], CURRENCIES[m[1]], _scale(m, 4)),
    ),
    rule("money", _AFTER, lambda m: _zh(m[1], CURRENCIES[m[2]])),
    rule(
        "money", rf"{_AMOUNT}(?={_NAMED})", lambda m: zh.counted(m[1]) if m[1][0] != "." else zh.decimal(m[1])
    ),
)

EN: Sequence[Rule] = (
    rule("money", _RANGE, lambda m: _range_en(m[2], m[4], CURRENCIES[m[1]], _scale(m, 5), twice=bool(m[3]))),
    rule(
        "money",
        rf"({_SIGNS})({p.NUMBER}){_ATTRIBUTE}",
        lambda m: f"{en.decimal(m[2])} {CURRENCIES[m[1]].en_one}" if "." not in m[2] else None,
        after=r"\b[Aa]n?\s",
        why="an amount that describes what follows",
    ),
    rule(
        "money",
        _BEFORE,
        lambda m: ("minus " if m[2] else "") + _en(m[3], CURRENCIES[m[1]], _scale(m, 4)),
    ),
    rule("money", _AFTER, lambda m: _en(m[1], CURRENCIES[m[2]])),
    rule(
        "money",
        r"(\d{1,2})p(?![A-Za-z0-9])",
        lambda m: en.plural(m[1], "penny", "pence"),
    ),
    rule("money", r"(\d{1,3})¢", lambda m: en.plural(m[1], "cent", "cents")),
)
