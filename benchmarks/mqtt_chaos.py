"""What befalls a device in a year, in minutes: seeded faults at random points of a load."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from benchmarks.cut_proxy import CutProxy
from benchmarks.mqtt_board import Board
from tests.integration.broker import Broker

Fault = Literal["broker", "main", "synth", "player", "socket_cuts"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

# A fault comes within this time after so many requests have ended: it must hit every moment of an
# announcement, not only the one at which a result arrives.
_LONGEST_DELAY_S = 0.2


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault, when so many requests have ended and a moment more."""

    after_requests: int
    delay_s: float
    fault: Fault


def plan(requests: int, every: int, seed: int) -> list[Planned]:
    """Faults of all kinds in random order at random points, on average one in `every` requests."""
    rng = random.Random(seed)
    count = max(len(FAULTS), requests // every)
    kinds = [FAULTS[n % len(FAULTS)] for n in range(count)]
    rng.shuffle(kinds)
    points = sorted(rng.sample(range(requests), count))
    return [
        Planned(at, rng.uniform(0, _LONGEST_DELAY_S), kind) for at, kind in zip(points, kinds, strict=True)
    ]


@dataclass(slots=True)
class Chaos:
    """Carries out a plan. `on_cut` is told what has just broken the way to the device."""

    faults: list[Planned]
    broker: Broker
    proxy: CutProxy
    board: Board
    on_cut: Callable[[Fault], None]
    done: Counter[Fault] = field(default_factory=Counter)
    _due_s: float | None = None

    def turn(self, ended: int) -> None:
        """Whatever is due after so many requests."""
        if not self.faults or ended < self.faults[0].after_requests:
            return
        now_s = time.monotonic()
        if self._due_s is None:
            self._due_s = now_s + self.faults[0].delay_s
        if now_s < self._due_s:
            return
        fault = self.faults[0].fault
        if self._strike(fault):  # else it is down already: as soon as it is back
            self.faults.pop(0)
            self._due_s = None
            self.done[fault] += 1

    @property
    def is_done(self) -> bool:
        """Everything planned has struck."""
        return not self.faults

    def counts(self) -> dict[str, int]:
        """How often each has struck."""
        return {fault: self.done[fault] for fault in FAULTS}

    def _strike(self, fault: Fault) -> bool:
        match fault:
            case "synth" | "player":
                return self.board.kill_child(fault)
            case "main":
                if not self.board.kill_main():
                    return False
            case "broker":
                self.broker.kill()
                self.broker.start()
            case "socket_cuts":
                self.proxy.cut()
        self.on_cut(fault)
        return True
