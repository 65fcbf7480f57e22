"""Numbers that are amounts, ranks and fractions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule

# Words that begin like a measure word, as in "按2人工服务"
_NO_MEASURE = (
    "(?!人工|点击|家庭|部门|项目|本[人机店行地]|支[付持取票]|包裹|组[织合]|对[应方比公]|名称|位置|款项|套餐(?!具)|处理|轮椅|卷帘|"
    "格口|下[午一方面楼])"
)
_MEASURE = _NO_MEASURE + (
    r"(?:个|位|名|张|台|件|份|次|遍|天|年(?!级)|周(?![一二三四五六日])|星期|小时|分钟|秒|点(?!\d)|点(?=\d{1,2}分)|元|块|人|公里|"
    "公斤|千克|千米|毫米|厘米|米|升|毫升|吨|克|斤|岁|条|种|间|家|项|笔|本|支|只|辆|部|瓶|杯|包|箱|袋|页|组|倍|步|站(?!台)|盒|款|双|"
    "对|套|批|片|根|万|千|百|亿|晚|夜|折|粒|颗|滴|勺|匙|圈|格|匹|头|棵|朵|幅|封|把(?:雨伞|伞|钥匙|椅子|锁)|架|艘|扇|枚|卷|桶|罐|碗|盘|串|束|句|户|处|"
    "剂|贴|顿|趟|场|轮|人次|下|刻钟|层(?=楼?高)|"
    r"成(?![功员人品长立为绩])|[室房](?=\d[厅卫]))"
)
# A number before these is a rank ("2层" is the second floor) unless the words before it tell a count.
_PLACE = "(?:层|级|排|行|列|节|段|道|座|栋|幢)"
_BEFORE_COUNT = "(?:共|(?<!所)有|剩|各|每|前|后|隔|这|那)"

_MIXED_FRACTION = r"(\d{1,4})(?: |又|-)(\d{1,2})[/⁄](2|3|4|5|6|8|10|16|32|64)(?![\d/])"
_ORDINAL = r"(\d{1,6})(?:st|nd|rd|th|ST|ND|RD|TH)(?![A-Za-z])"
_EQUALS = r"(?=\s?=)"
_ROMAN = r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})(?![A-Za-z0-9])"
_AFTER_ROMAN_ZH = "(?=(?:期|级|型|类|号|区|段|章|卷|度)(?![A-Za-z]))"
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}
_BEFORE_ROMAN_EN = (
    r"\b(?:Vol\.|Fig\.|Ch\.|Sec\.|[Cc]hapter|[Pp]hase|[Pp]art|[Ss]ection|[Vv]olume|[Cc]lass|[Tt]ype|[Ss]tage|[Ll]evel|[Ww]ar|[Uu]nit|[Gg]rade|"
    r"[Aa]rticle|[Zz]one|[Bb]lock|[Aa]ct|[Ff]actor|[Ww]ing|Hall|Terminal|Appendix|Annex|Table|Figure|Book|Episode|"
    r"Round|Category|Tier|Mark|Super Bowl)\s"
)
# "In this part I will explain"
_PRONOUN = (
    r"(?!I(?:['’]|\s(?:am|was|will|would|can|could|shall|should|may|might|must|"
    r"have|had|do|did|want|need|like)\b))"
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


def _mixed_fraction_zh(m: re.Match[str]) -> str | None:
    """ "1 1/2": a whole and a part below one."""
    if not 0 < int(m[2]) < int(m[3]):
        return None
    return f"{zh.integer(m[1])}又{zh.cardinal(int(m[3]))}分之{zh.cardinal(int(m[2]))}"


def _mixed_fraction_en(m: re.Match[str]) -> str | None:
    top, bottom = int(m[2]), int(m[3])
    return f"{en.integer(m[1])} and {_part_en(top, bottom)}" if 0 < top < bottom else None


def _division_zh(m: re.Match[str]) -> str | None:
    """ "10/2=5"; what is below one stays a fraction."""
    if int(m[1]) < int(m[2]):
        return None
    return f"{zh.integer(m[1])}除以{zh.integer(m[2])}"


def _division_en(m: re.Match[str]) -> str | None:
    return f"{en.integer(m[1])} divided by {en.integer(m[2])}" if int(m[1]) >= int(m[2]) else None


def _fraction_en(m: re.Match[str]) -> str | None:
    top, bottom = int(m[1]), int(m[2])
    if not 0 < top < bottom <= 100:
        return f"{en.cardinal(top)} over {en.cardinal(bottom)}"
    return _part_en(top, bottom)


def _part_en(top: int, bottom: int) -> str:
    name = {2: "half", 4: "quarter"}.get(bottom) or en.ordinal(bottom)
    return f"{en.cardinal(top)} {name}{'' if top == 1 else 's'}"


ZH: Sequence[Rule] = (
    rule(
        "roman",
        f"({_ROMAN}){p.DASH}({_ROMAN}){_AFTER_ROMAN_ZH}",
        lambda m: f"{_roman(m[1], zh.integer)}到{_roman(m[2], zh.integer)}",
        why="Roman numerals from one to another",
    ),
    rule("roman", _ROMAN, lambda m: _roman(m[0], zh.integer), after="第"),
    rule(
        "roman",
        "(?![VX][型区号])" + _ROMAN + _AFTER_ROMAN_ZH,
        lambda m: _roman(m[0], zh.integer),
    ),
    rule("ordinal", _ORDINAL, lambda m: f"第{zh.integer(m[1])}"),
    rule("fraction", _MIXED_FRACTION, _mixed_fraction_zh),
    rule("division", p.FRACTION + _EQUALS, _division_zh),
    rule("fraction", p.FRACTION + "(?!号)", _fraction_zh),
    rule(
        "count",
        rf"(?<!第)({p.NUMBER})(?:([到至])|{p.DASH})({p.NUMBER})(?=\s?{_MEASURE})",
        lambda m: f"{zh.counted(m[1])}{m[2] or '到'}{zh.counted(m[3])}",
        why="amounts from one to another before a measure word: 2 is 两",
    ),
    rule("count", rf"(?<!第)({p.NUMBER})(?=\s?{_MEASURE})", lambda m: zh.counted(m[1])),
    rule(
        "count",
        rf"2(?=\s?{_PLACE})",
        "两",
        after=_BEFORE_COUNT,
        why="an amount, by the word before it: 2 is 两",
    ),
    rule("number", p.ROUND, lambda m: zh.integer(m[0])),
    rule("number", p.LONG_RUN, lambda m: zh.by_digit(m[0])),
    rule("number", p.NUMBER, lambda m: zh.decimal(m[0])),
    rule("number", p.BARE_FRACTION, lambda m: zh.decimal(m[0])),
    rule("number", p.DIGITS, lambda m: zh.by_digit(m[0])),
)

EN: Sequence[Rule] = (
    rule("roman", _PRONOUN + _ROMAN, lambda m: _roman(m[0], en.integer), after=_BEFORE_ROMAN_EN),
    rule("roman", _ROMAN, lambda m: _rank(m[0]), after=_BEFORE_RANK_EN),
    rule("ordinal", _ORDINAL, lambda m: en.ordinal(int(m[1]))),
    rule("fraction", r"24/7(?!\d)", "twenty-four seven"),
    rule("fraction", _MIXED_FRACTION, _mixed_fraction_en),
    rule("division", p.FRACTION + _EQUALS, _division_en),
    rule("fraction", p.FRACTION, _fraction_en),
    rule("number", p.ROUND, lambda m: en.integer(m[0])),
    rule("number", p.LONG_RUN, lambda m: en.by_digit(m[0])),
    rule("number", p.NUMBER, lambda m: en.decimal(m[0])),
    rule("number", p.BARE_FRACTION, lambda m: en.decimal(m[0])),
    rule("number", p.DIGITS, lambda m: en.by_digit(m[0])),
)
