"""Times of day, durations, and the other thing a colon between numbers can be: a score."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.tokens import Rule, rule

_HALF_DAY = {"A": "上午", "P": "下午"}
# 1h30min, 2d 3h, 45m10s
_LASTS = (
    r"(?=\d)(?:(\d{1,3})\s?d\s?)?(?:(\d{1,3})\s?hr?s?\s?)?(?:(\d{1,3})\s?m(?:ins?)?\s?)?"
    r"(?:(\d{1,3})\s?s(?:ecs?)?)?(?![A-Za-z0-9])"
)
_PARTS_ZH = ("天", "小时", "分钟", "秒")
_PARTS_EN = (("day", "days"), ("hour", "hours"), ("minute", "minutes"), ("second", "seconds"))
_MINUTES_SECONDS = r"(\d{1,3})['′](\d{1,2})(?:\"|″|'')"
_COUNTDOWN = r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])"
_BEFORE_COUNTDOWN_ZH = r"(?:时长|用时|剩余|倒计时|耗时|还剩|历时|计时)(?:时间)?(?:为|是|[:：]|\s){0,3}"
_BEFORE_COUNTDOWN_EN = (
    r"(?:[Dd]uration|[Rr]emaining|[Ee]lapsed|[Cc]ountdown|[Tt]ime left)(?:\s(?:is|time))?[:\s]{1,2}"
)

_PROPORTION_ZH = "(?=\\s?的?(?:比例|配比|浓度|稀释|混合|勾兑|兑水|配制|缩放))"
_BEFORE_PROPORTION_ZH = r"(?:比例|比例尺|配比|[^分]比)(?:为|是|[:：]|\s){0,3}"
_BEFORE_PROPORTION_EN = r"(?:[Rr]atio|[Ss]cale|[Oo]dds)(?:\s(?:is|of|are|was))?[:\s]{1,2}"


def _clock_zh(hour: str, minute: str | None, second: str | None) -> str:
    words = f"{zh.counted(str(int(hour)))}点"
    for digits, name in ((minute, "分"), (second, "秒")):
        if digits and (int(digits) or (name == "分" and second)):
            words += f"{'零' if digits[0] == '0' and int(digits) else ''}{zh.cardinal(int(digits))}{name}"
    return words


def _lasts_zh(days: str | None, hours: str | None, minutes: str | None, seconds: str | None) -> str | None:
    parts = zip((days, hours, minutes, seconds), _PARTS_ZH, strict=True)
    told = [f"{zh.counted(str(int(number)))}{name}" for number, name in parts if number and int(number)]
    return "".join(told) or None


def _lasts_en(days: str | None, hours: str | None, minutes: str | None, seconds: str | None) -> str | None:
    parts = zip((days, hours, minutes, seconds), _PARTS_EN, strict=True)
    told = [en.plural(str(int(number)), *names) for number, names in parts if number and int(number)]
    return " ".join(told) or None


def _has_parts(m: re.Match[str]) -> bool:
    """Whether a duration has two parts at least; one alone is a quantity."""
    return sum(group is not None for group in m.groups()) > 1


def _countdown(m: re.Match[str]) -> tuple[str | None, ...]:
    """hours:minutes:seconds, or minutes:seconds."""
    return (None, m[1], m[2], m[3]) if m[3] else (None, None, m[1], m[2])


def _proportion(text: str, read: Callable[[str], str], joint: str) -> str:
    return joint.join(read(part.strip()) for part in re.split("[:-]", text))


def _clock_en(hour: str, minute: str | None, second: str | None, half_day: str = "") -> str:
    hours, minutes = int(hour), int(minute or 0)
    words = en.cardinal(hours)
    if minutes:
        words += f" oh {en.cardinal(minutes)}" if minutes < 10 else f" {en.cardinal(minutes)}"
    elif not half_day:
        words += " o'clock" if 0 < hours <= 12 else " hundred"
    if second and int(second):
        words += f" and {en.plural(second, 'second', 'seconds')}"
    return f"{words} {half_day.upper()} M" if half_day else words


ZH: Sequence[Rule] = (
    rule("duration", _LASTS, lambda m: _lasts_zh(*m.groups()) if _has_parts(m) else None),
    rule("duration", _MINUTES_SECONDS, lambda m: _lasts_zh(None, None, m[1], m[2])),
    rule("duration", _COUNTDOWN, lambda m: _lasts_zh(*_countdown(m)), after=_BEFORE_COUNTDOWN_ZH),
    rule("time", p.CLOCK + p.HALF_DAY, lambda m: _HALF_DAY[m[4].upper()] + _clock_zh(m[1], m[2], m[3])),
    rule(
        "time",
        r"(1[0-2]|0?[1-9])" + p.HALF_DAY,
        lambda m: _HALF_DAY[m[2].upper()] + _clock_zh(m[1], None, None),
    ),
    rule(
        "score",
        r"\d{1,3}[-:]\d{1,3}(?![\d:-])",
        lambda m: _proportion(m[0], zh.integer, "比"),
        after="(?:比分|局分|赛果)(?:为|是|[:：]|\\s){0,3}",
    ),
    rule(
        "score",
        r"\d{1,3}[-:]\d{1,3}(?=获胜|结束|战胜|取胜|击败|领先|战平|险胜|落败|负于|告负|大胜|惜败)",
        lambda m: _proportion(m[0], zh.integer, "比"),
    ),
    rule("score", p.PROPORTION + _PROPORTION_ZH, lambda m: _proportion(m[0], zh.decimal, "比")),
    rule("score", p.PROPORTION, lambda m: _proportion(m[0], zh.decimal, "比"), after=_BEFORE_PROPORTION_ZH),
    rule("time", p.CLOCK + "分?", lambda m: _clock_zh(m[1], m[2], m[3])),
    rule("score", p.PROPORTION, lambda m: _proportion(m[0], zh.decimal, "比")),
)

EN: Sequence[Rule] = (
    rule("duration", _LASTS, lambda m: _lasts_en(*m.groups()) if _has_parts(m) else None),
    rule("duration", _MINUTES_SECONDS, lambda m: _lasts_en(None, None, m[1], m[2])),
    rule("duration", _COUNTDOWN, lambda m: _lasts_en(*_countdown(m)), after=_BEFORE_COUNTDOWN_EN),
    rule("time", p.CLOCK + p.HALF_DAY, lambda m: _clock_en(m[1], m[2], m[3], m[4])),
    rule("time", r"(1[0-2]|0?[1-9])" + p.HALF_DAY, lambda m: _clock_en(m[1], None, None, m[2])),
    rule(
        "score",
        p.SCORE,
        lambda m: _proportion(m[0], en.integer, " to "),
        after=r"\b(?:won|lost|wins?|scores?|beat|leads?|led|ended)\s(?:(?:is|was|by|at|them|it)\s)?",
    ),
    rule("score", p.PROPORTION, lambda m: _proportion(m[0], en.decimal, " to "), after=_BEFORE_PROPORTION_EN),
    rule("time", p.CLOCK, lambda m: _clock_en(m[1], m[2], m[3])),
    rule("score", p.PROPORTION, lambda m: _proportion(m[0], en.decimal, " to ")),
)
