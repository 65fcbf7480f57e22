"""English abbreviations, which Chinese sentences quote as well.

They are read in full with or without their dot, so that a dot after one is never mistaken for the end
of a sentence when the spoken form is read again.
"""

from __future__ import annotations

from collections.abc import Sequence

from edged.text.alphabet import HAN
from edged.text.letters import spell
from edged.text.tokens import Rule, rule

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
# One group: the name as written, with at least its first three letters.
MONTH = (
    "(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|"
    "Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)

_SHORT_MONTH = "(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"

_START, _END = "(?<![A-Za-z])", r"(?![A-Za-z])\.?"
# Nor in the later half of "h'Nov" or "mid-Nov", words of their own that the rules below never split.
_ALONE = rf"{_START}(?<![A-Za-z]['’-])"
_TITLES = {"Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Dr": "Doctor", "Prof": "Professor"}
_BEFORE_SOMETHING = {
    "e.g": "for example",
    "i.e": "that is",
    "vs": "versus",
    "approx": "approximately",
    "tel": "telephone",
    "Tel": "telephone",
    "ext": "extension",
    "Ext": "extension",
    "dept": "department",
    "Dept": "Department",
    "Bldg": "Building",
    "Apt": "apartment",
    "Nos": "numbers",
    "nos": "numbers",
}
_WITH_A_NUMBER = {
    "Vol": "Volume",
    "Fig": "Figure",
    "Ch": "Chapter",
    "Sec": "Section",
    "Rm": "Room",
    "Fl": "Floor",
}
_OFTEN_FINAL = {"etc": "et cetera", "Inc": "Incorporated", "Ltd": "Limited", "Co": "Company"}
_HALF_DAY = r"[AaPp]\.[Mm]"
_DOTTED_LETTERS = r"(?:[A-Z]\.){2,8}"


def _alternatives(words: dict[str, str]) -> str:
    return "|".join(word.replace(".", r"\.") for word in sorted(words, key=len, reverse=True))


_NUMBERED = rf"(?:{_alternatives(_WITH_A_NUMBER)})\.(?=\s{{0,4}}(?:\d|[A-Z]\d|[IVX]{{1,6}}\b))"
# A full stop after these does not end the sentence unless the text ends there ...
_SELDOM_FINAL = rf"(?:(?:{_alternatives(_BEFORE_SOMETHING)})\.|{_DOTTED_LETTERS})(?!\s*$)"
# ... and after these it does when a capital follows.
_SOMETIMES_FINAL = rf"(?:{_alternatives(_OFTEN_FINAL)}|{_HALF_DAY})\.(?!\s*(?:[A-Z]|$))"
_NEVER_FINAL = rf"(?:{_alternatives(_TITLES)})\.(?:\s{{1,4}}[A-Z]\.){{0,3}}"
_BEFORE_A_NUMBER = rf"(?:[Nn][Oo]s?\.(?=\s{{0,4}}(?:\d|[A-Z]\d))|{_SHORT_MONTH}\.(?=\s{{0,4}}\d)|{_NUMBERED})"
_INITIAL = r"(?:(?:^|(?<=[.!?,]\s))[A-Z]\.(?=\s[A-Z][a-z])|St\.(?=\s[A-Z])|Co\.(?=,?\sLtd))"
# 1. 插卡 2. 输入密码
_ITEM = rf"(?:(?:^|(?<=\s))\d{{1,2}}\.(?=\s{{0,2}}[{HAN}]))"
NOT_FINAL = (
    f"{_ITEM}|{_ALONE}(?:{_INITIAL}|{_NEVER_FINAL}|{_BEFORE_A_NUMBER}|{_SELDOM_FINAL}|{_SOMETIMES_FINAL})"
)

_EXPANSIONS = {**_TITLES, **_BEFORE_SOMETHING, **_OFTEN_FINAL}

RULES: Sequence[Rule] = (
    rule("abbreviation", rf"{_START}St\.(?=\s[A-Z])", "Saint"),
    rule("abbreviation", f"{_START}{_NUMBERED}", lambda m: f" {_WITH_A_NUMBER[m[0].rstrip('.')]} "),
    rule("abbreviation", f"{_START}({_alternatives(_EXPANSIONS)}){_END}", lambda m: f" {_EXPANSIONS[m[1]]} "),
    rule(
        "abbreviation",
        rf"{_START}(?:{_HALF_DAY}{_END}|(?:[A-Z]\.){{1,8}}[A-Z]?(?![A-Za-z]))",
        lambda m: f" {spell(m[0].replace('.', ''))} ",
    ),
)


def month_name(text: str) -> str:
    """The full name of a month written in full or in short."""
    return next(month for month in MONTHS if month.startswith(text[:3]))
