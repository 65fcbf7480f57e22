"""What main and its children say to each other; every message names its job where it has one.

main -> synth:  Configure, Speak, SpeakMore, CancelSpeak, SetThreads, Played
synth -> main:  SynthReady | SynthUnavailable, Heartbeat, and for each job
                Planned, Audio..., then one of SynthEnd SynthFailed SynthCancelled
main -> player: Configure, SetVolume, PlayBegin, Audio..., PlayEnd, PlayStop, PlayPause, PlayResume
player -> main: PlayerReady | PlayerUnavailable, Heartbeat, and for each job
                PlayStarted, Played..., then one of PlayDone PlayFailed PlayStopped
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from edged.config.schema import MAIN_OUTPUT, Config
from edged.engine.base import CacheAnswer, CacheUse, SpeechOptions
from edged.text.content import Piece
from edged.text.sentence import Lang


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Configure(_Message):
    """First message to a child: the whole configuration (it holds no secret)."""

    type: Literal["configure"] = "configure"
    config: Config


class Heartbeat(_Message):
    """Sent every second by the thread that does the work, or says why it cannot."""

    type: Literal["heartbeat"] = "heartbeat"
    doing: str
    rss_mb: float


# --- synth ---------------------------------------------------------------------------------------


class Speak(_Message):
    """Synthesise `pieces`, in their order.

    `voice` None means the voice of each sentence's language: that of `default_voices`, else the configured
    one. All of it is said `repeat` times (`each`: one sentence or clip after the other), with silence of
    `repeat_gap_ms` between; the tones around it are heard once (docs/mqtt.md: Chimes). `chime` None: the
    configured one; `gap_ms` None: as long as is usual. `is_open`: SpeakMore goes on with the text of the last
    piece, plain Words, until one is the last.
    """

    type: Literal["speak"] = "speak"
    job_id: str
    pieces: tuple[Piece, ...]
    voice: str | None = None
    default_voices: dict[Lang, str] = {}
    speed: float = 1.0
    options: SpeechOptions = SpeechOptions()
    repeat: int = 1
    repeat_gap_ms: int = 0
    repeat_mode: Literal["each", "whole"] = "whole"
    chime: str | None = None
    chime_end: str = "none"
    gap_ms: int | None = None
    lead_in_ms: int = 0
    max_duration_ms: int | None = None
    cache: CacheUse = "use"
    is_open: bool = False

    @model_validator(mode="after")
    def _can_go_on(self) -> Speak:
        if self.is_open and not (self.pieces and getattr(self.pieces[-1], "how", None) == "plain"):
            raise ValueError("is_open: the last piece must be plain Words")
        return self


class Preload(_Message):
    """Make the words of `speak` for the phrase cache when there is nothing to say; there is no answer."""

    type: Literal["preload"] = "preload"
    speak: Speak


class SpeakMore(_Message):
    """More text of a job that is open; a sentence may have been cut anywhere."""

    type: Literal["speak_more"] = "speak_more"
    job_id: str
    text: str
    is_last: bool


class CancelSpeak(_Message):
    """Stop synthesising this job at the next chunk."""

    type: Literal["cancel_speak"] = "cancel_speak"
    job_id: str


class SetThreads(_Message):
    """Use this many OpenVINO threads from the next sentence on."""

    type: Literal["set_threads"] = "set_threads"
    threads: int


class VoiceDescription(_Message):
    """A voice as main announces it; `default_for`: the languages it speaks when none is asked for."""

    name: str
    langs: tuple[Lang, ...]
    default_for: tuple[Lang, ...]
    description: str


class SynthReady(_Message):
    """The engine is loaded and warm."""

    type: Literal["synth_ready"] = "synth_ready"
    engine: str
    model: str
    model_sha256: str | None
    sample_rate_hz: int
    voices: tuple[VoiceDescription, ...]
    load_s: float


class SynthUnavailable(_Message):
    """There is no engine to speak with; every Speak is answered SynthFailed until a restart."""

    type: Literal["synth_unavailable"] = "synth_unavailable"
    code: str
    what: str
    hint: str


class Planned(_Message):
    """The text has been read: what will be spoken, with which voice."""

    type: Literal["planned"] = "planned"
    job_id: str
    voice: str
    sentences: int
    warnings: tuple[str, ...]


class Audio(_Message):
    """Mono float32 samples in the payload."""

    type: Literal["audio"] = "audio"
    job_id: str
    sample_rate_hz: int
    sentence_index: int


class SynthEnd(_Message):
    """Every sample of the job has been sent; `warnings` are those that came up after Planned.

    `cache`: whether all speech came out of the phrase cache; None: none of it could have.
    """

    type: Literal["synth_end"] = "synth_end"
    job_id: str
    audio_ms: float
    synth_ms: float
    first_chunk_ms: float
    rss_mb: float
    cache: CacheAnswer | None = None
    warnings: tuple[str, ...] = ()


class SynthFailed(_Message):
    """The job ends without (all of) its audio."""

    type: Literal["synth_failed"] = "synth_failed"
    job_id: str
    code: str
    what: str


class SynthCancelled(_Message):
    """The job ended because it was cancelled."""

    type: Literal["synth_cancelled"] = "synth_cancelled"
    job_id: str


# --- player --------------------------------------------------------------------------------------


class SetVolume(_Message):
    """The volume of every output from now on, 0 to 100, perceptual; sent at every start of the child too."""

    type: Literal["set_volume"] = "set_volume"
    percent: int = Field(ge=0, le=100)


class PlayBegin(_Message):
    """A new stream: mono float32 at this rate follows as Audio, ended by PlayEnd.

    `volume` (0 to 100, perceptual) is this stream's own and multiplies the device's. `output` is a name of
    the configuration.
    """

    type: Literal["play_begin"] = "play_begin"
    job_id: str
    sample_rate_hz: int
    output: str = MAIN_OUTPUT
    volume: int = Field(100, ge=0, le=100)


class PlayPause(_Message):
    """Fall silent now, with a short fade, and keep the rest of this job.

    A job whose last sample is in the device already is done all the same.
    """

    type: Literal["play_pause"] = "play_pause"
    job_id: str


class PlayResume(_Message):
    """Go on with this job where PlayPause cut in."""

    type: Literal["play_resume"] = "play_resume"
    job_id: str


class PlayEnd(_Message):
    """No more samples for this job: drain."""

    type: Literal["play_end"] = "play_end"
    job_id: str


class PlayStop(_Message):
    """Fall silent now, with a short fade, and forget the rest of this job."""

    type: Literal["play_stop"] = "play_stop"
    job_id: str


class PlayerReady(_Message):
    """The PCM is open; these are the parameters it granted."""

    type: Literal["player_ready"] = "player_ready"
    output: str = MAIN_OUTPUT
    device: str
    rate_hz: int
    channels: int
    format: str
    period_ms: float
    buffer_ms: float


class PlayerUnavailable(_Message):
    """The PCM cannot be opened; the player keeps trying and says PlayerReady when it can."""

    type: Literal["player_unavailable"] = "player_unavailable"
    output: str = MAIN_OUTPUT
    code: str
    what: str
    hint: str


class PlayStarted(_Message):
    """The first sample of the job has been handed to the device (CLOCK_MONOTONIC, seconds)."""

    type: Literal["play_started"] = "play_started"
    job_id: str
    at_monotonic_s: float


class Played(_Message):
    """How much of the job the player has taken; main forwards it to synth as back-pressure."""

    type: Literal["played"] = "played"
    job_id: str
    played_ms: float


class PlayDone(_Message):
    """The last sample of the job has left the device."""

    type: Literal["play_done"] = "play_done"
    job_id: str
    audio_ms: float
    xruns: int
    stalls: int


class PlayFailed(_Message):
    """The device failed under the job."""

    type: Literal["play_failed"] = "play_failed"
    job_id: str
    code: str
    what: str


class PlayStopped(_Message):
    """The device is silent after a PlayStop."""

    type: Literal["play_stopped"] = "play_stopped"
    job_id: str
    played_ms: float


Message = Annotated[
    Configure
    | Heartbeat
    | Speak
    | Preload
    | SpeakMore
    | CancelSpeak
    | SetThreads
    | SynthReady
    | SynthUnavailable
    | Planned
    | Audio
    | SynthEnd
    | SynthFailed
    | SynthCancelled
    | SetVolume
    | PlayBegin
    | PlayEnd
    | PlayStop
    | PlayPause
    | PlayResume
    | PlayerReady
    | PlayerUnavailable
    | PlayStarted
    | Played
    | PlayDone
    | PlayFailed
    | PlayStopped,
    Field(discriminator="type"),
]
_ADAPTER: TypeAdapter[Message] = TypeAdapter(Message)


def parse_message(header: bytes) -> Message:
    """A frame header as a message. Raises ValueError (pydantic's) when it is none."""
    return _ADAPTER.validate_json(header)
