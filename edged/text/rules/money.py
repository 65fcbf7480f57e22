"""Amounts of money."""

from __future__ import annotations

from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule
from edged.text.units import CURRENCIES, Currency

_SCALES = {"million": "百万", "billion": "十亿", "trillion": "万亿"}


def _money_zh(amount: str, currency: Currency, scale: str | None = None) -> str:
    whole, _, fraction = amount.replace(",", "").replace(" ", "").partition(".")
    if scale:
        return f"{zh.counted(amount)}{_SCALES.get(scale, scale)}{currency.zh}"
    if len(fraction) > 2:
        return f"{zh.decimal(amount)}{currency.zh}"
    cents = int(fraction.ljust(2, "0"))
    units = f"{zh.counted(whole)}{currency.zh}" if int(whole) or not cents else ""
    return units + (_yuan_cents(cents, bool(units)) if currency.zh == "元" else _cents(cents, currency))


def _yuan_cents(cents: int, after_units: bool) -> str:
    jiao, fen = divmod(cents, 10)
    gap = "零" if after_units and fen and not jiao else ""
    return (f"{zh.cardinal(jiao)}角" if jiao else "") + (f"{gap}{zh.cardinal(fen)}分" if fen else "")


def _cents(cents: int, currency: Currency) -> str:
    return f"{zh.cardinal(cents)}{currency.zh_cent}" if cents else ""


def _plural(number: str, one: str, many: str) -> str:
    return f"{en.decimal(number)} {one if number in ('1', '01') else many}"


def _money_en(amount: str, currency: Currency, scale: str | None) -> str:
    whole, _, fraction = amount.replace(",", "").replace(" ", "").partition(".")
    if scale:
        return f"{en.decimal(amount)} {scale} {currency.en_many}"
    if len(fraction) > 2:
        return f"{en.decimal(amount)} {currency.en_many}"
    cents = int(fraction.ljust(2, "0"))
    parts = []
    if int(whole) or not cents:
        parts.append(_plural(whole, currency.en_one, currency.en_many))
    if cents:
        parts.append(_plural(str(cents), currency.en_cent, currency.en_cents))
    return " and ".join(parts)


ZH: Sequence[Rule] = (
    rule("money", f"({p.NUMBER})元", lambda m: _money_zh(m[1], CURRENCIES["¥"])),
    rule("money", f"{p.MONEY}元?", lambda m: _money_zh(m[2], CURRENCIES[m[1]], m[3])),
)

EN: Sequence[Rule] = (rule("money", p.MONEY, lambda m: _money_en(m[2], CURRENCIES[m[1]], m[3])),)
