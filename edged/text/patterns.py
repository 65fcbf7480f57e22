"""Patterns both languages read with their own words.

Every repetition is bounded, but for those that cannot fail once begun: a scan stays linear.
"""

from __future__ import annotations

import re

from edged.text.alphabet import HAN
from edged.text.units import UNITS

# 1,250,000.50 · 1 250 000 · 1250.5; three digits in a group, so "3 4 1835" stays three numbers;
# one group alone is a thousand only where it is 000
NUMBER = (
    r"(?:[1-9]\d{0,2}(?:,\d{3}){1,6}(?!,?\d)(?:\.\d{1,20}(?!\d))?"
    r"|[1-9]\d{0,2}(?: \d{3}){2,6}(?!\d)"
    r"|[1-9]\d{0,2} 000(?! ?\d)"
    r"|\d{1,18}(?!\d)(?:\.\d{1,20}(?![\d]))?)"
)
BARE_FRACTION = r"(?<![A-Za-z0-9])\.\d{1,20}(?![\d.])"
# Seven digits without separators are a card, an order or a staff number ...
LONG_RUN = r"\d{7,100}(?![\d.])"
# ... unless they are round.
ROUND = r"[1-9]\d{0,2}0{4,14}(?!\d|\.\d)"
DIGITS = r"\d+"  # any run, however long


# What stands after a code: nothing that is counted ("订单1024", but not "订单100件")
NO_AMOUNT = (
    r"(?!\d|[.,]\d|\s?[元块个件人份张台条间名户家单积万亿米圈秒分步平城倍%]|\s(?:met(?:re|er)s?|people|pieces|items|units|"
    r"sheets|copies|boxes|times|points|passengers|hours|minutes|seconds|days|dollars|percent|Hz)\b)"
)

DASH = r"\s?[-~–—]\s?"
# "3-5" and "3 - 5", but "3 -5" holds a negative number
RANGE = r"(?:(?<!\s)[-~–—]|\s[-~–—]\s)(?=[-−]?[\d¥$€£])"

ISO_DATE = r"((?:19|20)\d{2})([-/.])(\d{1,2})\2(\d{1,2})(?![\d])"
TIMESTAMP_JOINT = r"(?<=\d)T(?=[0-2]\d:)"  # 2026-11-30T14:05
SLASH_DATE = r"(\d{1,2})/(\d{1,2})/((?:19|20)\d{2})(?!\d)"
CLOCK = r"([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])"
HALF_DAY = r"\s?([AaPp])\.?[Mm](?![A-Za-z])\.?"
SCORE = r"\d{1,3}:\d{1,3}(?![\d:])"
# 2:3:5, 0.5 : 1; what is no time of day by its form
PROPORTION = r"\d{1,4}(?:\.\d{1,4})?(?:\s?:\s?\d{1,4}(?:\.\d{1,4})?){1,4}(?![\d:])"

INTERNATIONAL_PHONE = r"\+(?=\d)(?:\d{1,4}[- ]?){2,6}(?!\d)"
CHINESE_PHONE = (
    r"(?:1[3-9]\d[- ]?\d{4}[- ]?\d{4}|[48]00[- ]?\d{3}[- ]?\d{4}"
    r"|\(?0\d{2,3}[-) ]{1,2}\d{3,4}[- ]?\d{4})(?!\d)"
)
AMERICAN_PHONE = r"(?:1[-. ])?\(?\d{3}[-.) ]{1,2}\d{3}[-. ]\d{4}(?!\d)|\d{3}-\d{4}(?![\d-])"

CARD = r"\d{4}(?:[ -]\d{4}){2,4}(?:[ -]\d{1,3})?(?![\d])"

