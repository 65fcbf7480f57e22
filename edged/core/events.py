"""What the scheduler hears and what it says; every message about an announcement carries its id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from edged.core.governor import ThermalLevel
from edged.protocol.command import Stop
from edged.protocol.request import Request
from edged.protocol.result import ReplyTo, Result

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
    reply_to: ReplyTo | None = None
    lifetime_s: float | None = None


@dataclass(frozen=True, slots=True)
class SynthPlanned:
    """The text has been read: this voice, these things had to be skipped."""

    id: str
    voice: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SynthEnd:
    """Every sample of the announcement has been synthesised."""

    id: str
    audio_ms: float
    synth_ms: float


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
    | Stop
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
    """Synthesise and play this."""

    id: str
    request: Request


@dataclass(frozen=True, slots=True)
class CancelSynth:
    """Stop synthesising."""

    id: str


@dataclass(frozen=True, slots=True)
class StopPlay:
    """Fall silent. Always answered by PlayStopped, by whoever knows that nothing is playing."""

    id: str


@dataclass(frozen=True, slots=True)
class Publish:
    """The one terminal result of its request."""

    result: Result
    reply_to: ReplyTo | None


@dataclass(frozen=True, slots=True)
class Exit:
    """After Shutdown: nothing sounds any more."""


Command = StartJob | CancelSynth | StopPlay | Publish | Exit
