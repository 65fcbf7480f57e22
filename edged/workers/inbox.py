"""What main has asked of the synth, filed by the thread that reads the channel for the one that works."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from edged.workers.frames import Frame
from edged.workers.messages import CancelSpeak, Played, Preload, SetThreads, Speak, SpeakMore

BEAT_S = 1.0  # supervisor allows several of these


class CancelledError(Exception):
    """Main does not want the rest of this job."""


@dataclass(slots=True, eq=False)
class Job:
    """A Speak and what has been said of it since. `more` is text that nobody has taken yet."""

    speak: Speak
    is_open: bool
    is_cancelled: bool = False
    played_ms: float = 0.0
    more: str = ""

    @property
    def id(self) -> str:
        """The announcement's id."""
        return self.speak.job_id


@dataclass(frozen=True, slots=True)
class MoreText:
    """Text that goes on; `is_all`: nothing comes after it."""

    text: str
    is_all: bool


@dataclass(slots=True)
class Inbox:
    """`work` in the order it came, None at its end; news of a job nobody knows is dropped."""

    work: queue.Queue[Job | SetThreads | Preload | None] = field(default_factory=queue.Queue)
    _jobs: dict[str, Job] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def read(self, frames: Iterator[Frame]) -> None:
        """File every frame until the channel closes."""
        try:
            with contextlib.suppress(ConnectionResetError):  # main left with our news unread: the end as well
                for frame in frames:
                    self._file(frame)
        finally:
            self.work.put(None)

    def forget(self, job: Job) -> None:
        """The job has ended."""
        with self._changed:
            if self._jobs.get(job.id) is job:
                del self._jobs[job.id]

    def wait(self, job: Job, until: Callable[[], bool], beat: Callable[[], None]) -> None:
        """Wait for news of `job`; `beat` is called every second. Raises CancelledError."""
        while not job.is_cancelled:
            with self._changed:
                if self._changed.wait_for(lambda: job.is_cancelled or until(), BEAT_S):
                    break
            beat()
        if job.is_cancelled:
            raise CancelledError

    def take_text(self, job: Job) -> MoreText:
        """The text that came since the last call."""
        with self._changed:
            text, job.more = job.more, ""
            return MoreText(text, is_all=not job.is_open)

    def _file(self, frame: Frame) -> None:
        match frame.message:
            case SetThreads() | Preload() as wanted:
                self.work.put(wanted)
            case Speak() as speak:
                job = Job(speak, speak.is_open)
                with self._changed:
                    self._jobs[job.id] = job
                self.work.put(job)
            case CancelSpeak() | Played() | SpeakMore() as news:
                self._tell(news)

    def _tell(self, news: CancelSpeak | Played | SpeakMore) -> None:
        with self._changed:
            job = self._jobs.get(news.job_id)
            if job is None:
                return
            match news:
                case CancelSpeak():
                    job.is_cancelled = True
                case Played(played_ms=played_ms):
                    job.played_ms = played_ms
                case SpeakMore(text=text, is_last=is_last):
                    job.more += text
                    job.is_open = not is_last
            self._changed.notify()
