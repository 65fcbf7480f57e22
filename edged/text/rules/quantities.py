"""Percentages and quantities with a unit, and what they are counted per."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.alphabet import HAN
from edged.text.tokens import Rule, rule
from edged.text.units import SYMBOL_NAMES, UNITS

_OF = {"%": "百分之", "‰": "千分之"}
_DEGREE = "°[CF]?"
_SIGNED = r"[-−]?\d{1,4}(?:\.\d{1,3})?"
# A is a letter of tickets and seats far more often than an ampere.
_AMPS = rf"({p.NUMBER})\s?A(?![A-Za-z0-9])"
_CURRENT_ZH = r"(?:电流\D{0,5}|\d\s?k?[VW]\s?[/，、,]\s?)"
_VOLTS_FOLLOW = r"(?=\s?(?:[/，、,]|at\s)\s?\d{1,4}\s?k?V)"
_CURRENT_EN = r"(?:[Cc]urrent|[Rr]ated|[Dd]raws?)(?:\s(?:is|of|at))?\s"
_PART = r"(?<!\d)\d{1,2}/\d{1,2}"  # 1/2 kg
_FUSE = r"(?=\s(?:fuse|breaker|circuit|socket|outlet|load|supply|adapter))"
_PRESSURE = r"(\d{2,3})/(\d{2,3})(?![\d/])"
_COUNTED_ZH = (
    "(?:小时|分钟|分(?!之)|秒|天|日|周(?![一二三四五六日])|月|年|晚|夜|人|次|份|位|平方米|立方米|公里|千米|米|公斤|千克|斤|克|升|吨|"
    "箱|盒|件|袋|瓶|罐|张|台|只|间|户|车)"
)
_COUNTED_EN = (
    "(?:hour|day|night|week|month|year|person|people|item|unit|minute|second|piece|box|bag|ticket|room|seat)"
)
_AFTER_AMOUNT_ZH = (
    rf"(?:[¥$€£]\s?[\d.,]{{1,12}}|[元块角分次公里米升克斤吨人度字页转滴份件%‰^\d]|{_DEGREE}|[a-zA-Z])"
)
# An amount with a short unit, or a unit alone: "day/night" is no rate.
_AFTER_AMOUNT_EN = r"(?:\d\s?[A-Za-zμΩ°%^\d·]{0,8}|[%°]|(?<![A-Za-z])[kmμ]?(?:g|[Ll]|W|m|mol))"


def _percent(m: re.Match[str]) -> str:
    return f"{_OF[m[2]]}{zh.decimal(m[1])}"


def _quantity(m: re.Match[str]) -> str:
    unit = UNITS[m[2]]
    return en.plural(m[1], unit.en_one, unit.en_many)


def _temperatures(m: re.Match[str]) -> str:
    low, high = (_degrees(part) for part in (m[1], m[2]))
    return f"{low}到{high}{UNITS[m[3]].zh}"


def _degrees(signed: str) -> str:
    below = signed[0] in "-−"
    return f"零下{zh.decimal(signed[1:])}" if below else zh.decimal(signed)


def _pressure_zh(m: re.Match[str]) -> str:
    return f"{zh.cardinal(int(m[1]))}比{zh.cardinal(int(m[2]))}"


def _pressure_en(m: re.Match[str]) -> str:
    return f"{en.cardinal(int(m[1]))} over {en.cardinal(int(m[2]))}"


ZH: Sequence[Rule] = (
    rule(
        "percent",
        f"({p.NUMBER})%?{p.DASH}({p.NUMBER})%",
        lambda m: f"百分之{zh.decimal(m[1])}到百分之{zh.decimal(m[2])}",
    ),
    rule("percent", p.PERCENT, _percent),
    rule("percent", p.HAN_PERCENT, lambda m: f"{_OF[m[2]]}{m[1]}"),
    rule("quantity", p.UNIT, lambda m: UNITS[m[1]].zh, after=f"[{p.NUMERALS}]"),
    rule(
        "discount",
        r"([1-9])([1-9])(?=折)",
        lambda m: zh.by_digit(m[0]),
        why="tenths and hundredths of a price",
    ),
    rule("pressure", rf"{_PRESSURE}\s?mmHg", lambda m: f"{_pressure_zh(m)}毫米汞柱"),
    rule("pressure", _PRESSURE, _pressure_zh, after="血压(?:值|是|为|[:：\\s]){0,3}"),
    rule("temperature", rf"({_SIGNED}){p.DASH}({_SIGNED})\s?({_DEGREE})(?![A-Za-z])", _temperatures),
    rule(
        "quantity",
        rf"({p.NUMBER}){p.DASH}({p.NUMBER})\s?{p.UNIT}",
        lambda m: f"{zh.counted(m[1])}到{zh.counted(m[2])}{UNITS[m[3]].zh}",
        why="a quantity from one to another",
    ),
    rule("quantity", p.QUANTITY, lambda m: f"{zh.counted(m[1])}{UNITS[m[2]].zh}"),
    rule("quantity", _AMPS, lambda m: f"{zh.counted(m[1])}安", after=_CURRENT_ZH),
    rule("quantity", _AMPS + _VOLTS_FOLLOW, lambda m: f"{zh.counted(m[1])}安"),
    rule(
        "quantity",
        rf"({p.NUMBER})M(?![A-Za-z0-9])",
        lambda m: f"{zh.decimal(m[1])}兆",
        after="(?:流量|还剩|剩余|内存|带宽|宽带)\\D{0,4}",
    ),
    rule("pollutant", r"PM\s?(2\.5|10|1\.0)(?![\d.])", lambda m: f"P M {zh.decimal(m[1])}"),
    rule(
        "per",
        r"(?<!人)/\s?(?=\d{1,4}\s?(?:k?g|m?L|ml|克|毫升|公斤|斤)(?![A-Za-z]))",
        "每",
        after=_AFTER_AMOUNT_ZH,
    ),
    rule("quantity", p.PER_UNIT, lambda m: f"每{UNITS[m[1]].zh}"),
    rule("per", rf"/\s?(?={_COUNTED_ZH})", "每", after=_AFTER_AMOUNT_ZH),
    rule("unit", r"°([CF])(?![A-Za-z])", lambda m: UNITS[m[0]].zh),
    rule(
        "pause",
        rf"\s(?=[{HAN}]{{1,6}}[¥$€£]?\d)",
        "，",
        after=rf"(?:\d\s?(?:[%‰]|{_DEGREE})|[¥$€£]\s?[\d.,]{{1,12}})",
    ),
    rule("unit", rf"\s?{p.UNIT}", lambda m: UNITS[m[1]].zh, after=_PART),
)

EN: Sequence[Rule] = (
    rule("percent", p.PERCENT, lambda m: f"{en.decimal(m[1])} {SYMBOL_NAMES[m[2]][1]}"),
    rule("pressure", rf"{_PRESSURE}\s?mmHg", lambda m: f"{_pressure_en(m)} millimeters of mercury"),
    rule(
        "quantity",
        rf"{p.QUANTITY}(?=\s[a-z])",
        lambda m: f"{en.decimal(m[1])} {UNITS[m[2]].en_one}",
        after=r"\b[Aa]n?\s",
        why="a quantity that describes what follows",
    ),
    rule("quantity", p.QUANTITY, _quantity),
    rule("quantity", _AMPS, lambda m: en.plural(m[1], "amp", "amps"), after=_CURRENT_EN),
    rule("quantity", _AMPS + _VOLTS_FOLLOW, lambda m: en.plural(m[1], "amp", "amps")),
    rule("quantity", _AMPS + _FUSE, lambda m: f"{en.decimal(m[1])} amp"),
    rule("pollutant", r"PM\s?(2\.5|10|1\.0)(?![\d.])", lambda m: f"P M {en.decimal(m[1])}"),
    rule("quantity", p.PER_UNIT, lambda m: f"per {UNITS[m[1]].en_one}", after=_AFTER_AMOUNT_EN),
    rule("per", rf"/\s?(?={_COUNTED_EN}(?![a-z]))", "per", after=_AFTER_AMOUNT_EN),
    rule("unit", rf"\s?{p.UNIT}", lambda m: UNITS[m[1]].en_one, after=_PART),
)
