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
# "订单100件" is an amount, "验证码1024" and "就诊号1024" are codes
_LABEL_ZH = (
    rf"(?:(?:末|后|前)[三四五六3-8]位(?:数字|号码|数)?|(?![{p.NUMERALS}信大中小])[{HAN}]号码?|(?![起扫])[{HAN}]码"
    r"|会议室|房间|客房|教室|病房|包间|包厢|身份证|通行证|航班|车牌|数字|端口|口令|邮编|订单|运单|格口|(?i:room))"
)
_JOINT_ZH = r"(?:号|是|为|[:：，,]|\s){0,3}"
_CODE_ZH = rf"{_LABEL_ZH}{_JOINT_ZH}[-−*#]?|\*\*"
_CODE_EN = (
    r"(?<![A-Za-z])(?:room|suite|flight|port|ext|extension|pin|code|bus|route|apartment|apt|id|password|passcode|error|"
    r"locker|account|employee|member|passenger|patient|invoice|train|badge|digits|order|number|"
    r"ending(?: in)?)(?:\s(?:is|are|number|code|id|no|#))?[.:#]?\s?"
)
_PROVINCE = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_FLIGHT = r"(?:[A-Z]{2}|[A-Z]\d|\d[A-Z])\s\d{2,4}(?![A-Za-z0-9])"  # UA 857
_PLACES_EN = r"(?<![A-Za-z])(?:room|suite|desk|counter|locker|gate|bus|route|seat|apartment)(?:s|es)\s"
_PLACE_RANGE_EN = r"(\d{3,4})(?:-|\s(to|and|through)\s)(\d{3,4})(?!\d)"

# D-2023-0015 · 20231105-0012 · 8-2-3015
_HYPHENATED = (
    rf"[A-Z]{{1,4}}(?:-\d{{1,8}}){{2,6}}(?![A-Za-z0-9-])|[1-9]\d{{2,12}}-0\d{{1,11}}(?![\d-])|{p.HYPHENATED}"
)
_TICKETS = r"([A-Z]{1,3})(\d{1,6})[-~–]\1(\d{1,6})(?![A-Za-z0-9-])"
_SPOT = r"([A-Z]{1,3})(\d{1,4})-(\d{2,6})(?![A-Za-z0-9号-])" + p.NO_AMOUNT  # parking spot B2-105, shelf C3-07
# an activation key such as 9K2M-77QX: letters and digits in one group
_KEY = r"(?=[A-Z0-9-]{0,40}(?:[A-Z]\d|\d[A-Z]))[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){1,7}(?![A-Za-z0-9-])"
_HEX = r"0[xX]([0-9A-Fa-f]{1,16})(?![A-Za-z0-9])"


def _groups(code: str, by_digit: Callable[[str], str], joint: str) -> str:
    """ "D-2023-0015": each group sign by sign, the hyphens by their name."""
    return joint.join(read_code(group, by_digit) for group in code.split("-"))


def _page(m: re.Match[str]) -> str:
    return f"{zh.cardinal(int(m[1]))}{m[3]}共{zh.cardinal(int(m[2]))}{m[3]}"


def _dotted_zh(m: re.Match[str]) -> str:
    return "点".join(zh.integer(g) for g in m[0].split("."))


def _room(digits: str) -> str:
    return zh.by_digit(digits) if len(digits) > 2 else zh.integer(digits)


def _room_with_hyphen(m: re.Match[str]) -> str | None:
    """ "1-201", "12-3": an entrance or a floor and a room; two rooms in rising order are a range."""
    if len(m[1]) == len(m[2]) and int(m[1]) < int(m[2]):
        return None
    return f"{_room(m[1])}杠{_room(m[2])}"


def _is_spot(area: str, place: str) -> bool:
    """Whether the hyphen in A1-05 stands inside one code, and not for "to" as in A1-5."""
    return len(place) > max(2, len(area)) or (place[0] == "0" and area[0] != "0")


def _spot(m: re.Match[str], by_digit: Callable[[str], str], joint: str) -> str | None:
    return f"{spell(m[1])} {by_digit(m[2])}{joint}{by_digit(m[3])}" if _is_spot(m[2], m[3]) else None


