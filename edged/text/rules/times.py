"""A colon between numbers: times of day, and scores."""

from __future__ import annotations

from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule

_HALF_DAY = {"A": "上午", "P": "下午"}


def _clock_zh(hour: str, minute: str | None, second: str | None) -> str:
    words = f"{zh.counted(str(int(hour)))}点"
    for digits, name in ((minute, "分"), (second, "秒")):
        if digits and (int(digits) or (name == "分" and second)):
            words += f"{'零' if digits[0] == '0' and int(digits) else ''}{zh.cardinal(int(digits))}{name}"
    return words


def _clock_en(hour: str, minute: str | None, second: str | None, half_day: str = "") -> str:
    hours, minutes = int(hour), int(minute or 0)
    words = en.cardinal(hours)
    if minutes:
        words += f" oh {en.cardinal(minutes)}" if minutes < 10 else f" {en.cardinal(minutes)}"
    elif not half_day:
        words += " o'clock" if 0 < hours <= 12 else " hundred"
    if second and int(second):
        words += f" and {_plural(second, 'second', 'seconds')}"
    return f"{words} {half_day.upper()} M" if half_day else words


def _plural(number: str, one: str, many: str) -> str:
    return f"{en.decimal(number)} {one if number in ('1', '01') else many}"


ZH: Sequence[Rule] = (
    rule("time", p.CLOCK + p.HALF_DAY, lambda m: _HALF_DAY[m[4].upper()] + _clock_zh(m[1], m[2], m[3])),
    rule(
        "time",
        r"(1[0-2]|0?[1-9])" + p.HALF_DAY,
        lambda m: _HALF_DAY[m[2].upper()] + _clock_zh(m[1], None, None),
    ),
    rule(
        "score",
        p.SCORE,
        lambda m: f"{zh.cardinal(int(m[1]))}比{zh.cardinal(int(m[2]))}",
        after="比分(?:为|是|[:：]|\\s){0,3}",
    ),
    rule("time", p.CLOCK + "分?", lambda m: _clock_zh(m[1], m[2], m[3])),
    rule("score", p.SCORE, lambda m: f"{zh.cardinal(int(m[1]))}比{zh.cardinal(int(m[2]))}"),
)

EN: Sequence[Rule] = (
    rule("time", p.CLOCK + p.HALF_DAY, lambda m: _clock_en(m[1], m[2], m[3], m[4])),
    rule("time", r"(1[0-2]|0?[1-9])" + p.HALF_DAY, lambda m: _clock_en(m[1], None, None, m[2])),
    rule("time", p.CLOCK, lambda m: _clock_en(m[1], m[2], m[3])),
    rule("score", p.SCORE, lambda m: f"{en.cardinal(int(m[1]))} to {en.cardinal(int(m[2]))}"),
)
