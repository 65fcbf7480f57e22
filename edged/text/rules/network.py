"""Web and mail addresses."""

from __future__ import annotations

from collections.abc import Sequence

from edged.text import numbers_en as en
from edged.text import numbers_zh as zh
from edged.text import patterns as p
from edged.text.addresses import read_address
from edged.text.tokens import Rule, rule
from edged.text.units import SIGN_NAMES

_ADDRESS_NAMES_ZH = {sign: zh for sign, (zh, _) in SIGN_NAMES.items()}
_ADDRESS_NAMES_EN = {sign: en for sign, (_, en) in SIGN_NAMES.items()}


ZH: Sequence[Rule] = (
    rule("address", p.EMAIL, lambda m: read_address(m[0], zh.by_digit, _ADDRESS_NAMES_ZH)),
    rule("address", p.URL, lambda m: read_address(m[0], zh.by_digit, _ADDRESS_NAMES_ZH)),
)

EN: Sequence[Rule] = (
    rule("address", p.EMAIL, lambda m: read_address(m[0], en.by_digit, _ADDRESS_NAMES_EN)),
    rule("address", p.URL, lambda m: read_address(m[0], en.by_digit, _ADDRESS_NAMES_EN)),
)
