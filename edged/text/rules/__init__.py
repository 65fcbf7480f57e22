"""How each kind of token is read: one module a topic, both languages in it. The first rule that fits wins."""

from __future__ import annotations

from collections.abc import Sequence

from edged.text import abbreviations
from edged.text.rules import codes, dates, money, network, numbers, phones, quantities, signs, times, words
from edged.text.tokens import Rule

ZH: Sequence[Rule] = (
    *network.ZH,
    *dates.ZH,
    *times.ZH,
    *money.ZH,
    *phones.ZH,
    *quantities.ZH,
    *codes.ZH,
    *numbers.ZH,
    *abbreviations.RULES,
    *signs.ZH,
    *words.ZH,
)

_EN = (
    *network.EN,
    *dates.EN,
    *times.EN,
    *money.EN,
    *phones.EN,
    *quantities.EN,
    *codes.EN,
    *numbers.EN,
    *abbreviations.RULES,
    *signs.EN,
)
EN: Sequence[Rule] = (*_EN, *words.EN)
EN_SHOUTED: Sequence[Rule] = (*_EN, *words.EN_SHOUTED)  # a sentence in capitals: "GATE 12 IS OPEN"
