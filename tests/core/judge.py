"""What must hold whatever happens, as one judge: tells events to a scheduler and examines every command.

It keeps its own books, so that a fault of the scheduler's cannot hide in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from edged.config.schema import QueueConfig
from edged.core.events import (
    Accepted,
    AddText,
    CancelSynth,
    Command,
    Event,
    Exit,
    Now,
    PartArrived,
    PausePlay,
    PlayDone,
    PlayFailed,
    PlayStopped,
    Publish,
    QuietHours,
    ResumePlay,
    Shutdown,
    StartJob,
    StopPlay,
    SynthEnd,
    SynthFailed,
    Tell,
    ThermalChanged,
    Tick,
    WorkerLost,
    WorkerReady,
    WorkerUnavailable,
)
from edged.core.governor import ThermalLevel
from edged.core.scheduler import Scheduler
from edged.protocol.command import Cancel, Pause, Resume, SetMuted, Skip, Stop
from edged.protocol.request import Priority
from edged.protocol.result import Code, Result, Stage, Status

MAX_TEXT_CHARS = 40
BOTH = {"synth", "player"}


@dataclass(slots=True)
class Book:
    """All that is known of one request."""

    accepted: Accepted
    since_s: float
    parts: dict[int, PartArrived] = field(default_factory=dict)
    last_part_s: float = 0.0
    stage: Stage | None = None  # the last one told
    is_begun: bool = False
    is_synthesising: bool = False
    is_open: bool = False
    is_given_up: bool = False
    is_paused: bool = False
    is_cancelled: bool = False
    is_stopped: bool = False
    is_played: bool = False
    spoken: list[str] = field(default_factory=list)
    result: Result | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return self.accepted.id

    @property
    def priority(self) -> Priority:
        """Its priority."""
        return self.accepted.request.priority

    @property
    def key(self) -> str | None:
        """Its key."""
        return self.accepted.request.key

    @property
    def in_order(self) -> list[PartArrived]:
        """Its parts from the first on, without a gap, up to the last."""
        parts: list[PartArrived] = []
        while len(parts) in self.parts and not (parts and parts[-1].is_last):
            parts.append(self.parts[len(parts)])
        return parts

    @property
    def chars(self) -> int:
        """Length of all its parts."""
        return sum(len(part.text) for part in self.parts.values())

    def add(self, part: PartArrived, now_s: float) -> None:
        """A part that counts: not the same again, and not behind the last one."""
        is_whole = bool(self.in_order) and self.in_order[-1].is_last
        if part.part not in self.parts and not (is_whole or self.is_given_up):
            self.parts[part.part], self.last_part_s = part, now_s


class Judge:
    """Raises AssertionError at the first command, or the first lack of one, that breaks a rule."""

    def __init__(self, queue: QueueConfig) -> None:
        self.scheduler = Scheduler("lobby", queue, MAX_TEXT_CHARS)
        self.now_s = 0.0
        self.books: dict[str, Book] = {}
        self._queue = queue
        self._ready: set[str] = set()
        self._is_muted = self._is_quiet = self._is_paused = self.is_shut_down = False
        self._level = ThermalLevel.NOMINAL
        self._exits = 0
        self._silent: str | None = None  # whom this event tells to be out of the device

    @property
    def current(self) -> Book | None:
        """The one in work."""
        return next((book for book in self.books.values() if book.is_begun and not book.result), None)

    @property
    def waiting(self) -> list[Book]:
        """Those not begun and without a result."""
        return [book for book in self.books.values() if not book.is_begun and not book.result]

    def tell(self, event: Event) -> None:
        """Hand over one event, judge every command and what became of all requests."""
        current, waiting = self.current, self.waiting
        was_stopped = current is not None and current.is_stopped
        self._note(event)
        for command in self.scheduler.handle(event, Now(self.now_s, self.now_s)):
            self._judge(command)
        if self._silent:
            assert self.books[self._silent].result, "no result although the device is silent"
        is_stopped_now = current is not None and current.is_stopped and not was_stopped
        if isinstance(event, Accepted):
            self._judge_arrival(self.books[event.id], current, waiting, is_stopped_now)
        elif current is None or not was_stopped:
            self._judge_control(event, current, waiting)
        self._judge_state()

    # --- the books -------------------------------------------------------------------------------

    def _note(self, event: Event) -> None:
        self._silent = None
        match event:
            case Accepted(id=request_id, request=request):
                book = self.books[request_id] = Book(event, self.now_s)
                if request.part is not None:
                    first = PartArrived(request_id, request.part, request.text or "", request.last)
                    book.add(first, self.now_s)
            case PartArrived() if event.id in self.books and self.books[event.id].parts:
                self.books[event.id].add(event, self.now_s)
            case WorkerReady(worker=worker):
                self._ready.add(worker)
            case WorkerUnavailable(worker=worker):
                self._ready.discard(worker)
            case WorkerLost(worker=worker):
                self._ready.discard(worker)
                if self.current and worker == "player":
                    self._silent = self.current.id
                elif self.current:
                    self.current.is_synthesising = False
            case SetMuted(is_muted=is_muted):
                self._is_muted = is_muted
            case QuietHours(is_quiet=is_quiet):
                self._is_quiet = is_quiet
            case Pause():
                self._is_paused = True
            case Resume() | Skip():
                self._is_paused = False
            case ThermalChanged(level=level):
                self._level = level
            case Shutdown():
                self.is_shut_down = True
            case PlayDone() | PlayFailed() | PlayStopped() if self.current and event.id == self.current.id:
                self._silent = event.id
                self.current.is_played |= isinstance(event, PlayDone)
            case SynthEnd() | SynthFailed() if self.current and event.id == self.current.id:
                self.current.is_synthesising = False

    # --- commands --------------------------------------------------------------------------------

    def _judge(self, command: Command) -> None:
        match command:
            case Publish(result=result):
                self._judge_result(result)
            case StartJob():
                self._judge_start(command)
            case Exit():
                self._exits += 1
            case Tell():
                self._judge_stage(command)
            case _:
                book = self.current
                assert book is not None, "a command for nobody"
                assert command.id == book.id, "a command for an announcement that is not in work"
                self._judge_command_to(book, command)

    def _judge_command_to(self, book: Book, command: Command) -> None:
        match command:
            case CancelSynth():
                assert book.is_synthesising
                assert not book.is_cancelled
                book.is_cancelled = True
            case StopPlay():
                assert not book.is_stopped
                assert book.is_cancelled == book.is_synthesising, "the synthesis runs on behind the stop"
                book.is_stopped = True
            case PausePlay():
                assert not book.is_paused
                assert not book.is_stopped
                book.is_paused = True
            case ResumePlay():
                assert book.is_paused
                assert not book.is_stopped
                book.is_paused = False
            case AddText(text=text, is_last=is_last):
                assert book.is_open
                assert book.is_synthesising
                assert not book.is_stopped
                book.is_open = not is_last
                if text:
                    book.spoken.append(text)
                else:
                    assert is_last
                    assert self.now_s >= book.last_part_s + self._queue.part_timeout_s
                    book.is_given_up = True

    def _judge_result(self, result: Result) -> None:
        book = self.books[result.id]
        assert book.result is None, "two results"
        if book.is_begun:
            assert self._silent == book.id, "a result before the device is silent"
        if result.status is Status.FINISHED:
            assert book.is_played
            assert not book.is_stopped
            assert not book.is_given_up
        if result.status is Status.MUTED and not book.is_begun:
            assert self._is_silenced(book)
        if result.code is Code.TOO_LONG and book.parts:
            assert book.chars > MAX_TEXT_CHARS
        if result.code is Code.EXPIRED and result.status is Status.EXPIRED:
            assert self._is_expired(book)
        book.result = result

    def _judge_start(self, start: StartJob) -> None:
        assert self.current is None, "two at a time"
        assert self._ready == BOTH
        assert not self.is_shut_down
        book = self.books[start.id]
        assert not book.is_begun, "begun twice"
        assert book.result is None
        assert not self._is_silenced(book), "heard in silence"
        assert not self._is_expired(book)
        assert self._may_begin(book)
        overtaken = [b for b in self.waiting if b.priority.rank > book.priority.rank and self._may_begin(b)]
        assert not overtaken, f"{overtaken[0].id} is more urgent"
        book.is_begun = book.is_synthesising = True
        book.is_open = start.is_open
        unchanged = {"text": book.accepted.request.text}
        assert start.request.model_copy(update=unchanged) == book.accepted.request
        if book.parts:
            book.spoken = [start.request.text or "", *start.more]
        else:
            assert (start.request.text, start.more, start.is_open) == (book.accepted.request.text, (), False)

    def _judge_stage(self, tell: Tell) -> None:
        book = self.books[tell.id]
        assert book.result is None
        assert tell.stage is not book.stage, "told twice"
        assert (tell.stage is Stage.QUEUED) == (not book.is_begun)
        assert (tell.stage is Stage.PAUSED) == book.is_paused
        assert not book.is_stopped
        book.stage = tell.stage

    # --- what became of it -----------------------------------------------------------------------

    def _judge_arrival(
        self, book: Book, current: Book | None, waiting: list[Book], is_stopped_now: bool
    ) -> None:
        request, status = book.accepted.request, book.result.status if book.result else None
        code = book.result.code if book.result else None
        if code is Code.QUEUE_FULL:
            assert len(waiting) >= self._queue.max_waiting
        if status in (Status.REJECTED, Status.EXPIRED):
            assert not is_stopped_now, "refused, and ended the current one all the same"
            assert not any(other.result and other.result.code is Code.REPLACED for other in waiting)
            return
        assert request.on_busy != "drop" or not (current or waiting)
        for older in waiting:
            is_replaced = older.result is not None and older.result.code is Code.REPLACED
            assert is_replaced == (request.key is not None and older.key == request.key)
        if current is None or (current.is_stopped and not is_stopped_now):
            return
        lead = request.priority.rank - current.priority.rank
        is_emergency = request.priority is Priority.EMERGENCY
        assert is_stopped_now == (
            (is_emergency and (lead > 0 or current.is_paused))
            or (request.on_busy == "interrupt" and lead >= 0)
            or (request.on_busy == "replace_same_key" and request.key == current.key)
        )

    def _judge_control(self, event: Event, current: Book | None, waiting: list[Book]) -> None:
        """Exactly those that are meant; `current` had not been stopped before this event."""
        everyone = [*waiting, *([current] if current else [])]
        is_stopped = current is not None and (current.is_stopped or current.result is not None)
        meant: list[Book] = []
        match event:
            case Stop(everything=True):
                meant = everyone
            case Stop(id=str() as wanted) | Cancel(id=str() as wanted):
                meant = [book for book in everyone if book.id == wanted]
            case Cancel(key=str() as key):
                meant = [book for book in everyone if book.key == key]
            case Stop() | Skip():
                meant = [current] if current else []
            case SetMuted() | QuietHours():
                assert is_stopped == (current is not None and self._is_silenced(current))
                return
            case Pause():
                assert current is None or current.is_paused or is_stopped
                return
            case Resume():
                assert current is None or not current.is_paused
            case Tick():
                assert not any(self._is_expired(book) for book in self.waiting)
                return
            case _:
                return
        assert is_stopped == (current in meant and current is not None)
        cancelled = [book for book in waiting if book.result and book.result.status is Status.CANCELLED]
        assert cancelled == [book for book in waiting if book in meant]

    def _judge_state(self) -> None:
        current, waiting = self.current, self.waiting
        assert self.scheduler.current_id == (current.id if current else None)
        assert {waiting.id for waiting in self.scheduler.queue} == {book.id for book in waiting}
        room = self._queue.max_waiting + (current is None)
        assert len(waiting) == self.scheduler.queue_length <= room
        assert self.scheduler.is_paused == self._is_paused
        assert self.scheduler.is_muted == self._is_muted
        keys = [book.key for book in waiting if book.key is not None]
        assert len(keys) == len(set(keys)), "two wait with one key"
        could_speak = self._ready == BOTH and not self.is_shut_down
        assert current or not could_speak or not any(self._may_begin(book) for book in waiting), "idle"
        is_critical = self._level is ThermalLevel.CRITICAL
        assert not is_critical or all(book.priority.rank >= Priority.HIGH.rank for book in waiting)
        assert bool(self._exits) == (self.is_shut_down and current is None)
        for book in (*waiting, *((current,) if current else ())):
            assert book.is_stopped or self.scheduler.stage(book.id) is book.stage
            assert book.is_stopped or book.chars <= MAX_TEXT_CHARS
            assert not (book.is_paused and self.is_shut_down) or book.is_stopped, "it would never end"
        if current and current.parts:
            self._judge_parts(current)

    def _judge_parts(self, book: Book) -> None:
        """In order, each once, none held back; closed when whole, or when the next one was given up."""
        in_order = [part.text for part in book.in_order]
        assert book.spoken == in_order[: len(book.spoken)]
        if book.is_synthesising and not book.is_stopped:
            assert book.spoken == in_order
            assert book.is_open != (book.in_order[-1].is_last or book.is_given_up)

    # --- who may be heard ------------------------------------------------------------------------

    def _is_silenced(self, book: Book) -> bool:
        is_exempt = book.priority is Priority.EMERGENCY and self._queue.emergency_overrides_mute
        return (self._is_muted or self._is_quiet) and not is_exempt

    def _is_expired(self, book: Book) -> bool:
        lifetime_s = book.accepted.lifetime_s
        return lifetime_s is not None and self.now_s >= book.since_s + lifetime_s

    def _may_begin(self, book: Book) -> bool:
        has_words = not book.parts or 0 in book.parts
        is_cool = self._level < ThermalLevel.HOT or book.priority is not Priority.BACKGROUND
        is_held = self._is_paused and book.priority is not Priority.EMERGENCY
        return has_words and is_cool and not is_held
