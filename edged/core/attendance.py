"""Which of the two workers can work, and how long announcements wait for one that cannot."""

from __future__ import annotations

from dataclasses import dataclass

from edged.core.events import WorkerLost, WorkerName, WorkerUnavailable
from edged.core.outcome import Ending, failed
from edged.core.patience import PATIENCE_S, RESTART_PATIENCE_S


@dataclass(frozen=True, slots=True)
class Absence:
    """Since when a worker cannot work, how long one may wait for it, and how those end who waited longer."""

    since_s: float
    patience_s: float
    ending: Ending


class Attendance:
    """Both are needed to speak; a worker that has not come yet is no absence, it is loading."""

    def __init__(self) -> None:
        self._ready: set[WorkerName] = set()
        self._absences: dict[WorkerName, Absence] = {}

    @property
    def is_full(self) -> bool:
        """Both can work."""
        return len(self._ready) == 2

    def came(self, worker: WorkerName) -> None:
        """It can work."""
        self._ready.add(worker)
        self._absences.pop(worker, None)

    def cannot_work(self, event: WorkerUnavailable, now_s: float) -> None:
        """It is there, and has a reason; the absence counts from its beginning."""
        self._ready.discard(event.worker)
        before = self._absences.get(event.worker)
        since_s = before.since_s if before else now_s
        ending = failed(event.worker, event.code, event.reason)
        self._absences[event.worker] = Absence(since_s, PATIENCE_S, ending)

    def went(self, event: WorkerLost, now_s: float) -> Ending:
        """It is gone; the ending of the announcement it had in work."""
        self._ready.discard(event.worker)
        ending = failed(event.worker, "", f"the {event.worker} process ended")
        # from its first end on, however often it is started in between
        self._absences.setdefault(event.worker, Absence(now_s, RESTART_PATIENCE_S, ending))
        return ending

    def ending_for(self, since_s: float, now_s: float) -> Ending | None:
        """How an announcement ends that waits since then, if a worker has been away for too long."""
        for absence in self._absences.values():
            if max(since_s, absence.since_s) + absence.patience_s <= now_s:
                return absence.ending
        return None
