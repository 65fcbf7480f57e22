"""A scheduler on a bench: a clock that the test moves, and its commands sorted by kind."""

from __future__ import annotations

from typing import Any

from edged.config.schema import QueueConfig
from edged.core.events import (
    Accepted,
    Command,
    Event,
    Now,
    PartArrived,
    PlayDone,
    PlayStarted,
    PlayStopped,
    Publish,
    StartJob,
    SynthEnd,
    Tell,
    WorkerReady,
)
from edged.core.scheduler import Scheduler
from edged.protocol.request import Request
from edged.protocol.result import Result, Stage

WALL_S = 1_700_000_000.0


class Bench:
    """Notes the stages told apart from what is commanded. Texts of parts may have 40 characters together."""

    def __init__(self, *, is_ready: bool = True, **queue: Any) -> None:
        self.scheduler = Scheduler("lobby", QueueConfig(**{"max_waiting": 10, **queue}), max_text_chars=40)
        self.now_s = 100.0
        self.stages: list[tuple[str, Stage]] = []
        if is_ready:
            self.tell(WorkerReady("synth"), WorkerReady("player"))

    def tell(self, *events: Event) -> list[Command]:
        """All commands that these events cause, but Tell."""
        now = Now(self.now_s, WALL_S)
        commands = [command for event in events for command in self.scheduler.handle(event, now)]
        self.stages += [(command.id, command.stage) for command in commands if isinstance(command, Tell)]
        return [command for command in commands if not isinstance(command, Tell)]

    def accept(self, request_id: str, *, lifetime_s: float | None = None, **fields: Any) -> list[Command]:
        """A request arrives."""
        request = Request(id=request_id, **{"text": "hi", **fields})
        return self.tell(Accepted(request_id, request, lifetime_s=lifetime_s))

    def add_part(self, request_id: str, part: int, text: str, *, is_last: bool = False) -> list[Command]:
        """One more part of a text arrives."""
        return self.tell(PartArrived(request_id, part, text, is_last))

    def finish(self, request_id: str) -> list[Command]:
        """Its speech is synthesised and played to the end."""
        return self.tell(
            SynthEnd(request_id, audio_ms=1000, synth_ms=200),
            PlayStarted(request_id, self.now_s),
            PlayDone(request_id, audio_ms=1000, xruns=0),
        )

    def finish_all(self) -> list[str]:
        """Whatever is in work or begins is played to its end; their ids in this order."""
        spoken: list[str] = []
        while (current_id := self.scheduler.current_id) is not None:
            spoken.append(current_id)
            self.finish(current_id)
        return spoken

    def fall_silent(self, request_id: str) -> list[Command]:
        """The player answers a StopPlay."""
        return self.tell(PlayStopped(request_id, played_ms=300))


def started(commands: list[Command]) -> list[str]:
    """Ids of the announcements begun."""
    return [command.id for command in commands if isinstance(command, StartJob)]


def results(commands: list[Command]) -> list[Result]:
    """Results published."""
    return [command.result for command in commands if isinstance(command, Publish)]


def verdicts(commands: list[Command]) -> list[tuple[str, str, str | None]]:
    """Id, status and code of the results published."""
    return [(result.id, result.status, result.code) for result in results(commands)]
