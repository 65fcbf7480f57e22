"""The announcements that wait: most urgent first, first come first served among equals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from edged.core.events import Accepted
from edged.protocol.request import Priority


@dataclass(frozen=True, slots=True)
class Waiting:
    """An accepted announcement and since when it waits, on the monotonic clock."""

    accepted: Accepted
    since_s: float

    @property
    def id(self) -> str:
        """The announcement's id."""
        return self.accepted.id

    @property
    def priority(self) -> Priority:
        """The announcement's priority."""
        return self.accepted.request.priority

    def is_expired(self, now_s: float) -> bool:
        """It is too late to say it."""
        lifetime_s = self.accepted.lifetime_s
        return lifetime_s is not None and now_s >= self.since_s + lifetime_s


class WaitingList:
    """Bounded by whoever adds; ids are unique."""

    def __init__(self) -> None:
        self._by_priority: dict[Priority, dict[str, Waiting]] = {
            priority: {} for priority in sorted(Priority, key=lambda p: p.rank, reverse=True)
        }

    def __len__(self) -> int:
        return sum(map(len, self._by_priority.values()))

    def __contains__(self, request_id: str) -> bool:
        return any(request_id in level for level in self._by_priority.values())

    def add(self, waiting: Waiting) -> None:
        """Behind all others of its priority."""
        self._by_priority[waiting.priority][waiting.id] = waiting

    def pop(self, allowed: Callable[[Priority], bool]) -> Waiting | None:
        """Take the next one whose priority is allowed."""
        for priority, level in self._by_priority.items():
            if level and allowed(priority):
                return level.pop(next(iter(level)))
        return None

    def pop_below(self, priority: Priority) -> Waiting | None:
        """Take the newest of the least urgent ones, if it is less urgent than `priority`."""
        for lower, level in reversed(self._by_priority.items()):
            if level and lower.rank < priority.rank:
                return level.popitem()[1]
        return None

    def take(self, condition: Callable[[Waiting], bool]) -> list[Waiting]:
        """Take every one for which `condition` holds, in order."""
        taken = [w for w in chain(*(level.values() for level in self._by_priority.values())) if condition(w)]
        for waiting in taken:
            del self._by_priority[waiting.priority][waiting.id]
        return taken
