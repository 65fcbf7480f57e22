"""Decides what is said, when, and what its result is. Pure: events and the time in, commands out.

The invariant: each accepted request gets exactly one terminal result, and `finished` is published only
after its last sample has left the device. The only requests without one are those that still wait when
Shutdown comes; the journal brings them back.
"""

from __future__ import annotations

from collections.abc import Callable

from edged.config.schema import QueueConfig
from edged.core import busy
from edged.core.attendance import Attendance
from edged.core.current import Current
from edged.core.events import (
    Accepted,
    CancelSynth,
    Command,
    Event,
    Exit,
    Now,
    PartArrived,
    PlayDone,
    PlayFailed,
    PlayStarted,
    PlayStopped,
    Publish,
    QuietHours,
    Shutdown,
    SynthEnd,
    SynthFailed,
    SynthPlanned,
    Tell,
    ThermalChanged,
    Tick,
    WorkerLost,
    WorkerReady,
    WorkerUnavailable,
)
from edged.core.gate import Gate
from edged.core.outcome import (
    BUSY,
    CANCELLED,
    EXPIRED,
    MUTED,
    OVERHEATED,
    SHUT_DOWN,
    Ending,
    failed,
    part_missing,
    queue_full,
    too_long,
)
from edged.core.waiting import Waiting, WaitingList
from edged.protocol.command import Cancel, Pause, Resume, SetMuted, Skip, Stop
from edged.protocol.result import Stage


