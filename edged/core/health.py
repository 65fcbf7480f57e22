"""Who is alive: heartbeats -> ready, warming, stuck. Times are seconds of one monotonic clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Stuck:
    """A worker that is running and has been silent for too long."""

    worker: str
    silent_s: float


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The state of all workers at one moment; every name is in exactly one of the four groups."""

    ready_workers: tuple[str, ...]
    warming: tuple[str, ...]
    stopped: tuple[str, ...]
    stuck: tuple[Stuck, ...]

    @property
    def ready(self) -> bool:
        """Every worker is up and beating."""
        return not (self.warming or self.stopped or self.stuck)

    @property
    def alive(self) -> bool:
        """No worker hangs: the watchdog may be fed. A stopped one is the supervisor's business."""
        return not self.stuck


@dataclass(frozen=True, slots=True)
class _Pulse:
    last_sign_s: float
    is_ready: bool = False


class Health:
    """Knows the last sign of life of each worker.

    `silence_s` says how long each one may be silent once it is ready, `warming_s` before that, while it
    loads. News about a worker that is not running is late news and is ignored.
    """

    def __init__(self, silence_s: Mapping[str, float], warming_s: Mapping[str, float]) -> None:
        self._silence_s = silence_s
        self._warming_s = warming_s
        self._pulses: dict[str, _Pulse | None] = dict.fromkeys(silence_s)

    def started(self, worker: str, now_s: float) -> None:
        """The worker's process or thread exists and warms up."""
        self._pulses[worker] = _Pulse(now_s)

    def ready(self, worker: str, now_s: float) -> None:
        """The worker has said that it can work (or why it cannot)."""
        if self._pulses[worker]:
            self._pulses[worker] = _Pulse(now_s, is_ready=True)

    def heartbeat(self, worker: str, now_s: float) -> None:
        """The worker gave a sign of life."""
        if pulse := self._pulses[worker]:
            self._pulses[worker] = replace(pulse, last_sign_s=now_s)

    def stopped(self, worker: str) -> None:
        """The worker is gone: it ended, was stopped, or waits for its restart."""
        self._pulses[worker] = None

    def report(self, now_s: float) -> HealthReport:
        """Who is ready, warming, stopped or stuck at `now_s`."""
        running = {worker: pulse for worker, pulse in self._pulses.items() if pulse}
        stuck = tuple(
            Stuck(worker, now_s - pulse.last_sign_s)
            for worker, pulse in running.items()
            if now_s - pulse.last_sign_s > (self._silence_s if pulse.is_ready else self._warming_s)[worker]
        )
        hung = {one.worker for one in stuck}
        return HealthReport(
            ready_workers=tuple(w for w, pulse in running.items() if pulse.is_ready and w not in hung),
            warming=tuple(w for w, pulse in running.items() if not pulse.is_ready and w not in hung),
            stopped=tuple(worker for worker in self._pulses if worker not in running),
            stuck=stuck,
        )
