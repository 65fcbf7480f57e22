"""Decides what is said, when, and what its result is. Pure: events and the time in, commands out.

The invariant: each accepted request gets exactly one terminal result, and `finished` is published only
after its last sample has left the device. The only requests without one are those that still wait when
Shutdown comes; the journal brings them back.
"""

from __future__ import annotations

from dataclasses import dataclass

from edged.core.events import (
    Accepted,
    CancelSynth,
    Command,
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
from edged.core.outcome import (
    CANCELLED,
    EXPIRED,
    FINISHED,
    OVERHEATED,
    SHUT_DOWN,
    Current,
    Ending,
    failed,
)
from edged.core.waiting import Waiting, WaitingList
from edged.protocol.command import Stop
from edged.protocol.request import Priority
from edged.protocol.result import Code, Stage, Status

# A device that is replugged or let go by another program is back well within this time; longer than
# that, whoever waits for the result shall know.
PATIENCE_S = 10.0
# A child whose process has ended is started again at once, but a voice takes up to a minute to load on
# the slowest board; when it has not come back by then, it keeps ending.
RESTART_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Absence:
    """Since when a worker cannot work, how long one may wait for it, and how those end who waited longer."""

    since_s: float
    patience_s: float
    ending: Ending


class Scheduler:
    """One announcement at a time, the most urgent first, at most `max_waiting` behind it."""

    def __init__(self, device: str, max_waiting: int) -> None:
        self._device = device
        self._max_waiting = max_waiting
        self._waiting = WaitingList()
        self._current: Current | None = None
        self._ready: set[WorkerName] = set()
        self._unavailable: dict[WorkerName, Absence] = {}
        self._level = ThermalLevel.NOMINAL
        self._is_ending = False

    @property
    def queue_length(self) -> int:
        """How many announcements wait."""
        return len(self._waiting)

    @property
    def current_id(self) -> str | None:
        """The announcement in work."""
        return self._current.id if self._current else None

    def stage(self, request_id: str) -> Stage | None:
        """Where a request is that has no result yet; None for all others."""
        if self._current and self._current.id == request_id:
            return Stage.SYNTHESISING if self._current.first_audio_s is None else Stage.SPEAKING
        return Stage.QUEUED if request_id in self._waiting else None

    def handle(self, event: Event, now: Now) -> list[Command]:
        """What is to be done about `event`, in order. Late news about an old announcement changes nothing."""
        commands = self._react(event, now)
        return commands + self._start_next(now)

    def _react(self, event: Event, now: Now) -> list[Command]:
        match event:
            case Accepted():
                return self._on_accepted(event, now)
            case Stop():
                return self._on_stop(event, now)
            case WorkerReady():
                self._ready.add(event.worker)
                self._unavailable.pop(event.worker, None)
            case WorkerUnavailable():
                self._on_unavailable(event, now)
            case WorkerLost():
                return self._on_lost(event, now)
            case ThermalChanged():
                self._level = event.level
                return self._refuse_all_too_hot(now)
            case Tick():
                return self._on_tick(now)
            case Shutdown():
                self._is_ending = True
                if self._current is None:
                    return [Exit()]
                return [] if event.is_graceful else self._stop_current(SHUT_DOWN)
            case _:
                if self._current and self._current.id == event.id:
                    return self._on_progress(self._current, event, now)
        return []

    # --- requests ---

    def _on_accepted(self, accepted: Accepted, now: Now) -> list[Command]:
        waiting = Waiting(accepted, now.monotonic_s)
        if waiting.is_expired(now.monotonic_s):
            return [self._dismiss(waiting, EXPIRED, now)]
        if not self._is_cool_enough(waiting):
            return [self._dismiss(waiting, OVERHEATED, now)]
        commands: list[Command] = []
        if len(self._waiting) >= self._max_waiting:
            refused = self._waiting.pop_below(waiting.priority) or waiting
            reason = f"{self._max_waiting} announcements wait already"
            commands.append(self._dismiss(refused, Ending(Status.REJECTED, Code.QUEUE_FULL, reason), now))
            if refused is waiting:
                return commands
        self._waiting.add(waiting)
        return commands + self._interrupt_for(waiting)

    def _interrupt_for(self, waiting: Waiting) -> list[Command]:
        is_urgent = waiting.priority is Priority.EMERGENCY
        if self._current is None or not is_urgent or self._current.waiting.priority is Priority.EMERGENCY:
            return []
        return self._stop_current(Ending(Status.INTERRUPTED, reason=f"by the emergency {waiting.id}"))

    def _on_stop(self, stop: Stop, now: Now) -> list[Command]:
        is_current = stop.everything or stop.id in (None, self.current_id)
        commands = self._stop_current(CANCELLED) if is_current else []
        taken = self._waiting.take(lambda w: stop.everything or w.id == stop.id)
        return commands + [self._dismiss(waiting, CANCELLED, now) for waiting in taken]

    def _on_tick(self, now: Now) -> list[Command]:
        expired = self._waiting.take(lambda w: w.is_expired(now.monotonic_s))
        commands: list[Command] = [self._dismiss(waiting, EXPIRED, now) for waiting in expired]
        for absence in self._unavailable.values():
            commands += self._dismiss_overdue(absence, now)
        return commands

    def _dismiss_overdue(self, absence: Absence, now: Now) -> list[Command]:
        limit_s = now.monotonic_s - absence.patience_s
        if absence.since_s > limit_s:
            return []
        overdue = self._waiting.take(lambda w: w.since_s <= limit_s)
        return [self._dismiss(waiting, absence.ending, now) for waiting in overdue]

    def _start_next(self, now: Now) -> list[Command]:
        commands: list[Command] = []
        while not (self._current or self._is_ending) and len(self._ready) == 2:
            waiting = self._waiting.pop(self._may_start)
            if waiting is None:
                break
            if waiting.is_expired(now.monotonic_s):
                commands.append(self._dismiss(waiting, EXPIRED, now))
                continue
            self._current = Current(waiting, now.monotonic_s)
            commands.append(StartJob(waiting.id, waiting.accepted.request))
        return commands

    # --- heat ---

    def _refuse_all_too_hot(self, now: Now) -> list[Command]:
        refused = self._waiting.take(lambda w: not self._is_cool_enough(w))
        return [self._dismiss(waiting, OVERHEATED, now) for waiting in refused]

    def _is_cool_enough(self, waiting: Waiting) -> bool:
        return self._level < ThermalLevel.CRITICAL or waiting.priority.rank >= Priority.HIGH.rank

    def _may_start(self, priority: Priority) -> bool:
        return self._level < ThermalLevel.HOT or priority is not Priority.BACKGROUND

    # --- workers ---

    def _on_unavailable(self, event: WorkerUnavailable, now: Now) -> None:
        self._ready.discard(event.worker)
        before = self._unavailable.get(event.worker)
        since_s = before.since_s if before else now.monotonic_s
        ending = failed(event.worker, event.code, event.reason)
        self._unavailable[event.worker] = Absence(since_s, PATIENCE_S, ending)

    def _on_lost(self, event: WorkerLost, now: Now) -> list[Command]:
        self._ready.discard(event.worker)
        ending = failed(event.worker, "", f"the {event.worker} process ended")
        # from its first end on, however often it is started in between
        self._unavailable.setdefault(event.worker, Absence(now.monotonic_s, RESTART_PATIENCE_S, ending))
        if self._current is None:
            return []
        if event.worker == "player":
            return self._finish_current(self._current, ending, now)
        if not self._current.is_synthesising:
            return []
        self._current.is_synthesising = False
        return self._stop_current(ending)

    def _on_progress(self, current: Current, event: Event, now: Now) -> list[Command]:
        match event:
            case SynthPlanned():
                current.voice, current.warnings = event.voice, event.warnings
            case SynthEnd():
                current.is_synthesising = False
                current.synth_ms, current.synth_audio_ms = event.synth_ms, event.audio_ms
            case SynthFailed():
                current.is_synthesising = False
                return self._stop_current(failed("synth", event.code, event.reason))
            case PlayStarted():
                current.first_audio_s = event.at_monotonic_s
            case PlayDone():
                current.heard_ms, current.xruns = event.audio_ms, event.xruns
                return self._finish_current(current, FINISHED, now)
            case PlayFailed():
                return self._finish_current(current, failed("player", event.code, event.reason), now)
            case PlayStopped():
                current.heard_ms = event.played_ms
                ending = failed("player", "", "the player stopped by itself")
                return self._finish_current(current, ending, now)
        return []

    # --- endings ---

    def _dismiss(self, waiting: Waiting, ending: Ending, now: Now) -> Publish:
        """The result of an announcement that was never begun."""
        result = Current(waiting, now.monotonic_s).result(ending, self._device, now)
        return Publish(result, waiting.accepted.reply_to)

    def _stop_current(self, ending: Ending) -> list[Command]:
        """Silence the current announcement; its result follows when the device is silent."""
        current = self._current
        if current is None or current.ending is not None:
            return []
        current.ending = ending
        stop_play = StopPlay(current.id)
        return [CancelSynth(current.id), stop_play] if current.is_synthesising else [stop_play]

    def _finish_current(self, current: Current, ending: Ending, now: Now) -> list[Command]:
        """The device is silent: publish what was decided before, else `ending`."""
        self._current = None
        commands: list[Command] = []
        if current.is_synthesising and current.ending is None:
            commands.append(CancelSynth(current.id))
        result = current.result(current.ending or ending, self._device, now)
        commands.append(Publish(result, current.waiting.accepted.reply_to))
        return [*commands, Exit()] if self._is_ending else commands