class Scheduler:
    """One announcement at a time, the most urgent first, at most `queue.max_waiting` behind it."""

    def __init__(self, device: str, queue: QueueConfig, max_text_chars: int) -> None:
        self._device = device
        self._max_waiting = queue.max_waiting
        self._part_timeout_s = queue.part_timeout_s
        self._max_text_chars = max_text_chars
        self._waiting = WaitingList()
        self._current: Current | None = None
        self._attendance = Attendance()
        self._gate = Gate(queue.emergency_overrides_mute)
        self._is_ending = False

    # --- for those who report ---

    @property
    def queue(self) -> tuple[Waiting, ...]:
        """The announcements that wait, in the order they would be spoken."""
        return tuple(self._waiting)

    @property
    def queue_length(self) -> int:
        """How many announcements wait."""
        return len(self._waiting)

    @property
    def current_id(self) -> str | None:
        """The announcement in work."""
        return self._current.id if self._current else None

    @property
    def is_paused(self) -> bool:
        """Speech is held until Resume or Skip."""
        return self._gate.is_paused

    @property
    def is_muted(self) -> bool:
        """The device is muted; quiet hours are something else."""
        return self._gate.is_muted

    def stage(self, request_id: str) -> Stage | None:
        """Where a request is that has no result yet; None for all others."""
        if self._current and self._current.id == request_id:
            return self._current.stage
        return Stage.QUEUED if request_id in self._waiting else None

    # --- events ---

    def handle(self, event: Event, now: Now) -> list[Command]:
        """What is to be done about `event`, in order. Late news about an old announcement changes nothing."""
        commands = self._react(event, now) + self._start_next(now)
        if isinstance(event, Accepted) and event.id in self._waiting:
            commands.append(Tell(event.id, Stage.QUEUED))
        return commands

    def _react(self, event: Event, now: Now) -> list[Command]:
        match event:
            case Accepted():
                return self._on_accepted(event, now)
            case PartArrived():
                return self._on_part(event, now)
            case Stop() | Cancel() | Skip() | Pause() | Resume():
                return self._on_control(event, now)
            case SetMuted(is_muted=is_muted):
                self._gate.is_muted = is_muted
                return self._hush()
            case QuietHours(is_quiet=is_quiet):
                self._gate.is_quiet = is_quiet
                return self._hush()
            case ThermalChanged(level=level):
                self._gate.level = level
                return self._dismiss_all(lambda w: self._gate.is_too_hot(w.priority), OVERHEATED, now)
            case WorkerReady() | WorkerUnavailable() | WorkerLost():
                return self._on_worker(event, now)
            case Tick():
                return self._on_tick(now)
            case Shutdown():
                return self._on_shutdown(event)
            case _:
                if self._current and self._current.id == event.id:
                    return self._on_progress(self._current, event, now)
        return []

    # --- requests ---

    def _on_accepted(self, accepted: Accepted, now: Now) -> list[Command]:
        newcomer = Waiting.of(accepted, now.monotonic_s)
        refusal = self._refusal(newcomer, now)
        if refusal is not None:
            return [self._dismiss(newcomer, refusal, now)]
        commands: list[Command] = []
        older = self._waiting.with_key(newcomer.key)
        if older is not None:
            commands.append(self._dismiss(older, busy.replaced_by(newcomer), now))
        elif self._is_full:
            evicted = self._waiting.pop_below(newcomer.priority)
            commands.append(self._dismiss(evicted or newcomer, queue_full(self._max_waiting), now))
            if evicted is None:
                return commands
        ending = busy.ending_for(self._current, newcomer) if self._current else None
        self._waiting.add(newcomer, instead_of=older, is_next=busy.is_next(newcomer, ending))
        return commands + (self._stop_current(ending) if ending else [])

    @property
    def _is_full(self) -> bool:
        # with none in work one more has room: after a restart all come back, that one too
        return self.queue_length >= self._max_waiting + (self._current is None)

    def _refusal(self, newcomer: Waiting, now: Now) -> Ending | None:
        if newcomer.is_expired(now.monotonic_s):
            return EXPIRED
        if self._gate.is_too_hot(newcomer.priority):
            return OVERHEATED
        if newcomer.request.on_busy == "drop" and (self._current or self.queue_length):
            return BUSY
        return None

    def _on_part(self, part: PartArrived, now: Now) -> list[Command]:
        is_current = part.id == self.current_id
        waiting = self._current.waiting if self._current and is_current else self._waiting.get(part.id)
        if waiting is None or waiting.parts is None:
            return []
        waiting.parts.add(part, now.monotonic_s)
        if waiting.parts.chars > self._max_text_chars:
            ending = too_long(waiting.parts.chars, self._max_text_chars)
            return self._end(lambda w: w is waiting, ending, now)
        return self._current.add_text() if self._current and is_current else []

    def _on_control(self, event: Stop | Cancel | Skip | Pause | Resume, now: Now) -> list[Command]:
        match event:
            case Stop(everything=True):
                return self._end(lambda _: True, CANCELLED, now)
            case Stop(id=str() as wanted) | Cancel(id=str() as wanted):
                return self._end(lambda w: w.id == wanted, CANCELLED, now)
            case Cancel(key=str() as key):
                return self._end(lambda w: w.key == key, CANCELLED, now)
            case Stop():
                return self._stop_current(CANCELLED)
            case Skip():
                self._gate.is_paused = False
                return self._stop_current(CANCELLED)
            case Pause():
                self._gate.is_paused = True
                if self._is_ending:  # whoever waits for the end does not wait for a Resume
                    return self._stop_current(SHUT_DOWN)
                return self._current.pause() if self._current else []
            case Resume():
                self._gate.is_paused = False
                return self._current.resume() if self._current else []
        return []

    def _hush(self) -> list[Command]:
        """Silence the current announcement if it is not to be heard; others are answered at their turn."""
        is_silenced = self._current and self._gate.is_silenced(self._current.waiting.priority)
        return self._stop_current(MUTED) if is_silenced else []

    # --- time ---

    def _on_tick(self, now: Now) -> list[Command]:
        commands: list[Command] = []
        for waiting in self.queue:
            ending = self._ending_by_time(waiting, now.monotonic_s)
            if ending is not None:
                self._waiting.remove(waiting)
                commands.append(self._dismiss(waiting, ending, now))
        if self._current:
            commands += self._current.give_up_parts(now.monotonic_s, self._part_timeout_s)
        return commands

    def _ending_by_time(self, waiting: Waiting, now_s: float) -> Ending | None:
        if waiting.is_expired(now_s):
            return EXPIRED
        if not waiting.has_words and waiting.parts and waiting.parts.is_overdue(now_s, self._part_timeout_s):
            return part_missing(0)
        return self._attendance.ending_for(waiting.since_s, now_s)

    def _start_next(self, now: Now) -> list[Command]:
        commands: list[Command] = []
        while not (self._current or self._is_ending) and self._attendance.is_full:
            waiting = self._waiting.pop(lambda w: w.has_words and self._gate.may_begin(w.priority))
            if waiting is None:
                break
            if waiting.is_expired(now.monotonic_s):
                commands.append(self._dismiss(waiting, EXPIRED, now))
            elif self._gate.is_silenced(waiting.priority):
                commands.append(self._dismiss(waiting, MUTED, now))
            else:
                self._current = Current(waiting, now.monotonic_s)
                commands += [waiting.start_job(), Tell(waiting.id, self._current.stage)]
        return commands

    # --- workers ---

    def _on_worker(self, event: WorkerReady | WorkerUnavailable | WorkerLost, now: Now) -> list[Command]:
        match event:
            case WorkerReady():
                self._attendance.came(event.worker)
            case WorkerUnavailable():
                self._attendance.cannot_work(event, now.monotonic_s)
            case WorkerLost():
                ending = self._attendance.went(event, now.monotonic_s)
                if self._current and event.worker == "player":
                    return self._finish_current(self._current, ending, now)
                if self._current and self._current.is_synthesising:
                    self._current.is_synthesising = False
                    return self._current.stop(ending)
        return []

    def _on_progress(self, current: Current, event: Event, now: Now) -> list[Command]:
        match event:
            case SynthPlanned():
                current.voice, current.warnings = event.voice or None, event.warnings
            case SynthEnd():
                current.is_synthesising = False
                current.synth_ms, current.synth_audio_ms = event.synth_ms, event.audio_ms
                current.cache = event.cache
                current.warnings += event.warnings
            case SynthFailed():
                current.is_synthesising = False
                return current.stop(failed("synth", event.code, event.reason))
            case PlayStarted():
                return current.begins_to_sound(event.at_monotonic_s)
            case PlayDone():
                current.heard_ms, current.xruns = event.audio_ms, event.xruns
                return self._finish_current(current, current.completion, now)
            case PlayFailed():
                return self._finish_current(current, failed("player", event.code, event.reason), now)
            case PlayStopped():
                current.heard_ms = event.played_ms
                ending = failed("player", "", "the player stopped by itself")
                return self._finish_current(current, ending, now)
        return []

    # --- endings ---

    def _end(self, condition: Callable[[Waiting], bool], ending: Ending, now: Now) -> list[Command]:
        """End every announcement for which `condition` holds, in work or waiting."""
        is_current = self._current and condition(self._current.waiting)
        commands = self._stop_current(ending) if is_current else []
        return commands + self._dismiss_all(condition, ending, now)

    def _dismiss_all(self, condition: Callable[[Waiting], bool], ending: Ending, now: Now) -> list[Command]:
        return [self._dismiss(waiting, ending, now) for waiting in self._waiting.take(condition)]

    def _dismiss(self, waiting: Waiting, ending: Ending, now: Now) -> Publish:
        """The result of an announcement that was never begun."""
        return Publish(Current(waiting, now.monotonic_s).result(ending, self._device, now))

    def _stop_current(self, ending: Ending) -> list[Command]:
        return self._current.stop(ending) if self._current else []

    def _on_shutdown(self, shutdown: Shutdown) -> list[Command]:
        self._is_ending = True
        if self._current is None:
            return [Exit()]
        # held, it would never end
        may_end_itself = shutdown.is_graceful and not self._current.is_paused
        return [] if may_end_itself else self._current.stop(SHUT_DOWN)

    def _finish_current(self, current: Current, ending: Ending, now: Now) -> list[Command]:
        """The device is silent: publish what was decided before, else `ending`."""
        self._current = None
        commands: list[Command] = []
        if current.is_synthesising and current.ending is None:
            commands.append(CancelSynth(current.id))
        commands.append(Publish(current.result(current.ending or ending, self._device, now)))
        return [*commands, Exit()] if self._is_ending else commands
