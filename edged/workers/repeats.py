"""In which order the items of an announcement are heard when it is said more than once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from edged.text.content import Silence
from edged.workers.script import Item


@dataclass(frozen=True, slots=True)
class Cue:
    """The next thing to be heard. `number` is the item's own in the script, `again`: it comes once more."""

    number: int
    item: Item
    again: bool = False


def cues(items: Iterable[Item], times: int, gap_ms: int, mode: Literal["each", "whole"]) -> Iterator[Cue]:
    """All of `items` `times` over, or each sentence and clip, with silence of `gap_ms` between.

    Takes an item only when its turn has come: the script may still be growing.
    """
    numbered = enumerate(items)
    return _each(numbered, times, gap_ms) if mode == "each" else _whole(numbered, times, gap_ms)


def _each(numbered: Iterable[tuple[int, Item]], times: int, gap_ms: int) -> Iterator[Cue]:
    for number, item in numbered:
        takes = 1 if isinstance(item, Silence) else times
        for _ in range(1, takes):
            yield Cue(number, item, again=True)
            yield Cue(number, Silence(gap_ms))
        yield Cue(number, item)


def _whole(numbered: Iterable[tuple[int, Item]], times: int, gap_ms: int) -> Iterator[Cue]:
    script: list[tuple[int, Item]] = []
    for number, item in numbered:
        script.append((number, item))
        yield Cue(number, item, again=times > 1)
    for take in range(2, times + 1):
        yield Cue(len(script), Silence(gap_ms))
        for number, item in script:
            yield Cue(number, item, again=take < times)
