"""How Chinese reads everything that is not plain Han: an ordered list of rules, first fit wins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edged.text import abbreviations
from edged.text import patterns as p
from edged.text.addresses import read_address
from edged.text.alphabet import HAN
from edged.text.letters import greek_name, read_code, read_word, spell
from edged.text.numbers_zh import by_digit, cardinal, counted, decimal, integer, phone
from edged.text.tokens import Rule, rule
from edged.text.units import CURRENCIES, SIGN_NAMES, SYMBOL_NAMES, UNITS, Currency

_MEASURE = (
    r"(?:个|位|名|张|台|件|份|次|遍|天|年(?!级)|周(?![一二三四五六日])|星期|小时|分钟|秒|点(?!\d)|点(?=\d{1,2}分)|元|块|人|公里|"
    "公斤|千克|千米|毫米|厘米|米|升|毫升|吨|克|斤|岁|条|种|间|家|项|笔|本|支|只|辆|部|瓶|杯|包|箱|袋|页|组|倍|步|站(?!台)|盒|款|双|"
    "对|套|批|片|根|万|千|百|亿|晚|夜|折)"
)
_CALL = r"(?:电话|热线|拨打|致电|请打|呼叫|客服|传真|手机|分机|转)(?:号码|号)?(?:是|为|[:：，,]|\s){0,3}"
_HOTLINE = "报警|急救|火警|(?:客服|服务)?(?:电话|热线)"
_ROOM = "号?(?:(?:诊|病|教|办公|会议|实验)?室|病?房|包间|包厢)"
_CODE = (
    r"(?:会议室|房间|教室|病房|包间|包厢|验证码|密码|尾号|编号|工号|卡号|单号|账号|学号|流水号|证号|号码|代码|编码|航班|"
    r"车牌|取件码|取货码|口令|邮编|订单|格口|(?i:room))(?:号|是|为|[:：，,]|\s){0,3}|\*\*"
)
_HALF_DAY = {"A": "上午", "P": "下午"}
_SCALES = {"million": "百万", "billion": "十亿", "trillion": "万亿"}
_ADDRESS_NAMES = {sign: zh for sign, (zh, _) in SIGN_NAMES.items()}


def _date(year: str, month: str, day: str) -> str | None:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return None
    return f"{by_digit(year)}年{cardinal(int(month))}月{cardinal(int(day))}日"


def _month_first(m: re.Match[str]) -> str | None:
    return _date(m[3], m[1], m[2]) or _date(m[3], m[2], m[1])


def _clock(hour: str, minute: str | None, second: str | None) -> str:
    words = f"{counted(str(int(hour)))}点"
    for digits, name in ((minute, "分"), (second, "秒")):
        if digits and (int(digits) or (name == "分" and second)):
            words += f"{'零' if digits[0] == '0' and int(digits) else ''}{cardinal(int(digits))}{name}"
    return words


def _money(amount: str, currency: Currency, scale: str | None = None) -> str:
    whole, _, fraction = amount.replace(",", "").replace(" ", "").partition(".")
    if scale:
        return f"{counted(amount)}{_SCALES.get(scale, scale)}{currency.zh}"
    if len(fraction) > 2:
        return f"{decimal(amount)}{currency.zh}"
    cents = int(fraction.ljust(2, "0"))
    units = f"{counted(whole)}{currency.zh}" if int(whole) or not cents else ""
    return units + (_yuan_cents(cents, bool(units)) if currency.zh == "元" else _cents(cents, currency))


def _yuan_cents(cents: int, after_units: bool) -> str:
    jiao, fen = divmod(cents, 10)
    gap = "零" if after_units and fen and not jiao else ""
    return (f"{cardinal(jiao)}角" if jiao else "") + (f"{gap}{cardinal(fen)}分" if fen else "")


def _cents(cents: int, currency: Currency) -> str:
    return f"{cardinal(cents)}{currency.zh_cent}" if cents else ""


def _percent(m: re.Match[str]) -> str:
    return f"{'百分之' if m[2] == '%' else '千分之'}{decimal(m[1])}"


def _page(m: re.Match[str]) -> str:
    return f"{cardinal(int(m[1]))}{m[3]}共{cardinal(int(m[2]))}{m[3]}"


def _fraction(m: re.Match[str]) -> str | None:
    if not int(m[2]):
        return None
    return f"{cardinal(int(m[2]))}分之{cardinal(int(m[1]))}"


def _dotted(m: re.Match[str]) -> str:
    groups = m[0].split(".")
    is_ip = len(groups) == 4 and all(int(g) < 256 for g in groups)
    return "点".join(by_digit(g) if is_ip else integer(g) for g in groups)


def _number_sign(letters: str, digits: str) -> str:
    return f"{spell(letters)} {by_digit(digits)}号" if letters else f"{integer(digits)}号"


_NUMBERS: Sequence[Rule] = (
    rule("address", p.EMAIL, lambda m: read_address(m[0], by_digit, _ADDRESS_NAMES)),
    rule("address", p.URL, lambda m: read_address(m[0], by_digit, _ADDRESS_NAMES)),
    rule("date", p.ISO_DATE, lambda m: _date(m[1], m[3], m[4])),
    rule("date", p.SLASH_DATE, _month_first),
    rule("pause", p.TIMESTAMP_JOINT, "，"),
    rule(
        "date",
        r"((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\d-])",
        lambda m: f"{by_digit(m[1])}年{cardinal(int(m[2]))}月",
    ),
    rule("time", p.CLOCK + p.HALF_DAY, lambda m: _HALF_DAY[m[4].upper()] + _clock(m[1], m[2], m[3])),
    rule(
        "time", r"(1[0-2]|0?[1-9])" + p.HALF_DAY, lambda m: _HALF_DAY[m[2].upper()] + _clock(m[1], None, None)
    ),
    rule(
        "score",
        p.SCORE,
        lambda m: f"{cardinal(int(m[1]))}比{cardinal(int(m[2]))}",
        after="比分(?:为|是|[:：]|\\s){0,3}",
    ),
    rule("time", p.CLOCK + "分?", lambda m: _clock(m[1], m[2], m[3])),
    rule("score", p.SCORE, lambda m: f"{cardinal(int(m[1]))}比{cardinal(int(m[2]))}"),
    rule("money", f"({p.NUMBER})元", lambda m: _money(m[1], CURRENCIES["¥"])),
    rule("phone", p.INTERNATIONAL_PHONE, lambda m: f"加{phone(m[0])}"),
    rule("phone", p.CHINESE_PHONE, lambda m: phone(m[0])),
    rule("phone", r"\d{3,12}(?:-\d{3,8}){0,3}(?![\d.:/])", lambda m: phone(m[0]), after=_CALL),
    rule("phone", rf"1\d{{2,4}}(?={_HOTLINE})", lambda m: phone(m[0])),
    rule("card", p.CARD, lambda m: by_digit(m[0])),
    rule("dotted", p.DOTTED, _dotted),
    rule("hyphenated", p.HYPHENATED, lambda m: "杠".join(by_digit(g) for g in m[0].split("-"))),
    rule("money", f"{p.MONEY}元?", lambda m: _money(m[2], CURRENCIES[m[1]], m[3])),
    rule(
        "percent",
        f"({p.NUMBER})%?{p.DASH}({p.NUMBER})%",
        lambda m: f"百分之{decimal(m[1])}到百分之{decimal(m[2])}",
    ),
    rule("percent", p.PERCENT, _percent),
    rule(
        "number_sign",
        r"(?:No|NO|no)\.?\s?([A-Z]{0,3})-?(\d{1,16})(?!\d)号?",
        lambda m: _number_sign(m[1], m[2]),
    ),
    rule("number_sign", r"#\s?(\d{1,6})(?!\d)", lambda m: f"{integer(m[1])}号"),
    rule("number_sign", r"(\d{1,6})#(?!\d)", lambda m: f"{integer(m[1])}号"),
    rule("page", r"(\d{1,5})/(\d{1,5})([页张题步章节集轮项])", _page, after="第\\s?"),
    rule("page", r"(\d{1,5})/(\d{1,5})(页)", lambda m: f"第{_page(m)}"),
    rule("version", p.VERSION, lambda m: f"V {'点'.join(integer(g) for g in m[1].split('.'))}"),
    rule("quantity", p.QUANTITY, lambda m: f"{counted(m[1])}{UNITS[m[2]].zh}"),
    rule("quantity", p.PER_UNIT, lambda m: f"每{UNITS[m[1]].zh}"),
    rule("ordinal", r"(\d{1,6})(?:st|nd|rd|th)(?![A-Za-z])", lambda m: f"第{integer(m[1])}"),
    rule("plate", p.PLATE_END, lambda m: f" {read_code(m[0], by_digit)}", after=f"[{HAN}][A-Z]"),
    rule("ticket", p.TICKET, lambda m: f"{spell(m[1].rstrip('-'))} {by_digit(m[2])}"),
    rule("code", p.MIXED_CODE, lambda m: read_code(m[0], by_digit)),
    rule("code", p.FLOOR_CODE, lambda m: f"{by_digit(m[1])} {spell(m[2])}"),
    rule("code", r"\d{3,100}(?![\d.])", lambda m: by_digit(m[0]), after=_CODE),
    rule("room", rf"\d{{3,4}}(?={_ROOM})", lambda m: by_digit(m[0])),
    rule("route", r"\d{3,4}(?=路|次列车)", lambda m: by_digit(m[0])),
    rule("year", r"[12]\d{3}(?=学?年(?!前|后|的?历史))", lambda m: by_digit(m[0])),
    rule("year", r"[12]\d{3}(?=\s?[-~–—至到]\s?[12]\d{3}学?年)", lambda m: by_digit(m[0])),
    rule("year", "[5-9]0(?=后)", lambda m: by_digit(m[0])),
    rule("fraction", p.FRACTION, _fraction),
    rule("count", rf"(?<!第)({p.NUMBER})(?=\s?{_MEASURE})", lambda m: counted(m[1])),
    rule("number", p.ROUND, lambda m: integer(m[0])),
    rule("number", p.LONG_RUN, lambda m: by_digit(m[0])),
    rule("number", p.NUMBER, lambda m: decimal(m[0])),
    rule("number", p.BARE_FRACTION, lambda m: decimal(m[0])),
    rule("number", p.DIGITS, lambda m: by_digit(m[0])),
)

_SIGNS: Sequence[Rule] = (
    rule("power", r"\^2(?!\d)", "的平方"),
    rule("power", p.POWER, lambda m: f"的{cardinal(int(m[1]))}次方"),
    rule("minus", p.MINUS, "减"),
    rule("range", p.RANGE, "到", after=p.AFTER_QUANTITY),
    rule("range", f"[-~](?=[{HAN}])", "到", after=f"[{HAN}]"),
    rule("joint", r"-(?=\d{1,6}[号栋室座幢单])", "", after=f"[{HAN}]"),
    rule("sign", p.NOT_AFTER_TERM + r"[-−](?=\d[\d.]{0,8}\s?°)", "零下"),
    rule("sign", p.NOT_AFTER_TERM + p.SIGN, "负"),
    rule("about", r"~(?=\d)", "约"),
    rule("per", f"/(?=[A-Za-z{HAN}])", "每", after="[元次人份]"),
    rule("dot", p.DOT_INSIDE, "点"),
    rule("pause", p.REPEATED_SYMBOL, "，"),
    rule("pause", "、|/", "、"),
    rule("quote", p.OUTER_QUOTE, ""),
    rule("pause", p.PAUSE, "，"),
    rule("space", r"(?<=\d)\s{1,8}(?=\d)", "，"),
    rule("space", rf"(?<=\d)\s{{1,8}}(?=[{HAN}])|(?<=[{HAN}])\s{{1,8}}(?=\d)", ""),
    rule("symbol", "#号", "井号"),
    rule("greek", "[Α-Ωα-ω]", lambda m: f" {greek_name(m[0])} "),
    rule("symbol", f"[{re.escape(''.join(SYMBOL_NAMES))}]", lambda m: SYMBOL_NAMES[m[0]][0]),
    rule("word", p.WORD, lambda m: read_word(m[0].replace("’", "'"), shouting=False)),
    rule("han", p.HAN_TEXT, lambda m: m[0]),
)

RULES: Sequence[Rule] = (*_NUMBERS, *abbreviations.RULES, *_SIGNS)
