"""What the scheduler hears and what it says; every message about an announcement carries its id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from edged.core.governor import ThermalLevel
from edged.protocol.command import Cancel, Pause, Resume, SetMuted, Skip, Stop
from edged.protocol.request import Request
from edged.protocol.result import Result, Stage

WorkerName = Literal["synth", "player"]


@dataclass(frozen=True, slots=True)
class Now:
    """One moment on both clocks, in seconds: monotonic for durations, wall for timestamps."""

    monotonic_s: float
    wall_s: float


# --- events --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Accepted:
    """A request that is durable and no duplicate; `id` is its own or the one made for it.

    `lifetime_s` is how long from now on it is worth speaking (None: for ever).
    """

    id: str
    request: Request
    warnings: tuple[str, ...] = ()
    lifetime_s: float | None = None


@dataclass(frozen=True, slots=True)
class PartArrived:
    """One more part of an incremental text, durable and no duplicate; the first one came as Accepted.

    Parts may come in any order; they are spoken in that of their numbers.
    """

    id: str
    part: int
    text: str
    is_last: bool


@dataclass(frozen=True, slots=True)
class SynthPlanned:
    """The text has been read: this voice, these things had to be skipped."""

    id: str
    voice: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SynthEnd:
    """Every sample of the announcement has been synthesised; `warnings` came after SynthPlanned.

    `cache`: whether its speech came out of the phrase cache; None: it could not have.
    """

    id: str
    audio_ms: float
    synth_ms: float
    warnings: tuple[str, ...] = ()
    cache: Literal["hit", "miss"] | None = None


@dataclass(frozen=True, slots=True)
class SynthFailed:
    """Synthesis ended without (all of) the audio; `code` is an EdgedError's."""

    id: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlayStarted:
    """The first sample was handed to the device, at this time of the monotonic clock."""

    id: str
    at_monotonic_s: float


@dataclass(frozen=True, slots=True)
class PlayDone:
    """The last sample has left the device."""

    id: str
    audio_ms: float
    xruns: int


@dataclass(frozen=True, slots=True)
class PlayFailed:
    """The device failed under the announcement; it is silent now."""

    id: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlayStopped:
    """The device is silent after a StopPlay, or never knew the announcement; so much of it was heard."""

    id: str
    played_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The worker can take announcements."""

    worker: WorkerName


@dataclass(frozen=True, slots=True)
class WorkerUnavailable:
    """The worker runs but cannot work, for this reason, until it says WorkerReady."""

    worker: WorkerName
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The worker's process is gone, and with it all it held."""

    worker: WorkerName


@dataclass(frozen=True, slots=True)
class ThermalChanged:
    """The board has this level from now on."""

    level: ThermalLevel


@dataclass(frozen=True, slots=True)
class QuietHours:
    """They begin or end; while they last only an emergency is spoken."""

    is_quiet: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed; sent a few times per second."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End: leave the waiting announcements to the journal, silence the current one.

    `is_graceful`: let the current one end first (the configuration is read again).
    """

    is_graceful: bool = False


Event = (
    Accepted
    | PartArrived
    | Stop
    | Cancel
    | Skip
    | Pause
    | Resume
    | SetMuted
    | QuietHours
    | SynthPlanned
    | SynthEnd
    | SynthFailed
    | PlayStarted
    | PlayDone
    | PlayFailed
    | PlayStopped
    | WorkerReady
    | WorkerUnavailable
    | WorkerLost
    | ThermalChanged
    | Tick
    | Shutdown
)


# --- commands ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StartJob:
    """Synthesise and play this.

    `more` are the texts of further parts that have come in order; `is_open`: AddText follows until one is
    the last.
    """

    id: str
    request: Request
    more: tuple[str, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class AddText:
    """The next part of the text of a job that is open."""

    id: str
    text: str
    is_last: bool


@dataclass(frozen=True, slots=True)
class CancelSynth:
    """Stop synthesising."""

    id: str


@dataclass(frozen=True, slots=True)
class StopPlay:
    """Fall silent. Always answered by PlayStopped, by whoever knows that nothing is playing."""

    id: str


@dataclass(frozen=True, slots=True)
class PausePlay:
    """Fall silent, and keep what is left of the job until ResumePlay or StopPlay."""

    id: str


@dataclass(frozen=True, slots=True)
class ResumePlay:
    """Go on where PausePlay cut in."""

    id: str


@dataclass(frozen=True, slots=True)
class Tell:
    """The announcement has reached this stage; for those who follow it live."""

    id: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Publish:
    """The one terminal result of its request."""

    result: Result


@dataclass(frozen=True, slots=True)
class Exit:
    """After Shutdown: nothing sounds any more."""


Command = StartJob | AddText | CancelSynth | StopPlay | PausePlay | ResumePlay | Tell | Publish | Exit
