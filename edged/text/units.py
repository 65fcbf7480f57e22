"""Units, currencies and symbols with their names in both languages. Data only."""

from __future__ import annotations

from typing import NamedTuple


class Unit(NamedTuple):
    """A unit written after a number."""

    zh: str
    en_one: str
    en_many: str


class Currency(NamedTuple):
    """A currency: names of the unit and of its hundredth."""

    zh: str
    zh_cent: str
    en_one: str
    en_many: str
    en_cent: str
    en_cents: str


def _metric(zh: str, en: str) -> Unit:
    return Unit(zh, en, f"{en}s")


UNITS: dict[str, Unit] = {
    "°C": Unit("摄氏度", "degree Celsius", "degrees Celsius"),
    "°F": Unit("华氏度", "degree Fahrenheit", "degrees Fahrenheit"),
    "°": Unit("度", "degree", "degrees"),
    "kg": _metric("公斤", "kilogram"),
    "g": _metric("克", "gram"),
    "mg": _metric("毫克", "milligram"),
    "μg": _metric("微克", "microgram"),
    "km": _metric("公里", "kilometer"),
    "m": _metric("米", "meter"),
    "cm": _metric("厘米", "centimeter"),
    "mm": _metric("毫米", "millimeter"),
    "μm": _metric("微米", "micrometer"),
    "m^2": Unit("平方米", "square meter", "square meters"),
    "m2": Unit("平方米", "square meter", "square meters"),
    "m^3": Unit("立方米", "cubic meter", "cubic meters"),
    "m3": Unit("立方米", "cubic meter", "cubic meters"),
    "km/h": Unit("公里每小时", "kilometer per hour", "kilometers per hour"),
    "m/s": Unit("米每秒", "meter per second", "meters per second"),
    "L": _metric("升", "liter"),
    "mL": _metric("毫升", "milliliter"),
    "ml": _metric("毫升", "milliliter"),
    "V": _metric("伏", "volt"),
    "mV": _metric("毫伏", "millivolt"),
    "kV": _metric("千伏", "kilovolt"),
    "W": _metric("瓦", "watt"),
    "kW": _metric("千瓦", "kilowatt"),
    "MW": _metric("兆瓦", "megawatt"),
    "kWh": _metric("千瓦时", "kilowatt hour"),
    "mA": _metric("毫安", "milliampere"),
    "mAh": _metric("毫安时", "milliampere hour"),
    "Ω": _metric("欧姆", "ohm"),
    "Hz": Unit("赫兹", "hertz", "hertz"),
    "kHz": Unit("千赫兹", "kilohertz", "kilohertz"),
    "MHz": Unit("兆赫兹", "megahertz", "megahertz"),
    "GHz": Unit("吉赫兹", "gigahertz", "gigahertz"),
    "Pa": _metric("帕", "pascal"),
    "kPa": _metric("千帕", "kilopascal"),
    "MPa": _metric("兆帕", "megapascal"),
    "mmHg": Unit("毫米汞柱", "millimeter of mercury", "millimeters of mercury"),
    "dB": _metric("分贝", "decibel"),
    "rpm": Unit("转每分钟", "revolution per minute", "revolutions per minute"),
    "kB": _metric("千字节", "kilobyte"),
    "KB": _metric("千字节", "kilobyte"),
    "MB": _metric("兆字节", "megabyte"),
    "GB": _metric("吉字节", "gigabyte"),
    "TB": _metric("太字节", "terabyte"),
    "h": _metric("小时", "hour"),
    "min": _metric("分钟", "minute"),
    "s": _metric("秒", "second"),
    "ms": _metric("毫秒", "millisecond"),
    "km^2": Unit("平方公里", "square kilometer", "square kilometers"),
    "cm^2": Unit("平方厘米", "square centimeter", "square centimeters"),
    "mm^2": Unit("平方毫米", "square millimeter", "square millimeters"),
    "cm^3": Unit("立方厘米", "cubic centimeter", "cubic centimeters"),
    "ha": _metric("公顷", "hectare"),
    "t": _metric("吨", "tonne"),
    "mph": Unit("英里每小时", "mile per hour", "miles per hour"),
    "ft": Unit("英尺", "foot", "feet"),
    "yd": _metric("码", "yard"),
    "lb": _metric("磅", "pound"),
    "lbs": _metric("磅", "pound"),
    "oz": _metric("盎司", "ounce"),
    "psi": Unit("磅每平方英寸", "pound per square inch", "pounds per square inch"),
    "bar": Unit("巴", "bar", "bar"),
    "hPa": _metric("百帕", "hectopascal"),
    "N": _metric("牛", "newton"),
    "kN": _metric("千牛", "kilonewton"),
    "N·m": _metric("牛米", "newton meter"),
    "J": _metric("焦", "joule"),
    "kJ": _metric("千焦", "kilojoule"),
    "kcal": _metric("千卡", "kilocalorie"),
    "Ah": _metric("安时", "amp hour"),
    "VA": Unit("伏安", "volt amp", "volt amps"),
    "kVA": Unit("千伏安", "kilovolt amp", "kilovolt amps"),
    "μA": _metric("微安", "microamp"),
    "kΩ": _metric("千欧", "kiloohm"),
    "MΩ": _metric("兆欧", "megaohm"),
    "kW·h": _metric("千瓦时", "kilowatt hour"),
    "Wh": _metric("瓦时", "watt hour"),
    "lx": Unit("勒克斯", "lux", "lux"),
    "lm": Unit("流明", "lumen", "lumens"),
    "dB(A)": _metric("分贝", "decibel"),
    "dBm": Unit("分贝毫瓦", "D B M", "D B M"),
    "mol": Unit("摩尔", "mole", "moles"),
    "mmol": Unit("毫摩尔", "millimole", "millimoles"),
    "μmol": Unit("微摩尔", "micromole", "micromoles"),
    "IU": Unit("国际单位", "international unit", "international units"),
    "ppm": Unit(" P P M ", "part per million", "parts per million"),
    "bpm": Unit("次每分钟", "beat per minute", "beats per minute"),
    "r/min": Unit("转每分钟", "revolution per minute", "revolutions per minute"),
    "bps": Unit("比特每秒", "bit per second", "bits per second"),
    "kbps": Unit("千比特每秒", "kilobit per second", "kilobits per second"),
    "Mbps": Unit("兆比特每秒", "megabit per second", "megabits per second"),
    "Gbps": Unit("吉比特每秒", "gigabit per second", "gigabits per second"),
    "MB/s": Unit("兆字节每秒", "megabyte per second", "megabytes per second"),
    "L/100km": Unit("升每一百公里", "liter per hundred kilometers", "liters per hundred kilometers"),
    "μs": _metric("微秒", "microsecond"),
}

