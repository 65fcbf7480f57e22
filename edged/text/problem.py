"""What is wrong in a file that a site wrote."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at a key of a file; `where` is the way to it."""

    where: tuple[str, ...]
    reason: str
