"""The announcements that wait: most urgent first, first come first served among equals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from edged.core.events import Accepted, PartArrived, StartJob
from edged.core.parts import Parts
from edged.protocol.request import Priority, Request


@dataclass(frozen=True, slots=True)
class Waiting:
    """An accepted announcement and since when it waits, on the monotonic clock.

    `parts` is None unless its text comes in parts.
    """

    accepted: Accepted
    since_s: float
    parts: Parts | None = None

    @classmethod
    def of(cls, accepted: Accepted, now_s: float) -> Waiting:
        """Waits from now on; the part that `accepted` brings is its first."""
        request = accepted.request
        if request.part is None:
            return cls(accepted, now_s)
        parts = Parts()
        parts.add(PartArrived(accepted.id, request.part, request.text or "", request.last), now_s)
        return cls(accepted, now_s, parts)

    @property
    def id(self) -> str:
        """The announcement's id."""
        return self.accepted.id

    @property
    def request(self) -> Request:
        """What is to be said and how."""
        return self.accepted.request

    @property
    def priority(self) -> Priority:
        """The announcement's priority."""
        return self.request.priority

    @property
    def key(self) -> str | None:
        """What the announcement is about; None shares it with no other."""
        return self.request.key

    @property
    def has_words(self) -> bool:
        """There is something to begin with."""
        return self.parts is None or self.parts.has_begun

    def is_expired(self, now_s: float) -> bool:
        """It is too late to say it."""
        lifetime_s = self.accepted.lifetime_s
        return lifetime_s is not None and now_s >= self.since_s + lifetime_s

    def start_job(self) -> StartJob:
        """The command that begins it."""
        if self.parts is None:
            return StartJob(self.id, self.request)
        first, *more = self.parts.take()
        # the request is that of the part which came first, not of part 0
        request = self.request.model_copy(update={"text": first})
        return StartJob(self.id, request, tuple(more), self.parts.is_open)


class WaitingList:
    """Bounded by whoever adds; ids are unique, and so are keys."""

    def __init__(self) -> None:
        self._by_priority: dict[Priority, dict[str, Waiting]] = {
            priority: {} for priority in sorted(Priority, key=lambda p: p.rank, reverse=True)
        }

    def __len__(self) -> int:
        return sum(map(len, self._by_priority.values()))

    def __iter__(self) -> Iterator[Waiting]:
        return chain.from_iterable(level.values() for level in self._by_priority.values())

    def __contains__(self, request_id: str) -> bool:
        return self.get(request_id) is not None

    def get(self, request_id: str) -> Waiting | None:
        """The one with this id."""
        return next((level[request_id] for level in self._by_priority.values() if request_id in level), None)

    def with_key(self, key: str | None) -> Waiting | None:
        """The one with this key; None, which is no key, has none."""
        return next((waiting for waiting in self if waiting.key == key), None) if key is not None else None

    def add(self, newer: Waiting, *, instead_of: Waiting | None = None, is_next: bool = False) -> None:
        """Behind all others of its priority, or with `is_next` before them.

        `instead_of` leaves, and its place is taken where the priority is the same: a text that is renewed
        more often than its turn comes is heard all the same.
        """
        level = self._by_priority[newer.priority]
        behind_it = next(iter(level), None) if is_next else instead_of and instead_of.id
        if behind_it in level:
            in_order = chain(*((newer, w) if w.id == behind_it else (w,) for w in level.values()))
            self._by_priority[newer.priority] = {waiting.id: waiting for waiting in in_order}
        else:
            level[newer.id] = newer
        if instead_of is not None:
            self.remove(instead_of)

    def remove(self, waiting: Waiting) -> None:
        """Take this one."""
        del self._by_priority[waiting.priority][waiting.id]

    def pop(self, allowed: Callable[[Waiting], bool]) -> Waiting | None:
        """Take the next one that is allowed."""
        found = next(filter(allowed, self), None)
        if found is not None:
            self.remove(found)
        return found

    def pop_below(self, priority: Priority) -> Waiting | None:
        """Take the newest of the least urgent ones, if it is less urgent than `priority`."""
        for lower, level in reversed(self._by_priority.items()):
            if level and lower.rank < priority.rank:
                return level.popitem()[1]
        return None

    def take(self, condition: Callable[[Waiting], bool]) -> list[Waiting]:
        """Take every one for which `condition` holds, in order."""
        taken = list(filter(condition, self))
        for waiting in taken:
            self.remove(waiting)
        return taken
