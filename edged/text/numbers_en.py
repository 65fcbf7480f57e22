"""Numbers as English says them (American: no "and" after hundred)."""

from __future__ import annotations

_SMALL_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_SMALL = _SMALL_WORDS.split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = (
    (10**18, "quintillion"),
    (10**15, "quadrillion"),
    (10**12, "trillion"),
    (10**9, "billion"),
    (10**6, "million"),
    (1000, "thousand"),
    (100, "hundred"),
)
_IRREGULAR_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_MAX_CARDINAL_DIGITS = 18  # below a thousand quadrillion; longer numbers are codes, not amounts


def cardinal(n: int) -> str:
    """`n` >= 0 in words: twelve thousand three hundred forty-five."""
    for unit, name in _SCALES:
        if n >= unit:
            high, low = divmod(n, unit)
            return f"{cardinal(high)} {name}" + (f" {cardinal(low)}" if low else "")
    if n < 20:
        return _SMALL[n]
    tens, ones = divmod(n, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


def ordinal(n: int) -> str:
    """`n` >= 0 as a rank: twenty-first, thirtieth."""
    words = cardinal(n)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    head, last = words[:cut], words[cut:]
    if last in _IRREGULAR_ORDINALS:
        return head + _IRREGULAR_ORDINALS[last]
    return head + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def by_digit(digits: str) -> str:
    """Each digit on its own: zero one five. Anything but digits is left out."""
    return " ".join(_SMALL[int(d)] for d in digits if d.isdigit())


def integer(digits: str) -> str:
    """A run of digits as an amount; one too long for that, or with a leading zero, digit by digit."""
    if len(digits) > _MAX_CARDINAL_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        return by_digit(digits)
    return cardinal(int(digits))


def decimal(number: str) -> str:
    """An unsigned number such as 12, 0.5 or 1,250.75 as an amount."""
    whole, _, fraction = number.replace(",", "").replace(" ", "").partition(".")
    return integer(whole or "0") + (f" point {by_digit(fraction)}" if fraction else "")


def plural(number: str, one: str, many: str) -> str:
    """An amount and what is counted: one second, zero point five seconds."""
    return f"{decimal(number)} {one if number.lstrip('0') == '1' else many}"


def year(digits: str) -> str:
    """A year of four digits: twenty twenty-six, nineteen oh five, two thousand five."""
    century, rest = int(digits[:2]), int(digits[2:])
    if century % 10 == 0 and rest < 10:
        return cardinal(int(digits))
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"