def _number_sign(letters: str, digits: str) -> str:
    return f"{spell(letters)} {zh.by_digit(digits)}号" if letters else f"{zh.integer(digits)}号"


def _dotted_en(m: re.Match[str]) -> str:
    return " point ".join(en.integer(g) for g in m[0].split("."))


def _code_digits(digits: str) -> str:
    """Two digits are said as a number ("gate B twelve"), more or a leading zero one by one."""
    return en.integer(digits) if len(digits) <= 2 else en.by_digit(digits)


def _ticket(m: re.Match[str]) -> str:
    return f"{spell(m[1].rstrip('-'))} {_code_digits(m[2])}"


def _place_range(m: re.Match[str]) -> str:
    return f"{en.by_digit(m[1])} {m[2] or 'to'} {en.by_digit(m[3])}"


ZH: Sequence[Rule] = (
    rule("dotted", p.DOTTED, _dotted_zh),
    rule("hyphenated", _HYPHENATED, lambda m: _groups(m[0], zh.by_digit, "杠")),
    rule(
        "number_sign",
        r"(?:No|NO|no)\.?\s?([A-Z]{0,3})-?(\d{1,16})(?!\d)号?",
        lambda m: _number_sign(m[1], m[2]),
    ),
    rule("number_sign", r"#\s?(\d{1,6})(?!\d)", lambda m: f"{zh.integer(m[1])}号"),
    rule(
        "hyphenated",
        r"\d{1,8}-\d{3,8}" + p.NO_AMOUNT,
        lambda m: _groups(m[0], zh.by_digit, "杠"),
        after=rf"[{HAN}]码{_JOINT_ZH}",
    ),
    rule("code", _HEX, lambda m: f"零 X {read_code(m[1], zh.by_digit)}"),
    rule("code", r"\d{3,100}" + p.NO_AMOUNT, lambda m: zh.by_digit(m[0]), after=_CODE_ZH),
    rule("code", r"\d{3,12}" + p.NO_AMOUNT, lambda m: zh.by_digit(m[0]), after="[A-Za-z]-"),
    rule(
        "card",
        r"\d{4,19}(?: \d{4}){0,4}" + p.NO_AMOUNT,
        lambda m: zh.by_digit(m[0]),
        after=r"(?<![刷发办])卡号?\s?|[卡户][(（]",
    ),
    rule("number_sign", r"(\d{1,6})#(?!\d)", lambda m: f"{zh.integer(m[1])}号"),
    rule("page", r"(\d{1,5})/(\d{1,5})([页张题步章节集轮项])", _page, after="第\\s?"),
    rule("page", r"(\d{1,5})/(\d{1,5})(页)", lambda m: f"第{_page(m)}"),
    rule("version", p.VERSION, lambda m: f"V {'点'.join(zh.integer(g) for g in m[1].split('.'))}"),
    rule("plate", p.PLATE_END, lambda m: f" {read_code(m[0], zh.by_digit)}", after=f"[{HAN}][A-Z]"),
    rule(
        "plate",
        r"\s[A-Z0-9]{4,6}(?![A-Za-z0-9])" + p.NO_AMOUNT,
        lambda m: f" {read_code(m[0], zh.by_digit)}",
        after=f"[{_PROVINCE}][A-Z]",
    ),
    rule(
        "ticket",
        _TICKETS,
        lambda m: f"{spell(m[1])} {zh.by_digit(m[2])}到 {spell(m[1])} {zh.by_digit(m[3])}",
        why="tickets from one to another",
    ),
    rule("code", _KEY, lambda m: _groups(m[0], zh.by_digit, "杠")),
    rule("code", _SPOT, lambda m: _spot(m, zh.by_digit, "杠"), why="a hyphen inside a code"),
    rule("ticket", p.TICKET, lambda m: f"{spell(m[1].rstrip('-'))} {zh.by_digit(m[2])}"),
    rule("ticket", r"([A-Z])\s(\d{1,4})(?=号)", lambda m: f"{m[1]} {zh.by_digit(m[2])}"),
    rule(
        "code",
        _FLIGHT,
        lambda m: read_code(m[0], zh.by_digit),
        after="航班号?\\s?",
    ),
    rule("code", _FLIGHT + "(?=次|航班)", lambda m: read_code(m[0], zh.by_digit)),
    rule("code", p.MIXED_CODE, lambda m: read_code(m[0], zh.by_digit)),
    rule("code", p.FLOOR_CODE, lambda m: f"{zh.by_digit(m[1])} {spell(m[2])}"),
    rule("room", r"\d{3,4}" + p.NO_AMOUNT, lambda m: zh.by_digit(m[0]), after="(?:单元|座|栋|幢|号楼)"),
    rule(
        "room",
        r"(\d{1,4})-(\d{1,4})(?!\d)",
        lambda m: f"{_room(m[1])}杠{_room(m[2])}",
        after="(?:单元|座|栋|幢|号楼)",
        why="a room with a hyphen inside",
    ),
    rule(
        "room",
        r"(\d{1,4})-(\d{1,4})(?=室|号房)",
        _room_with_hyphen,
        why="a room with a hyphen inside",
    ),
    rule(
        "room",
        rf"\d{{3,4}}(?=(?:[-~至到、和]\d{{3,4}}){{0,8}}(?:{_ROOM}))",
        lambda m: zh.by_digit(m[0]),
    ),
    rule("room", r"-(\d{1,4})(?![\d层楼])", lambda m: _room(m[1]), after="(?:单元|座|栋|幢|号楼)"),
    rule("room", r"\d{2,3}[1-9](?=床)", lambda m: zh.by_digit(m[0])),
    rule("route", r"\d{3,4}(?=(?:[至到、和/]\d{1,4}){0,8}(?:路|次列车))", lambda m: zh.by_digit(m[0])),
)

