"""The stage: both children as one thing that speaks. Scheduler commands in, scheduler events out.

PCM passes through here: what the synth sends goes to the player as long as its announcement is the one
on stage, and what the player has played goes back to the synth, which waits when it is too far ahead.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator

from edged.config.schema import MAIN_OUTPUT, Config
from edged.core import events
from edged.core.fallback import EngineChoice
from edged.core.health import Health
from edged.daemon.settings import SettingsKeeper
from edged.engine.base import SpeechOptions
from edged.errors import EdgedError
from edged.protocol.request import Request
from edged.text.compose import compose
from edged.text.sentence import Lang
from edged.text.templates import Templates
from edged.workers import messages
from edged.workers.supervisor import Supervisor

log = logging.getLogger(__name__)

# It ends when its device hangs, and starts in half a second: with the device it is heard within two.
_PLAYER_BACK_OFF_S = (0.0, 0.5, 1.0)
_REPEAT_GAP_MS = 1000  # who missed it listens up; half of it sounds like one announcement


class Stage:
    """Owns the supervisors of synth and player.

    `emit` takes the events for the scheduler, `before_sound` is called with the job's id before its first
    sample goes to the player. `choice` is the engine in use. `synth_ready` and `player_ready` are what the
    children last said of themselves, None while they have not.
    """

    def __init__(
        self,
        config: Config,
        templates: Templates,
        settings: SettingsKeeper,
        emit: Callable[[events.Event], None],
        health: Health,
        before_sound: Callable[[str], None],
    ) -> None:
        self._templates = templates
        self._settings = settings
        self._emit = emit
        self._before_sound = before_sound
        self._health = health
        self.choice = EngineChoice(config)
        self._synth = Supervisor("edged.workers.synth", config, self._from_synth, self._synth_lost)
        self._player = Supervisor(
            "edged.workers.player", config, self._from_player, self._player_lost, _PLAYER_BACK_OFF_S
        )
        self._outputs = config.all_outputs
        self._on_stage: str | None = None  # the job whose audio is wanted
        self._outputs_away: set[str] = set()  # those whose device could not be opened when last tried
        self._output_missed: str | None = None  # what this job asked for and does not get
        self._in_player: str | None = None  # the job the player has begun and not ended
        self._sounding: str | None = None  # the last job whose audio reached the player
        self.rss_mb: dict[str, float] = {}
        self.synth_ready: messages.SynthReady | None = None
        self.player_ready: messages.PlayerReady | None = None

    async def run(self) -> None:
        """Keep both children running until cancelled; then both are gone."""
        now_s = time.monotonic()
        self._health.started("synth", now_s)
        self._health.started("player", now_s)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._synth.run())
            group.create_task(self._player.run())

    # --- commands --------------------------------------------------------------------------------

    def start(self, job: events.StartJob) -> None:
        """Synthesise and play this announcement; the device is opened while the first sentence is made."""
        assert self.synth_ready is not None, "the scheduler starts nothing before both children are ready"
        self._on_stage = job.id
        try:
            speak = self._speak(job)
        except EdgedError as error:  # of an earlier edged, or its template has changed since it was accepted
            self._emit(events.SynthFailed(job.id, error.code, str(error)))
            return
        self._in_player = job.id
        self._player.send(self._play_begin(job, self.synth_ready.sample_rate_hz))
        self._synth.send(speak)
        for number, text in enumerate(job.more, start=1):
            self.add_text(job.id, text, is_last=number == len(job.more) and not job.is_open)

    def add_text(self, job_id: str, text: str, *, is_last: bool) -> None:
        """The next part of a text that comes in parts."""
        self._synth.send(messages.SpeakMore(job_id=job_id, text=text, is_last=is_last))

    def _play_begin(self, job: events.StartJob, rate_hz: int) -> messages.PlayBegin:
        volume = 100 if job.request.volume is None else job.request.volume
        output = job.request.output or MAIN_OUTPUT
        self._output_missed = None
        if output not in self._outputs or output in self._outputs_away:
            self._output_missed, output = output, MAIN_OUTPUT
        return messages.PlayBegin(job_id=job.id, sample_rate_hz=rate_hz, output=output, volume=volume)

    def preload(self, request: Request) -> None:
        """Have the words of `request` made for the phrase cache. Raises EdgedError when it has none."""
        speak = self._speak(events.StartJob("preload", request))
        self._synth.send(messages.Preload(speak=speak))

    def _speak(self, job: events.StartJob) -> messages.Speak:
        request = job.request
        return messages.Speak(
            job_id=job.id,
            pieces=compose(request, self._templates),
            voice=request.voice,
            default_voices=self._chosen_voices,
            speed=request.speed,
            options=speech_options(request),
            repeat=request.repeat,
            repeat_gap_ms=_REPEAT_GAP_MS if request.repeat_gap_ms is None else request.repeat_gap_ms,
            repeat_mode=request.repeat_mode,
            chime=request.chime,
            chime_end=request.chime_end,
            gap_ms=request.gap_ms,
            lead_in_ms=request.lead_in_ms or 0,
            max_duration_ms=request.max_duration_ms,
            cache=request.cache,
            is_open=job.is_open or bool(job.more),
        )

    def cancel_synth(self, job_id: str) -> None:
        """Stop synthesising; nothing more of this job reaches the player."""
        if self._on_stage == job_id:
            self._on_stage = None
        self._synth.send(messages.CancelSpeak(job_id=job_id))

    def stop_play(self, job_id: str) -> None:
        """Fall silent; answered by PlayStopped, at once when the player does not have the job."""
        if self._on_stage == job_id:
            self._on_stage = None
        if self._in_player == job_id:
            self._player.send(messages.PlayStop(job_id=job_id))
        else:
            self._emit(events.PlayStopped(job_id))

    def pause(self, job_id: str) -> None:
        """Fall silent and keep the rest."""
        self._player.send(messages.PlayPause(job_id=job_id))

    def resume(self, job_id: str) -> None:
        """Go on with it."""
        self._player.send(messages.PlayResume(job_id=job_id))

    def apply_volume(self) -> None:
        """The device's volume is that of the settings from now on."""
        self._player.send(messages.SetVolume(percent=self._settings.now.volume))

    def set_threads(self, threads: int) -> None:
        """OpenVINO threads from the next sentence on."""
        self._synth.send(messages.SetThreads(threads=threads))

    def kill(self, worker: str) -> None:
        """End a child that hangs; it is restarted."""
        (self._synth if worker == "synth" else self._player).kill()

    @property
    def default_voices(self) -> dict[Lang, str]:
        """Who speaks each language when a request names no voice; empty while no voice is loaded."""
        voices = self.synth_ready.voices if self.synth_ready else ()
        own = {lang: voice.name for voice in voices for lang in voice.default_for}
        return {lang: self._chosen_voices.get(lang, name) for lang, name in own.items()}

    @property
    def _chosen_voices(self) -> dict[Lang, str]:
        """Those of the settings that the engine in use has."""
        voices = self.synth_ready.voices if self.synth_ready else ()
        names = {voice.name for voice in voices}
        return {lang: name for lang, name in self._settings.now.voices.items() if name in names}

    # --- from the synth --------------------------------------------------------------------------

    def _from_synth(self, message: messages.Message, payload: bytes) -> None:
        now_s = time.monotonic()
        self._health.heartbeat("synth", now_s)
        match message:
            case messages.Heartbeat(rss_mb=rss_mb):
                self.rss_mb["synth"] = rss_mb
            case messages.SynthReady():
                self.synth_ready = message
                self._health.ready("synth", now_s)
                self._emit(events.WorkerReady("synth"))
            case messages.SynthUnavailable(code=code, what=what, hint=hint):
                self._health.ready("synth", now_s)
                self._synth_unavailable(code, _with_hint(what, hint))
            case messages.Planned(job_id=job_id, voice=voice, warnings=warnings):
                self._emit(events.SynthPlanned(job_id, voice, (*warnings, *self._fallbacks())))
            case messages.Audio(job_id=job_id) if job_id == self._on_stage:
                if self._sounding != job_id:
                    self._before_sound(job_id)
                    self._sounding = job_id
                self._player.send(message, payload)
            case messages.SynthEnd(job_id=job_id):
                self.choice.has_spoken()
                self._emit(
                    events.SynthEnd(
                        job_id, message.audio_ms, message.synth_ms, message.warnings, message.cache
                    )
                )
                if job_id == self._in_player:
                    self._player.send(messages.PlayEnd(job_id=job_id))
            case messages.SynthFailed(job_id=job_id, code=code, what=what):
                self._emit(events.SynthFailed(job_id, code, what))

    def _fallbacks(self) -> Iterator[str]:
        if self.choice.reason:
            yield f"engine_fallback: {self.choice.engine}"
        if self._output_missed is not None:
            yield f"output_fallback: {self._output_missed}"

    def _synth_unavailable(self, code: str, reason: str) -> None:
        if self.choice.cannot_load(self._synth.config.speech.engine, reason):
            self._synth.kill()
        else:
            self._emit(events.WorkerUnavailable("synth", code, reason))

    def _synth_lost(self) -> None:
        self.synth_ready = None
        self.choice.has_crashed(self._synth.config.speech.engine)
        if self._synth.config is not self.choice.config:
            log.error("synth: %s", self.choice.reason)
            self._synth.config = self.choice.config
        self._health.started("synth", time.monotonic())
        self._emit(events.WorkerLost("synth"))

    # --- from the player -------------------------------------------------------------------------

    def _from_player(self, message: messages.Message, _payload: bytes) -> None:
        now_s = time.monotonic()
        self._health.heartbeat("player", now_s)
        match message:
            case messages.Heartbeat(rss_mb=rss_mb):
                self.rss_mb["player"] = rss_mb
            # the player's log tells of the others; only without the main one this board is mute
            case messages.PlayerReady(output=output) if output != MAIN_OUTPUT:
                self._outputs_away.discard(output)
            case messages.PlayerUnavailable(output=output) if output != MAIN_OUTPUT:
                self._outputs_away.add(output)
            case messages.PlayerReady():
                self.player_ready = message
                self._health.ready("player", now_s)
                self.apply_volume()
                self._emit(events.WorkerReady("player"))
            case messages.PlayerUnavailable(code=code, what=what, hint=hint):
                self.player_ready = None
                self._health.ready("player", now_s)
                self._emit(events.WorkerUnavailable("player", code, _with_hint(what, hint)))
            case messages.PlayStarted(job_id=job_id, at_monotonic_s=at_s):
                self._emit(events.PlayStarted(job_id, at_s))
            case messages.Played():
                self._synth.send(message)
            case messages.PlayDone(job_id=job_id, audio_ms=audio_ms, xruns=xruns):
                self._end_play(job_id)
                self._emit(events.PlayDone(job_id, audio_ms, xruns))
            case messages.PlayFailed(job_id=job_id, code=code, what=what):
                self._end_play(job_id)
                self._emit(events.PlayFailed(job_id, code, what))
            case messages.PlayStopped(job_id=job_id, played_ms=played_ms):
                self._end_play(job_id)
                self._emit(events.PlayStopped(job_id, played_ms))

    def _end_play(self, job_id: str) -> None:
        if self._in_player == job_id:
            self._in_player = None

    def _player_lost(self) -> None:
        self._in_player = None
        self.player_ready = None
        self._outputs_away.clear()
        self._health.started("player", time.monotonic())
        self._emit(events.WorkerLost("player"))


def speech_options(request: Request) -> SpeechOptions:
    """What a request asks of the engine; the field names are the same on both sides."""
    options = request.options.model_dump() if request.options else {}
    return SpeechOptions(**options, instruct=request.instruct)


def _with_hint(what: str, hint: str) -> str:
    return f"{what}; try: {hint}" if hint else what
