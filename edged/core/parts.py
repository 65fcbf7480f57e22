"""The text of one announcement that comes in numbered parts, in any order."""

from __future__ import annotations

from edged.core.events import PartArrived


class Parts:
    """Gives the texts in the order of their numbers, each once; what comes too early waits for the others.

    `is_open`: the last part has not come, or one before it. `missing`: the part that was given up.
    `chars`: length of all that came.
    """

    def __init__(self) -> None:
        self.is_open = True
        self.missing: int | None = None
        self.chars = 0
        self._texts: list[str] = []
        self._next = 0
        self._early: dict[int, PartArrived] = {}
        self._came_s = 0.0

    @property
    def has_begun(self) -> bool:
        """Part 0 has come."""
        return self._next > 0

    def add(self, part: PartArrived, now_s: float) -> None:
        """One more; nothing happens when it came before, or behind the last one."""
        if not self.is_open or part.part < self._next or part.part in self._early:
            return
        self.chars += len(part.text)
        self._came_s = now_s
        self._early[part.part] = part
        while self.is_open and self._next in self._early:
            in_turn = self._early.pop(self._next)
            self._texts.append(in_turn.text)
            self._next += 1
            self.is_open = not in_turn.is_last

    def take(self) -> list[str]:
        """The texts whose turn has come since the last call."""
        texts, self._texts = self._texts, []
        return texts

    def is_overdue(self, now_s: float, timeout_s: float) -> bool:
        """More is awaited, and nothing has come for so long."""
        return self.is_open and now_s >= self._came_s + timeout_s

    def give_up(self) -> None:
        """What has come in order is all there will be."""
        self.is_open = False
        self.missing = self._next
