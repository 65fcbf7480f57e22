"""Addresses: web and mail, IPv4 with port and prefix, IPv6, MAC."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.addresses import read_address
from edged.text.letters import read_code
from edged.text.tokens import Rule, rule
from edged.text.units import SIGN_NAMES

_NAMES_ZH = {sign: zh for sign, (zh, _) in SIGN_NAMES.items()}
_NAMES_EN = {sign: en for sign, (_, en) in SIGN_NAMES.items()}
_IPV4 = r"(\d{1,3}(?:\.\d{1,3}){3})(?![\d.]\d|\d)(?::(\d{1,5})(?![\d:])|/(\d{1,2})(?!\d))?"
_IPV6_GROUPS = 8


def _ipv4(m: re.Match[str], by_digit: Callable[[str], str], names: dict[str, str], port: str) -> str | None:
    """Each number digit by digit, as it is typed into a device."""
    groups = m[1].split(".")
    if any(int(group) > 255 for group in groups):
        return None
    words = [f" {names['.']} ".join(by_digit(group) for group in groups)]
    if m[2]:
        words += [port, by_digit(m[2])]
    if m[3]:
        words += [names["/"], by_digit(m[3])]
    return " ".join(words)


def _ipv6(m: re.Match[str], by_digit: Callable[[str], str], names: dict[str, str], double: str) -> str | None:
    """Sign by sign. A time of day has colons as well, but neither eight groups nor two colons together."""
    if "::" not in m[0] and m[0].count(":") != _IPV6_GROUPS - 1:
        return None
    said = {":": names[":"], "::": double}
    return " ".join(
        said.get(part) or read_code(part, by_digit) for part in re.findall(r"::?|[0-9A-Fa-f]+", m[0])
    )


def _mac(m: re.Match[str], by_digit: Callable[[str], str]) -> str:
    """Pair by pair, with a pause between them."""
    return ", ".join(read_code(pair, by_digit) for pair in re.findall("[0-9A-Fa-f]{2}", m[0]))


def _without_gaps(spoken: str | None) -> str | None:
    """Chinese has no spaces between its words."""
    return spoken and re.sub(r"(?<=[^A-Za-z]) (?=[^A-Za-z])", "", spoken)


ZH: Sequence[Rule] = (
    rule("address", p.EMAIL, lambda m: read_address(m[0], zh.by_digit, _NAMES_ZH)),
    rule("address", p.URL, lambda m: read_address(m[0], zh.by_digit, _NAMES_ZH)),
    rule("mac", p.MAC, lambda m: _mac(m, zh.by_digit)),
    rule("ipv6", p.IPV6, lambda m: _without_gaps(_ipv6(m, zh.by_digit, _NAMES_ZH, "双冒号"))),
    rule("ipv4", _IPV4, lambda m: _without_gaps(_ipv4(m, zh.by_digit, _NAMES_ZH, "端口"))),
    rule("protocol", r"IPv([46])(?![A-Za-z0-9])", lambda m: f"I P V {zh.by_digit(m[1])}"),
)

EN: Sequence[Rule] = (
    rule("address", p.EMAIL, lambda m: read_address(m[0], en.by_digit, _NAMES_EN)),
    rule("address", p.URL, lambda m: read_address(m[0], en.by_digit, _NAMES_EN)),
    rule("mac", p.MAC, lambda m: _mac(m, en.by_digit)),
    rule("ipv6", p.IPV6, lambda m: _ipv6(m, en.by_digit, _NAMES_EN, "double colon")),
    rule("ipv4", _IPV4, lambda m: _ipv4(m, en.by_digit, _NAMES_EN, "port")),
    rule("protocol", r"IPv([46])(?![A-Za-z0-9])", lambda m: f"I P V {en.by_digit(m[1])}"),
)
