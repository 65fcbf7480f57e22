"""Percentages and quantities with a unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule
from edged.text.units import SYMBOL_NAMES, UNITS


def _percent(m: re.Match[str]) -> str:
    return f"{'百分之' if m[2] == '%' else '千分之'}{zh.decimal(m[1])}"


def _plural(number: str, one: str, many: str) -> str:
    return f"{en.decimal(number)} {one if number in ('1', '01') else many}"


def _quantity(m: re.Match[str]) -> str:
    unit = UNITS[m[2]]
    return _plural(m[1], unit.en_one, unit.en_many)


ZH: Sequence[Rule] = (
    rule(
        "percent",
        f"({p.NUMBER})%?{p.DASH}({p.NUMBER})%",
        lambda m: f"百分之{zh.decimal(m[1])}到百分之{zh.decimal(m[2])}",
    ),
    rule("percent", p.PERCENT, _percent),
    rule("quantity", p.QUANTITY, lambda m: f"{zh.counted(m[1])}{UNITS[m[2]].zh}"),
    rule("quantity", p.PER_UNIT, lambda m: f"每{UNITS[m[1]].zh}"),
)

EN: Sequence[Rule] = (
    rule("percent", p.PERCENT, lambda m: f"{en.decimal(m[1])} {SYMBOL_NAMES[m[2]][1]}"),
    rule("quantity", p.QUANTITY, _quantity),
    rule("quantity", p.PER_UNIT, lambda m: f"per {UNITS[m[1]].en_one}"),
)
