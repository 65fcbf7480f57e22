"""Numbers that are amounts, ranks and fractions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule

_MEASURE = (
    r"(?:个|位|名|张|台|件|份|次|遍|天|年(?!级)|周(?![一二三四五六日])|星期|小时|分钟|秒|点(?!\d)|点(?=\d{1,2}分)|元|块|人|公里|"
    "公斤|千克|千米|毫米|厘米|米|升|毫升|吨|克|斤|岁|条|种|间|家|项|笔|本|支|只|辆|部|瓶|杯|包|箱|袋|页|组|倍|步|站(?!台)|盒|款|双|"
    "对|套|批|片|根|万|千|百|亿|晚|夜|折)"
)


_ROMAN = r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})(?![A-Za-z0-9])"
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}
_BEFORE_ROMAN_EN = (
    r"\b(?:[Cc]hapter|[Pp]hase|[Pp]art|[Ss]ection|[Vv]olume|[Cc]lass|[Tt]ype|[Ss]tage|[Ll]evel|[Ww]ar|[Uu]nit|[Gg]rade|"
    r"[Aa]rticle|[Zz]one|[Bb]lock|[Aa]ct|Super Bowl)\s"
)
_BEFORE_RANK_EN = r"\b(?:King|Queen|Pope|Henry|Louis|Elizabeth|Charles|George|William|James|Edward|Richard)\s"


def _roman(numeral: str, read: Callable[[str], str]) -> str:
    """I to XXXIX: a smaller sign before a larger one is taken away."""
    values = [_ROMAN_VALUES[sign] for sign in numeral]
    following = [*values[1:], 0]
    return read(str(sum(-a if a < b else a for a, b in zip(values, following, strict=True))))


def _rank(numeral: str) -> str:
    return f"the {_roman(numeral, lambda digits: en.ordinal(int(digits)))}"


def _fraction_zh(m: re.Match[str]) -> str | None:
    if not int(m[2]):
        return None
    return f"{zh.cardinal(int(m[2]))}分之{zh.cardinal(int(m[1]))}"


def _fraction_en(m: re.Match[str]) -> str | None:
    top, bottom = int(m[1]), int(m[2])
    if not 0 < top < bottom <= 100:
        return f"{en.cardinal(top)} over {en.cardinal(bottom)}"
    name = {2: "half", 4: "quarter"}.get(bottom) or en.ordinal(bottom)
    return f"{en.cardinal(top)} {name}{'' if top == 1 else 's'}"


ZH: Sequence[Rule] = (
    rule("roman", _ROMAN, lambda m: _roman(m[0], zh.integer), after="第"),
    rule(
        "roman",
        "(?![VX][型区号])" + _ROMAN + "(?=(?:期|级|型|类|号|区|段|章|卷|度)(?![A-Za-z]))",
        lambda m: _roman(m[0], zh.integer),
    ),
    rule("ordinal", r"(\d{1,6})(?:st|nd|rd|th)(?![A-Za-z])", lambda m: f"第{zh.integer(m[1])}"),
    rule("fraction", p.FRACTION, _fraction_zh),
    rule(
        "count",
        rf"(?<!第)({p.NUMBER}){p.DASH}({p.NUMBER})(?=\s?{_MEASURE})",
        lambda m: f"{zh.counted(m[1])}到{zh.counted(m[2])}",
        why="amounts from one to another before a measure word: 2 is 两",
    ),
    rule("count", rf"(?<!第)({p.NUMBER})(?=\s?{_MEASURE})", lambda m: zh.counted(m[1])),
    rule("number", p.ROUND, lambda m: zh.integer(m[0])),
    rule("number", p.LONG_RUN, lambda m: zh.by_digit(m[0])),
    rule("number", p.NUMBER, lambda m: zh.decimal(m[0])),
    rule("number", p.BARE_FRACTION, lambda m: zh.decimal(m[0])),
    rule("number", p.DIGITS, lambda m: zh.by_digit(m[0])),
)

EN: Sequence[Rule] = (
    rule("roman", _ROMAN, lambda m: _roman(m[0], en.integer), after=_BEFORE_ROMAN_EN),
    rule("roman", _ROMAN, lambda m: _rank(m[0]), after=_BEFORE_RANK_EN),
    rule("ordinal", r"(\d{1,6})(?:st|nd|rd|th)(?![A-Za-z])", lambda m: en.ordinal(int(m[1]))),
    rule("fraction", r"24/7(?!\d)", "twenty-four seven"),
    rule("fraction", p.FRACTION, _fraction_en),
    rule("number", p.ROUND, lambda m: en.integer(m[0])),
    rule("number", p.LONG_RUN, lambda m: en.by_digit(m[0])),
    rule("number", p.NUMBER, lambda m: en.decimal(m[0])),
    rule("number", p.BARE_FRACTION, lambda m: en.decimal(m[0])),
    rule("number", p.DIGITS, lambda m: en.by_digit(m[0])),
)