_DOMAIN = r"(?:[A-Za-z0-9][A-Za-z0-9-]{0,40}\.){1,4}(?:com|cn|org|net|gov|edu|io)(?:\.(?:cn|uk|hk))?"
URL = (
    rf"(?:https?://|www\.)[!-~]{{0,500}}[A-Za-z0-9]|{_DOMAIN}(?:/[!-~]{{0,200}}[A-Za-z0-9])?(?![A-Za-z0-9.@])"
)
EMAIL = r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}(?<![.-])"
_HEX = "[0-9A-Fa-f]"
MAC = rf"(?<![A-Za-z0-9-]){_HEX}{{2}}([:-]){_HEX}{{2}}(?:\1{_HEX}{{2}}){{4}}(?![A-Za-z0-9:-])"
IPV6 = rf"(?<![A-Za-z0-9:])(?:{_HEX}{{1,4}}:{{1,2}}){{1,7}}{_HEX}{{1,4}}(?![A-Za-z0-9:])"
DOTTED = r"\d{1,6}(?:\.\d{1,6}){2,8}(?![\d])"
HYPHENATED = r"\d{1,8}(?:-\d{1,8}){2,8}(?![\d-])"
VERSION = r"[vV]\.?\s?(\d{1,6}(?:\.\d{1,6}){1,6})(?![A-Za-z\d])"

_LETTERS = r"(?:[A-Z]{1,5}|[a-z]{1,3})"
_EDGE = r"(?![A-Za-z0-9])"
TICKET = rf"({_LETTERS}|[A-Z]{{1,3}}-)(\d{{1,20}}){_EDGE}"
MIXED_CODE = (
    rf"(?:(?:[A-Za-z]{{1,3}}\d{{1,20}}){{2,8}}[A-Za-z]{{0,3}}|(?:\d{{1,20}}[A-Za-z]{{1,3}}){{1,8}}\d{{1,20}}"
    rf"|[A-Z]{{1,3}}\d{{1,8}}[A-Za-z]{{1,3}}){_EDGE}"
)
PLATE_END = rf"[·•]\s?[A-Z0-9]{{4,6}}{_EDGE}"  # 京A·12345
FLOOR_CODE = rf"(\d{{3,6}})([A-Z]{{1,2}}){_EDGE}"  # room 305B

_UNIT_NAMES = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
UNIT = f"({_UNIT_NAMES})(?![A-Za-z0-9])"
QUANTITY = f"({NUMBER})\\s?{UNIT}"
PER_UNIT = f"/\\s?{UNIT}"
PERCENT = f"({NUMBER})\\s?([%‰])"
FRACTION = r"(\d{1,6})[/⁄](\d{1,6})(?![\d/])"
POWER = r"\^(\d{1,3})(?!\d)"

SIGN = r"[-−](?=[\d¥$€£])"
NOT_AFTER_TERM = r"(?<![A-Za-z0-9)])"
MINUS = r"\s?[-−]\s?(?=\d{1,9}\s?=)"
AFTER_QUANTITY = r"\d\s?(?:[%‰]|°[CF]?|[A-Za-z/]{1,4}|[元块月日号点分时秒楼年层页岁度]{1,2})?"

WORD = r"[A-Za-z]+(?:['’-][A-Za-z]{1,100}){0,20}"
NUMERALS = "零〇一二两三四五六七八九十百千万亿点半"
HAN_PERCENT = f"([{NUMERALS}]{{1,12}})([%‰])"
HAN_TEXT = f"(?:(?!{HAN_PERCENT})[{HAN}])+"
_QUOTES = "\"'“”‘’《》〈〉「」『』"
# Between two words quotes keep them apart, elsewhere they are silent.
OUTER_QUOTE = f"(?<![A-Za-z0-9{_QUOTES}])[{_QUOTES}]{{1,8}}|[{_QUOTES}]{{1,8}}(?![A-Za-z0-9{_QUOTES}])"
PAUSE = r"[，,、:;()\[\]【】〔〕—–!?。…]|-(?=\s)|\.{2,}"
REPEATED_SYMBOL = r"([=+*#&@<>_~^%$°/-])\1+"
DOT_INSIDE = r"(?<=[A-Za-z0-9])\.(?=[A-Za-z0-9])"
