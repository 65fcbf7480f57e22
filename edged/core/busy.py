"""What a new announcement does to the one in work: `on_busy`, `key` and emergencies."""

from __future__ import annotations

from edged.core.current import Current
from edged.core.outcome import Ending
from edged.core.waiting import Waiting
from edged.protocol.request import Priority
from edged.protocol.result import Code, Status


def replaced_by(newer: Waiting) -> Ending:
    """The ending of an announcement that waits and has the key of a newer one."""
    return Ending(Status.CANCELLED, Code.REPLACED, f"by {newer.id}")


def ending_for(current: Current, newer: Waiting) -> Ending | None:
    """How the current announcement ends because `newer` has come; None: it goes on."""
    if newer.request.on_busy == "replace_same_key" and newer.key == current.waiting.key:
        return Ending(Status.INTERRUPTED, Code.REPLACED, f"by {newer.id}")
    if _barges_in(current, newer):
        return Ending(Status.INTERRUPTED, reason=f"by {newer.id}")
    return None


def is_next(newer: Waiting, ending: Ending | None) -> bool:
    """It goes before all others of its priority: it asks for it, or the current one made place for it.

    `ending` is how the current one ends because of it.
    """
    return newer.request.on_busy == "interrupt" or (ending is not None and ending.code is Code.REPLACED)


def _barges_in(current: Current, newer: Waiting) -> bool:
    lead = newer.priority.rank - current.waiting.priority.rank
    if newer.request.on_busy == "interrupt":
        return lead >= 0
    # an alarm does not wait for somebody to resume
    return newer.priority is Priority.EMERGENCY and (lead > 0 or current.is_paused)
