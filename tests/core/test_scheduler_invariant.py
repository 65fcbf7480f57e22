"""The invariant: exactly one terminal result per accepted request, `finished` only after its last sample.

And with it every other rule of tests/core/judge.py, over thousands of random orders of all events. The
workers may lie, repeat themselves, and come late.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Literal

import pytest

from edged.config.schema import QueueConfig
from edged.core.events import (
    Accepted,
    Event,
    PartArrived,
    PlayDone,
    PlayFailed,
    PlayStarted,
    PlayStopped,
    QuietHours,
    Shutdown,
    SynthEnd,
    SynthFailed,
    SynthPlanned,
    ThermalChanged,
    Tick,
    WorkerLost,
    WorkerName,
    WorkerReady,
    WorkerUnavailable,
)
from edged.core.governor import ThermalLevel
from edged.protocol.command import Cancel, Pause, Resume, SetMuted, Skip, Stop
from edged.protocol.request import Priority, Request
from tests.core.judge import Judge

# 6000 orders of 60 events; the whole takes several seconds
GROUPS = 12
ORDERS_PER_GROUP = 500
EVENTS_PER_ORDER = 60

PART_TIMEOUT_S = 10.0
CODES = ("engine_crashed", "audio_lost", "empty", "internal", "")
ON_BUSY: tuple[Literal["queue", "interrupt", "replace_same_key", "drop"], ...] = (
    "queue",
    "queue",
    "queue",
    "interrupt",
    "replace_same_key",
    "drop",
)
WORKERS: tuple[WorkerName, ...] = ("synth", "player")

Step = tuple[float, Event]  # seconds that pass before it, and the event


class RandomLife:
    """Makes up the next event: mostly what could happen, sometimes what should not."""

    def __init__(self, random: Random, judge: Judge) -> None:
        self._random = random
        self._judge = judge
        self._kinds: dict[Callable[[], Event], int] = {
            self._accepted: 24,
            self._part: 14,
            self._news: 20,
            self._control: 8,
            self._pause: 12,
            self._silence: 8,
            self._worker: 8,
            self._heat: 4,
            Tick: 8,
        }

    def step(self) -> Step:
        """One event, now or a while later."""
        seconds = self._random.choice((*(0.0,) * 5, 0.1, 1.0, self._random.uniform(0.0, 15.0)))
        if self._random.random() < 0.003:
            return seconds, Shutdown(is_graceful=self._random.random() < 0.5)
        (kind,) = self._random.choices(list(self._kinds), list(self._kinds.values()))
        return seconds, kind()

    def _any_id(self) -> str:
        """Mostly of the current one, else of one that waits, is over, or never was."""
        if self._random.random() < 0.7 and self._judge.current:
            return self._judge.current.id
        return str(self._random.randint(0, len(self._judge.books)))

    def _accepted(self) -> Event:
        random, request_id = self._random, str(len(self._judge.books))
        on_busy = random.choice(ON_BUSY)
        keys = ("k", "l") if on_busy == "replace_same_key" else ("k", "l", None, None, None)
        part = random.choice((None, None, None, 0, 0, 1))
        request = Request(
            id=request_id,
            text="x" if part is None else f"{part}.",
            part=part,
            last=part is not None and random.random() < 0.2,
            priority=random.choice(list(Priority)),
            on_busy=on_busy,
            key=random.choice(keys),
            repeat=random.choice((1, 2)),
        )
        lifetime_s = random.choice((None, None, None, random.uniform(-1.0, 20.0)))
        return Accepted(request_id, request, lifetime_s=lifetime_s)

    def _part(self) -> Event:
        awaited = [book.id for book in self._judge.books.values() if book.parts and not book.result]
        request_id = self._random.choice([*awaited, *awaited, self._any_id()])
        part = self._random.randint(0, 4)
        text = f"{part}." if self._random.random() < 0.8 else "x" * 30
        return PartArrived(request_id, part, text, is_last=self._random.random() < 0.2)

    def _news(self) -> Event:
        request_id, code = self._any_id(), self._random.choice(CODES)
        good = (
            SynthPlanned(request_id, "voice"),
            SynthEnd(request_id, 1000.0, 200.0),
            PlayStarted(request_id, self._judge.now_s),
            PlayDone(request_id, 1000.0, 0),
        )
        others = (
            PlayStopped(request_id, 10.0),
            SynthFailed(request_id, code, "why"),
            PlayFailed(request_id, code, "why"),
        )
        return self._random.choice((*good, *good, *others))

    def _control(self) -> Event:
        request_id = self._any_id()
        key = self._random.choice(("k", "l", "m"))
        return self._random.choice(
            (
                Stop(),
                Stop(everything=True),
                Stop(id=request_id),
                Cancel(id=request_id),
                Cancel(key=key),
                Skip(),
            )
        )

    def _pause(self) -> Event:
        return self._random.choice((Pause(), Resume(), Resume(), Resume()))

    def _silence(self) -> Event:
        is_silent = self._random.random() < 0.2
        return self._random.choice((SetMuted(is_silent), QuietHours(is_silent)))

    def _worker(self) -> Event:
        worker, code = self._random.choice(WORKERS), self._random.choice(CODES)
        troubles = (WorkerLost(worker), WorkerUnavailable(worker, code, "why"))
        return self._random.choice((*(WorkerReady(worker),) * 6, *troubles))

    def _heat(self) -> Event:
        return ThermalChanged(self._random.choice((*(ThermalLevel.NOMINAL,) * 4, *ThermalLevel)))


def queue_of(random: Random) -> QueueConfig:
    """A small queue, so that it is full often."""
    return QueueConfig(
        max_waiting=random.choice((1, 3, 6)),
        part_timeout_s=PART_TIMEOUT_S,
        emergency_overrides_mute=random.random() < 0.8,
    )


def live(seed: int) -> tuple[QueueConfig, list[Step], bool]:
    """One random order of events, up to the first fault, and whether there was one."""
    random = Random(seed)
    queue = queue_of(random)
    judge = Judge(queue)
    life = RandomLife(random, judge)
    steps: list[Step] = []
    begin: list[Step] = [(0.0, WorkerReady(worker)) for worker in WORKERS if random.random() < 0.9]
    try:
        for n in range(EVENTS_PER_ORDER):
            steps.append(begin[n] if n < len(begin) else life.step())
            take(judge, *steps[-1])
        end_well(judge)
    except AssertionError:
        return queue, steps, True
    return queue, steps, False


def take(judge: Judge, seconds: float, event: Event) -> None:
    """So much later this happens."""
    judge.now_s += seconds
    judge.tell(event)


def end_well(judge: Judge) -> None:
    """Everything behaves well, and the time of missing parts is over: nobody is left without a result."""
    healing: tuple[Event, ...] = (
        SetMuted(False), QuietHours(False), Resume(), ThermalChanged(ThermalLevel.NOMINAL),
        WorkerReady("synth"), WorkerReady("player"),
    )  # fmt: skip
    for event in healing:
        judge.tell(event)
    take(judge, PART_TIMEOUT_S, Tick())
    while judge.current:
        judge.tell(PlayDone(judge.current.id, 1.0, 0))
    assert judge.is_shut_down or all(book.result for book in judge.books.values()), "no result"


def fault_of(queue: QueueConfig, steps: list[Step]) -> AssertionError | None:
    """What these events break."""
    judge = Judge(queue)
    try:
        for seconds, event in steps:
            take(judge, seconds, event)
        end_well(judge)
    except AssertionError as fault:
        return fault
    return None


def shortest(queue: QueueConfig, steps: list[Step]) -> list[Step]:
    """As few of these events as still break something."""
    size = len(steps)
    while size:
        for begin in range(len(steps) - size, -1, -size):
            fewer = steps[:begin] + steps[begin + size :]
            if fault_of(queue, fewer):
                steps = fewer
        size //= 2
    return steps


def brief(event: Event) -> str:
    """An event without the fields that say nothing."""
    if not isinstance(event, Accepted):
        return repr(event)
    fields = event.request.model_dump(mode="json", exclude_defaults=True)
    return f"Accepted({fields}, lifetime_s={event.lifetime_s})"


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_rules_hold_in_any_order_of_events(group: int) -> None:
    """One result each, after silence; nothing heard that must not be. A failure tells the shortest order."""
    for seed in range(group * ORDERS_PER_GROUP, (group + 1) * ORDERS_PER_GROUP):
        queue, steps, is_broken = live(seed)
        if is_broken:
            steps = shortest(queue, steps)
            order = "\n".join(f"  +{seconds:.1f} s {brief(event)}" for seconds, event in steps)
            raise AssertionError(f"seed {seed}, {queue!r}:\n{order}") from fault_of(queue, steps)
