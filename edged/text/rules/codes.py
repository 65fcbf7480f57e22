"""Codes: tickets, rooms, routes, plates, versions, pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.alphabet import HAN
from edged.text.letters import read_code, spell
from edged.text.tokens import Rule, rule

_ROOM = "号?(?:(?:诊|病|教|办公|会议|实验)?室|病?房|包间|包厢)"
_CODE_ZH = (
    r"(?:(?:末|后|前)[三四五六]位(?:数字|号码|数)?|会议室|房间|教室|病房|包间|包厢|验证码|密码|尾号|编号|工号|卡号|单号|账号|学号|流水号|证号|号码|代码|编码|航班|"
    r"车牌|取件码|取货码|提货码|兑换码|数字|端口|口令|邮编|订单|格口|(?i:room))(?:号|是|为|[:：，,]|\s){0,3}|\*\*"
)
_CODE_EN = (
    r"(?<![A-Za-z])(?:room|suite|flight|port|extension|ext|pin|code|bus|route|apartment|apt|id|password|"
    r"ending in|order|number)(?:\s(?:is|number))?[.:]?\s?"
)

_SERIAL = r"([A-Z]{1,4})((?:-\d{1,8}){2,6})(?![A-Za-z0-9-])"  # D-2023-0015
_TICKETS = r"([A-Z]{1,3})(\d{1,6})[-~–]\1(\d{1,6})(?![A-Za-z0-9-])"


def _groups(joined: str, by_digit: Callable[[str], str], joint: str) -> str:
    """ "-2023-0015": each group digit by digit, the hyphens by their name."""
    return "".join(f"{joint}{by_digit(group)}" for group in joined.split("-")[1:])


def _page(m: re.Match[str]) -> str:
    return f"{zh.cardinal(int(m[1]))}{m[3]}共{zh.cardinal(int(m[2]))}{m[3]}"


def _dotted_zh(m: re.Match[str]) -> str:
    return "点".join(zh.integer(g) for g in m[0].split("."))


def _room(digits: str) -> str:
    return zh.by_digit(digits) if len(digits) > 2 else zh.integer(digits)


def _number_sign(letters: str, digits: str) -> str:
    return f"{spell(letters)} {zh.by_digit(digits)}号" if letters else f"{zh.integer(digits)}号"


def _dotted_en(m: re.Match[str]) -> str:
    return " point ".join(en.integer(g) for g in m[0].split("."))


def _code_digits(digits: str) -> str:
    """Two digits are said as a number ("gate B twelve"), more or a leading zero one by one."""
    return en.integer(digits) if len(digits) <= 2 else en.by_digit(digits)


def _ticket(m: re.Match[str]) -> str:
    return f"{spell(m[1].rstrip('-'))} {_code_digits(m[2])}"


ZH: Sequence[Rule] = (
    rule("dotted", p.DOTTED, _dotted_zh),
    rule("hyphenated", _SERIAL, lambda m: spell(m[1]) + _groups(m[2], zh.by_digit, "杠")),
    rule("hyphenated", p.HYPHENATED, lambda m: "杠".join(zh.by_digit(g) for g in m[0].split("-"))),
    rule(
        "number_sign",
        r"(?:No|NO|no)\.?\s?([A-Z]{0,3})-?(\d{1,16})(?!\d)号?",
        lambda m: _number_sign(m[1], m[2]),
    ),
    rule("number_sign", r"#\s?(\d{1,6})(?!\d)", lambda m: f"{zh.integer(m[1])}号"),
    rule("code", r"\d{3,100}(?![\d.])", lambda m: zh.by_digit(m[0]), after=_CODE_ZH),
    rule("number_sign", r"(\d{1,6})#(?!\d)", lambda m: f"{zh.integer(m[1])}号"),
    rule("page", r"(\d{1,5})/(\d{1,5})([页张题步章节集轮项])", _page, after="第\\s?"),
    rule("page", r"(\d{1,5})/(\d{1,5})(页)", lambda m: f"第{_page(m)}"),
    rule("version", p.VERSION, lambda m: f"V {'点'.join(zh.integer(g) for g in m[1].split('.'))}"),
    rule("plate", p.PLATE_END, lambda m: f" {read_code(m[0], zh.by_digit)}", after=f"[{HAN}][A-Z]"),
    rule(
        "ticket",
        _TICKETS,
        lambda m: f"{spell(m[1])} {zh.by_digit(m[2])}到 {spell(m[1])} {zh.by_digit(m[3])}",
        why="tickets from one to another",
    ),
    rule("ticket", p.TICKET, lambda m: f"{spell(m[1].rstrip('-'))} {zh.by_digit(m[2])}"),
    rule("code", p.MIXED_CODE, lambda m: read_code(m[0], zh.by_digit)),
    rule("code", p.FLOOR_CODE, lambda m: f"{zh.by_digit(m[1])} {spell(m[2])}"),
    rule("room", r"\d{3,4}(?!\d)", lambda m: zh.by_digit(m[0]), after="(?:单元|座|栋|幢)"),
    rule(
        "room",
        r"(\d{1,4})-(\d{1,4})(?=室|号房)",
        lambda m: f"{_room(m[1])}杠{_room(m[2])}",
        after="(?:单元|座|栋|幢|楼)",
        why="a room with a hyphen inside",
    ),
    rule("room", rf"\d{{3,4}}(?={_ROOM})", lambda m: zh.by_digit(m[0])),
    rule("route", r"\d{3,4}(?=路|次列车)", lambda m: zh.by_digit(m[0])),
)

EN: Sequence[Rule] = (
    rule("dotted", p.DOTTED, _dotted_en),
    rule("hyphenated", _SERIAL, lambda m: spell(m[1]) + _groups(m[2], en.by_digit, " dash ")),
    rule("hyphenated", p.HYPHENATED, lambda m: " dash ".join(en.by_digit(g) for g in m[0].split("-"))),
    rule("number_sign", r"(?:No\.\s?|NO\.\s?|no\.\s?|No|#\s?)(?=\d|[A-Z]\d)", "number"),
    rule(
        "page",
        p.FRACTION,
        lambda m: f"{en.cardinal(int(m[1]))} of {en.cardinal(int(m[2]))}",
        after="[Pp]ages?\\s",
    ),
    rule("version", p.VERSION, lambda m: f"V {' point '.join(en.integer(g) for g in m[1].split('.'))}"),
    rule(
        "ticket",
        _TICKETS,
        lambda m: f"{spell(m[1])} {_code_digits(m[2])} to {spell(m[1])} {_code_digits(m[3])}",
        why="tickets from one to another",
    ),
    rule("ticket", p.TICKET, _ticket),
    rule(
        "plate", r"\d{3,4}(?!\d)", lambda m: en.by_digit(m[0]), after=r"[Pp]late\s(?:number\s)?[A-Z]{1,3}\s"
    ),
    rule("code", p.MIXED_CODE, lambda m: read_code(m[0], en.by_digit)),
    rule("code", p.FLOOR_CODE, lambda m: f"{en.by_digit(m[1])} {spell(m[2])}"),
    rule("code", r"\d{3,100}(?![\d.,])", lambda m: en.by_digit(m[0]), after=_CODE_EN, ignore_case=True),
)
