"""Words: Latin ones, spelled ones, and Han."""

from __future__ import annotations

from collections.abc import Sequence

from edged.text import patterns as p
from edged.text.letters import read_word, spell
from edged.text.tokens import Rule, rule


def _word(shouting: bool) -> Rule:
    return rule("word", p.WORD, lambda m: read_word(m[0].replace("’", "'"), shouting))


ZH: Sequence[Rule] = (
    _word(shouting=False),
    rule("han", p.HAN_TEXT, lambda m: m[0]),
)

_EN: Sequence[Rule] = (
    rule("acronym", r"([A-Z]{1,3})&([A-Z]{1,3})(?![A-Za-z])", lambda m: f"{spell(m[1])} and {spell(m[2])}"),
    rule("han", p.HAN_TEXT, lambda m: m[0]),
)
EN: Sequence[Rule] = (*_EN, _word(shouting=False))
EN_SHOUTED: Sequence[Rule] = (*_EN, _word(shouting=True))
