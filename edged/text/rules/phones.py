"""Telephone and card numbers: digit by digit."""

from __future__ import annotations

from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule

_CALL_ZH = (
    r"(?:电话|热线|拨打|致电|请打|请拨|拨|长途|呼叫|客服|传真|手机|分机|转)"
    r"(?:号码|号)?(?:是|为|[:：，,]|\s){0,3}"
)
_HOTLINE = "报警|急救|火警|(?:客服|服务)?(?:电话|热线)"
_CALL_EN = r"(?<![A-Za-z])(?:call|dial|phone|telephone|tel|hotline)[.:]?\s?"


ZH: Sequence[Rule] = (
    rule("phone", p.INTERNATIONAL_PHONE, lambda m: f"加{zh.phone(m[0])}"),
    rule("phone", p.CHINESE_PHONE, lambda m: zh.phone(m[0])),
    rule("phone", r"\d{3,12}(?:-\d{2,8}){0,3}(?![\d.:/])", lambda m: zh.phone(m[0]), after=_CALL_ZH),
    rule("phone", rf"1\d{{2,4}}(?={_HOTLINE})", lambda m: zh.phone(m[0])),
    rule("phone", r"1[12]\d(?!\d)", lambda m: zh.phone(m[0]), after="(?:火警|报警|匪警|急救)\\s?"),
    rule("card", r"\d{3,6}(?=\*{2})", lambda m: zh.by_digit(m[0])),
    rule("card", p.CARD, lambda m: zh.by_digit(m[0])),
)

EN: Sequence[Rule] = (
    rule("phone", p.INTERNATIONAL_PHONE, lambda m: f"plus {en.by_digit(m[0])}"),
    rule("phone", p.CHINESE_PHONE, lambda m: en.by_digit(m[0])),
    rule("phone", p.AMERICAN_PHONE, lambda m: en.by_digit(m[0])),
    rule(
        "phone",
        r"\d{3,12}(?![\d.,:/-])",
        lambda m: en.by_digit(m[0]),
        after=_CALL_EN,
        ignore_case=True,
    ),
    rule("card", r"\d{3,6}(?=\*{2})", lambda m: en.by_digit(m[0])),
    rule("card", p.CARD, lambda m: en.by_digit(m[0])),
)
