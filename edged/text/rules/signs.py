"""Signs: of mathematics and ranges, pauses, quotes, and symbols that are words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.alphabet import HAN
from edged.text.letters import greek_name
from edged.text.tokens import Rule, rule
from edged.text.units import SYMBOL_NAMES

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:s|nes|rs|ur)?(?:day)?(?![a-z])"

_TIMES = r"\s?\*\s?(?=[\d(])"
# "6*7" is a product, "*100*2#" is dialled
_FACTOR = r"(?:^|[^*#\d.])[\d.]{1,6}(?:\s?\*\s?[\d.]{1,5})?"


def _day(beginning: str) -> str:
    return next(day for day in _DAYS if day.startswith(beginning))


ZH: Sequence[Rule] = (
    rule("power", r"\^2(?!\d)", "的平方"),
    rule("power", p.POWER, lambda m: f"的{zh.cardinal(int(m[1]))}次方"),
    rule("minus", p.MINUS, "减"),
    rule("times", _TIMES, "乘", after=_FACTOR),
    rule("range", p.RANGE, "到", after=p.AFTER_QUANTITY),
    rule(
        "range", "[-~–—](?=次日|翌日|第二天|凌晨|早上|上午|中午|下午|晚|今晚|明)", "到", after="[\\d点分日月]"
    ),
    rule("range", f"[-~](?=[{HAN}])", "到", after=f"[{HAN}]"),
    rule("joint", r"-(?=\d{1,6}[号栋室座幢单])", "", after=f"[{HAN}]"),
    rule("sign", p.NOT_AFTER_TERM + r"[-−](?=\d[\d.]{0,8}\s?°)", "零下"),
    rule("sign", p.NOT_AFTER_TERM + p.SIGN, "负"),
    rule("about", r"~(?=\d)", "约"),
    rule("dot", p.DOT_INSIDE, "点"),
    rule("pause", p.REPEATED_SYMBOL, "，"),
    rule("pause", "、|/", "、"),
    rule("quote", p.OUTER_QUOTE, ""),
    rule("pause", p.PAUSE, "，"),
    rule("space", r"(?<=\d)\s{1,8}(?=\d)", "，"),
    rule("pause", rf"(?<=[{HAN}])\s(?=\d{{1,2}}\.\s)", "，"),
    rule("space", rf"(?<=\d)\s{{1,8}}(?=[{HAN}])|(?<=[{HAN}])\s{{1,8}}(?=[\d¥$€£])", ""),
    rule("symbol", "#号", "井号"),
    rule("symbol", r"\*号", "星号"),
    rule("pause", r"\.(?=\s)", "，", after=r"(?:^|\s)\d{1,2}"),
    rule("greek", "[Α-Ωα-ω]", lambda m: f" {greek_name(m[0])} "),
    rule("symbol", rf"\s?([{re.escape(''.join(SYMBOL_NAMES))}])\s?", lambda m: SYMBOL_NAMES[m[1]][0]),
)

EN: Sequence[Rule] = (
    rule("power", r"\^2(?!\d)", "squared"),
    rule("power", r"\^3(?!\d)", "cubed"),
    rule("power", p.POWER, lambda m: f"to the power of {en.cardinal(int(m[1]))}"),
    rule("minus", p.MINUS, "minus"),
    rule("times", _TIMES, "times", after=_FACTOR),
    rule("range", p.RANGE, "to", after=p.AFTER_QUANTITY),
    rule("range", rf"{_DAY}{p.DASH}{_DAY}", lambda m: f"{_day(m[1])} to {_day(m[2])}"),
    rule("sign", p.NOT_AFTER_TERM + p.SIGN, "minus"),
    rule("about", r"~(?=\d)", "about"),
    rule("dot", p.DOT_INSIDE, "dot"),
    rule("pause", p.REPEATED_SYMBOL, ","),
    rule("pause", p.PAUSE, ","),
    rule("greek", "[Α-Ωα-ω]", lambda m: greek_name(m[0])),
    rule("symbol", f"[{re.escape(''.join(SYMBOL_NAMES))}]", lambda m: SYMBOL_NAMES[m[0]][1]),
)
