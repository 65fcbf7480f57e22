"""Reads number words back to integers, independently of how edged writes them."""

from __future__ import annotations

_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000}

_EN_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_EN_SMALL = {w: i for i, w in enumerate(_EN_WORDS.split())} | {
    w: 10 * i for i, w in enumerate(_EN_TENS.split(), start=2)
}
_EN_SCALES = {
    w: 1000**i for i, w in enumerate(("thousand", "million", "billion", "trillion", "quadrillion"), start=1)
}


def read_zh(words: str) -> int:
    """The integer that Chinese `words` stand for."""
    for unit, value in (("亿", 10**8), ("万", 10**4)):
        if unit in words:
            high, low = words.rsplit(unit, 1)
            return read_zh(high) * value + read_zh(low)
    total, digit = 0, 0
    for char in words:
        if char in _ZH_UNITS:
            total += (digit or 1) * _ZH_UNITS[char]
            digit = 0
        else:
            digit = _ZH_DIGITS[char]
    return total + digit


def read_en(words: str) -> int:
    """The integer that English `words` stand for."""
    total, group = 0, 0
    for word in words.replace("-", " ").split():
        if word == "hundred":
            group *= 100
        elif word in _EN_SCALES:
            total += group * _EN_SCALES[word]
            group = 0
        else:
            group += _EN_SMALL[word]
    return total + group
