"""The invariant: exactly one terminal result per accepted request, `finished` only after its last sample."""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from edged.core.events import (
    Accepted,
    CancelSynth,
    Event,
    Exit,
    Now,
    PlayDone,
    PlayFailed,
    PlayStarted,
    PlayStopped,
    Publish,
    Shutdown,
    StartJob,
    StopPlay,
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
from edged.core.scheduler import Scheduler
from edged.protocol.command import Stop
from edged.protocol.request import Priority, Request
from edged.protocol.result import Status

MAX_WAITING = 3
IDS = st.integers(min_value=0, max_value=30).map(str)
CODES = st.sampled_from(["engine_crashed", "audio_lost", "empty", "internal", ""])
WORKERS: st.SearchStrategy[WorkerName] = st.sampled_from(["synth", "player"])


class AnyOrder(RuleBasedStateMachine):
    """Sends events about any id in any order: the workers may lie, repeat themselves and come late."""

    def __init__(self) -> None:
        super().__init__()
        self.scheduler = Scheduler("lobby", MAX_WAITING)
        self.now_s = 0.0
        self.accepted: list[str] = []
        self.results: Counter[str] = Counter()
        self.begun: list[str] = []
        self.played: set[str] = set()
        self.exits = 0
        self.is_shut_down = False

    def tell(self, event: Event) -> None:
        """Hand over one event and judge every command."""
        for command in self.scheduler.handle(event, Now(self.now_s, self.now_s)):
            match command:
                case Publish(result=result):
                    self.results[result.id] += 1
                    assert result.id in self.accepted
                    assert result.status is not Status.FINISHED or result.id in self.played
                case StartJob(id=request_id):
                    assert not self.is_shut_down
                    assert request_id in self.accepted
                    self.begun.append(request_id)
                case CancelSynth(id=request_id) | StopPlay(id=request_id):
                    assert request_id == self.begun[-1]
                case Exit():
                    self.exits += 1

    @initialize(is_ready=st.booleans())
    def start(self, is_ready: bool) -> None:
        """Often both workers are there from the beginning."""
        if is_ready:
            self.tell(WorkerReady("synth"))
            self.tell(WorkerReady("player"))

    @rule(
        priority=st.sampled_from(Priority),
        lifetime_s=st.none() | st.floats(min_value=-1.0, max_value=20.0, allow_nan=False),
    )
    def accept(self, priority: Priority, lifetime_s: float | None) -> None:
        """A new request."""
        request_id = str(len(self.accepted))
        self.accepted.append(request_id)
        self.tell(Accepted(request_id, Request(text="x", priority=priority), (), None, lifetime_s))

    @rule(request_id=IDS, code=CODES, kind=st.integers(min_value=0, max_value=6))
    def news_about_anything(self, request_id: str, code: str, kind: int) -> None:
        """News about an announcement that may be waiting, current, over or unknown."""
        self._news(request_id, code, kind)

    @rule(code=CODES, kind=st.integers(min_value=0, max_value=6))
    def news_about_the_current_one(self, code: str, kind: int) -> None:
        """News that matters."""
        self._news(self.scheduler.current_id or "nobody", code, kind)

    def _news(self, request_id: str, code: str, kind: int) -> None:
        if kind == 0:
            self.played.add(request_id)
        events: list[Event] = [
            PlayDone(request_id, 1000.0, 0),
            SynthPlanned(request_id, "voice"),
            SynthEnd(request_id, 1000.0, 200.0),
            SynthFailed(request_id, code, "why"),
            PlayStarted(request_id, self.now_s),
            PlayFailed(request_id, code, "why"),
            PlayStopped(request_id, 10.0),
        ]
        self.tell(events[kind])

    @rule(request_id=st.none() | IDS, everything=st.booleans())
    def stop(self, request_id: str | None, everything: bool) -> None:
        """A controller stops something."""
        self.tell(Stop(request_id, everything))

    @rule(worker=WORKERS, kind=st.integers(min_value=0, max_value=3), code=CODES)
    def worker(self, worker: WorkerName, kind: int, code: str) -> None:
        """Workers come (more often) and go."""
        ready = WorkerReady(worker)
        self.tell((ready, ready, WorkerLost(worker), WorkerUnavailable(worker, code, "why"))[kind])

    @rule(level=st.sampled_from(ThermalLevel))
    def thermal(self, level: ThermalLevel) -> None:
        """The board warms up and cools down."""
        self.tell(ThermalChanged(level))

    @rule(seconds=st.floats(min_value=0.0, max_value=15.0, allow_nan=False))
    def tick(self, seconds: float) -> None:
        """Time passes."""
        self.now_s += seconds
        self.tell(Tick())

    @rule(is_wanted=st.integers(min_value=0, max_value=9), is_graceful=st.booleans())
    def shutdown(self, is_wanted: int, is_graceful: bool) -> None:
        """Seldom, the end."""
        if is_wanted == 9 and not self.is_shut_down:
            self.is_shut_down = True
            self.tell(Shutdown(is_graceful))

    @invariant()
    def each_request_is_in_exactly_one_place(self) -> None:
        """Waiting, current, or answered once: never lost, never answered twice, never begun twice."""
        for request_id in self.accepted:
            is_open = self.scheduler.stage(request_id) is not None
            assert self.results[request_id] + is_open == 1
        assert len(self.begun) == len(set(self.begun))
        assert self.scheduler.queue_length <= MAX_WAITING

    @invariant()
    def the_end_comes_once_and_in_silence(self) -> None:
        """Exit exactly when shut down and nothing is in work."""
        is_over = self.is_shut_down and self.scheduler.current_id is None
        assert self.exits == is_over

    def teardown(self) -> None:
        """When all workers behave again, every request gets its result."""
        if self.is_shut_down:
            return
        for event in (ThermalChanged(ThermalLevel.NOMINAL), WorkerReady("synth"), WorkerReady("player")):
            self.tell(event)
        for _ in range(MAX_WAITING + 1):
            request_id = self.scheduler.current_id or "nobody"
            self.played.add(request_id)
            self.tell(PlayDone(request_id, 1.0, 0))
        assert all(self.results[request_id] == 1 for request_id in self.accepted)


TestAnyOrder = AnyOrder.TestCase
# 500 orders of 50 events; the whole takes a few seconds
TestAnyOrder.settings = settings(max_examples=500, stateful_step_count=50, deadline=None)