EN: Sequence[Rule] = (
    rule("dotted", p.DOTTED, _dotted_en),
    rule("hyphenated", _HYPHENATED, lambda m: _groups(m[0], en.by_digit, " dash ")),
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
    rule(
        "hyphenated",
        r"\d{1,8}-\d{3,8}" + p.NO_AMOUNT,
        lambda m: _groups(m[0], en.by_digit, " dash "),
        after=r"[Cc]ode(?:\sis)?:?\s",
    ),
    rule("code", _HEX, lambda m: f"zero X {read_code(m[1], en.by_digit)}"),
    rule("code", _KEY, lambda m: _groups(m[0], en.by_digit, " dash ")),
    rule("code", _SPOT, lambda m: _spot(m, en.by_digit, " dash "), why="a hyphen inside a code"),
    rule("plate", p.PLATE_END, lambda m: f" {read_code(m[0], en.by_digit)}", after=f"[{HAN}][A-Z]"),
    rule(
        "plate",
        r"[A-Z0-9]{1,4}\s[A-Z0-9]{3,4}(?![A-Za-z0-9])",
        lambda m: read_code(m[0], en.by_digit),
        after=r"(?:[Pp]late|[Vv]ehicle|[Rr]egistration)\s(?:number\s)?(?:is\s)?",
    ),
    rule(
        "code",
        _FLIGHT,
        lambda m: read_code(m[0], en.by_digit),
        after=r"[Ff]lights?\s",
    ),
    rule("ticket", p.TICKET, _ticket),
    rule("code", p.MIXED_CODE, lambda m: read_code(m[0], en.by_digit)),
    rule("code", p.FLOOR_CODE, lambda m: f"{en.by_digit(m[1])} {spell(m[2])}"),
    rule("code", r"\d{3,100}" + p.NO_AMOUNT, lambda m: en.by_digit(m[0]), after=_CODE_EN, ignore_case=True),
    rule("code", r"\d{3,12}" + p.NO_AMOUNT, lambda m: en.by_digit(m[0]), after="[A-Za-z]-"),
    rule("room", _PLACE_RANGE_EN, _place_range, after=_PLACES_EN, ignore_case=True),
    rule(
        "route", r"\d{3,4}(?=\s(?:bus|tram|train|flight)\b)", lambda m: en.by_digit(m[0]), after="[Tt]he\\s"
    ),
)
