"""Telephone and card numbers: digit by digit."""

from __future__ import annotations

from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule

_CALL_ZH = (
    r"(?:电话|热线|拨打|致电|请打|请拨|拨|长途|呼叫|客服|传真|手机|分机|转|内线|外线|总机)"
    r"(?:号码|号)?(?:是|为|[:：，,]|\s){0,3}"
)
_HOTLINE = "报警|急救|火警|查号|网站|平台|(?:客服|服务)?(?:电话|热线)"
_SERVICE = r"(?:1\d{2,4}|9[56]\d{3,4})" + p.NO_AMOUNT  # 110, 12306, 95588
_OPERATOR = r"(?:查号台|移动|联通|电信|银行|火警|报警|匪警|急救)\s?"
_MASKED_MOBILE = r"1[3-9]\d\*{4}"
_CALL_EN = r"(?<![A-Za-z])(?:call|dial|phone|telephone|tel|hotline)[.:]?(?:\s(?:us|on|at|is|number)){0,2}\s?"
_DIGITS_EN = r"\d{3,12}(?![:/-]\d)" + p.NO_AMOUNT
_CALLED_GROUPS_EN = r"\d{2,5}(?:[ -]\d{2,4}){1,4}(?![\d-])"
_GROUPS_EN = r"0\d{2,4}(?:[ -]\d{3,4}){2}(?![\d-])"  # 0800 123 456


ZH: Sequence[Rule] = (
    rule("phone", p.INTERNATIONAL_PHONE, lambda m: f"加{zh.phone(m[0])}"),
    rule("phone", p.CHINESE_PHONE, lambda m: zh.phone(m[0])),
    rule(
        "phone", r"\d{3,12}(?:-\d{2,8}){0,3}(?![:/.])" + p.NO_AMOUNT, lambda m: zh.phone(m[0]), after=_CALL_ZH
    ),
    rule(
        "phone",
        r"\d{3,8}" + p.NO_AMOUNT,
        lambda m: zh.phone(m[0]),
        after=_CALL_ZH + r"\d{3,8}(?:或者?|、|和)",
    ),
    rule("phone", rf"{_SERVICE}(?={_HOTLINE})", lambda m: zh.phone(m[0])),
    rule("phone", _SERVICE, lambda m: zh.phone(m[0]), after=_OPERATOR),
    rule("phone", r"\d{4}(?!\d)", lambda m: zh.phone(m[0]), after=_MASKED_MOBILE),
    rule("card", r"\d{3,6}(?=\*{2})", lambda m: zh.by_digit(m[0])),
    rule("card", p.CARD, lambda m: zh.by_digit(m[0])),
)

EN: Sequence[Rule] = (
    rule("phone", p.INTERNATIONAL_PHONE, lambda m: f"plus {en.by_digit(m[0])}"),
    rule("phone", p.CHINESE_PHONE, lambda m: en.by_digit(m[0])),
    rule("phone", p.AMERICAN_PHONE, lambda m: en.by_digit(m[0])),
    rule("phone", _GROUPS_EN, lambda m: en.by_digit(m[0])),
    rule("phone", _CALLED_GROUPS_EN, lambda m: en.by_digit(m[0]), after=_CALL_EN, ignore_case=True),
    rule("phone", _DIGITS_EN, lambda m: en.by_digit(m[0]), after=_CALL_EN, ignore_case=True),
    rule(
        "phone",
        _DIGITS_EN,
        lambda m: en.by_digit(m[0]),
        after=_CALL_EN + r"\d{3,5}\s(?:or|and)\s",
        ignore_case=True,
    ),
    rule("card", r"\d{3,6}(?=\*{2})", lambda m: en.by_digit(m[0])),
    rule("card", r"\d{3,6}(?!\d)", lambda m: en.by_digit(m[0]), after=r"\*{2}"),
    rule("card", p.CARD, lambda m: en.by_digit(m[0])),
)
