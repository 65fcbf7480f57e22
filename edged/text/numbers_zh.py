"""Numbers as Chinese says them."""

from __future__ import annotations

DIGITS = "零一二三四五六七八九"
_PHONE_DIGITS = "零幺二三四五六七八九"  # 一 and 七 sound alike on a telephone line

_MAX_CARDINAL_DIGITS = 17  # 一亿亿 (10^16) and beyond; longer numbers are codes, not amounts


def cardinal(n: int) -> str:
    """`n` >= 0 in words: 十二, 一百一十, 两千零三, 一万二千."""
    words = _positive(n) if n else "零"
    if words.startswith("一十"):
        return words[1:]
    return "两" + words[1:] if words[0] == "二" and words[1:2] in tuple("千万亿") else words


def _positive(n: int) -> str:
    for unit, name in ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if n >= unit:
            high, low = divmod(n, unit)
            gap = "零" if 0 < low < unit // 10 else ""
            return _positive(high) + name + gap + (_positive(low) if low else "")
    return DIGITS[n]


def by_digit(digits: str) -> str:
    """Each digit on its own: 零一五. Anything but digits is left out."""
    return "".join(DIGITS[int(d)] for d in digits if d.isdigit())


def phone(digits: str) -> str:
    """Each digit on its own, 1 as 幺."""
    return "".join(_PHONE_DIGITS[int(d)] for d in digits if d.isdigit())


def integer(digits: str) -> str:
    """A run of digits as an amount; one too long for that, or with a leading zero, digit by digit."""
    if len(digits) > _MAX_CARDINAL_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        return by_digit(digits)
    return cardinal(int(digits))


def decimal(number: str) -> str:
    """An unsigned number such as 12, 0.5 or 1,250.75 as an amount."""
    whole, _, fraction = number.replace(",", "").replace(" ", "").partition(".")
    return integer(whole or "0") + (f"点{by_digit(fraction)}" if fraction else "")


def counted(number: str) -> str:
    """The amount before a measure word: 2 is 两."""
    return "两" if number == "2" else decimal(number)