_YUAN = Currency("元", "分", "yuan", "yuan", "fen", "fen")
_DOLLAR = Currency("美元", "美分", "dollar", "dollars", "cent", "cents")

CURRENCIES: dict[str, Currency] = {
    "¥": _YUAN,
    "CNY": _YUAN,
    "RMB": _YUAN,
    "$": _DOLLAR,
    "US$": _DOLLAR,
    "USD": _DOLLAR,
    "HK$": Currency("港元", "港仙", "Hong Kong dollar", "Hong Kong dollars", "cent", "cents"),
    "€": Currency("欧元", "欧分", "euro", "euros", "cent", "cents"),
    "EUR": Currency("欧元", "欧分", "euro", "euros", "cent", "cents"),
    "HKD": Currency("港元", "港仙", "Hong Kong dollar", "Hong Kong dollars", "cent", "cents"),
    "GBP": Currency("英镑", "便士", "pound", "pounds", "penny", "pence"),
    "JPY": Currency("日元", "钱", "yen", "yen", "sen", "sen"),
    "£": Currency("英镑", "便士", "pound", "pounds", "penny", "pence"),
}

# Symbols that are words. Punctuation is not here: it becomes a pause.
SYMBOL_NAMES: dict[str, tuple[str, str]] = {
    "%": ("百分号", "percent"),
    "‰": ("千分号", "per mille"),
    "&": ("和", "and"),
    "@": ("艾特", "at"),
    "#": ("井号", "hash"),
    "*": ("星号", "star"),
    "+": ("加", "plus"),
    "=": ("等于", "equals"),
    "×": ("乘", "times"),
    "÷": ("除以", "divided by"),
    "±": ("正负", "plus or minus"),
    "−": ("减", "minus"),
    "<": ("小于", "less than"),
    ">": ("大于", "greater than"),
    "≤": ("小于等于", "less than or equal to"),
    "≥": ("大于等于", "greater than or equal to"),
    "≈": ("约等于", "is about"),
    "√": ("根号", "the square root of"),
    "∞": ("无穷大", "infinity"),
    "≠": ("不等于", "is not equal to"),
    "¥": ("元", "yuan"),
    "$": ("美元", "dollars"),
    "€": ("欧元", "euros"),
    "£": ("英镑", "pounds"),
    "¢": ("美分", "cents"),
    "°": ("度", "degrees"),
}

# The names of signs in addresses and in what is spelled: there a dot is no pause and a hyphen no minus.
SIGN_NAMES: dict[str, tuple[str, str]] = {
    **SYMBOL_NAMES,
    "-": ("杠", "dash"),
    ".": ("点", "dot"),
    "/": ("斜杠", "slash"),
    ":": ("冒号", "colon"),
    "_": ("下划线", "underscore"),
    "?": ("问号", "question mark"),
}
