"""Commands: what arrives on `cmd/<verb>` is carried out and answered, each one and at once.

The answer goes to `event` and to the command's Response Topic. Only the doctor takes time; it answers
when it has looked.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from edged.core import events
from edged.daemon.examination import examine
from edged.daemon.heard import Heard
from edged.daemon.intake import Intake
from edged.daemon.settings import SettingsKeeper
from edged.daemon.stage import Stage
from edged.errors import EdgedError
from edged.io.mqtt import Message, MqttClient
from edged.journal import KEEP_S
from edged.protocol.command import (
    Cancel,
    Command,
    CommandReply,
    Doctor,
    NotActive,
    Pause,
    Preload,
    Reload,
    Replay,
    Resume,
    SetMuted,
    SetVolume,
    Skip,
    Stop,
    Test,
    Voices,
    parse_command,
)
from edged.protocol.request import Rejected, Request
from edged.protocol.result import Code, ReplyTo
from edged.protocol.topics import Topics

log = logging.getLogger(__name__)

TEST_TEXT = "这是测试。This is a test."


@dataclass(frozen=True, slots=True)
class Answer:
    """A CommandReply but for whose it is."""

    status: Literal["ok", "rejected", "failed"] = "ok"
    code: Code | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    data: dict[str, Any] | None = None


_NO_VOICE = Answer("failed", Code.MODEL_UNAVAILABLE, "no voice is loaded yet")


class Commands:
    """`emit` takes events for the scheduler; `reload` reads the configuration and says why it cannot."""

    def __init__(
        self,
        device: str,
        topics: Topics,
        config_path: Path | None,
        intake: Intake,
        stage: Stage,
        settings: SettingsKeeper,
        heard: Heard,
        emit: Callable[[events.Event], None],
        reload: Callable[[], str],
    ) -> None:
        self._device = device
        self._topics = topics
        self._config_path = config_path
        self._intake = intake
        self._stage = stage
        self._settings = settings
        self._heard = heard
        self._emit = emit
        self._reload = reload
        self._examination: asyncio.Task[None] | None = None

    def obey(self, mqtt: MqttClient, verb: str, message: Message) -> None:
        """Carry out one command and answer it."""
        command = parse_command(verb, message.payload, retained=message.is_retained)
        match command:
            case Rejected(code=code, reason=reason):
                log.warning("mqtt: refused %s on %s: %s", code, message.topic, reason)
                answer = Answer("rejected", code, reason)
            case Doctor() if self._examination is None:
                self._examination = asyncio.create_task(self._examine(mqtt, message.reply_to))
                return
            case _:
                answer = self._carry_out(mqtt, command)
        self._answer(mqtt, verb, answer, message.reply_to)

    async def close(self) -> None:
        """End what still runs."""
        if self._examination is not None:
            self._examination.cancel()
            await asyncio.wait([self._examination])

    def _carry_out(self, mqtt: MqttClient, command: Command) -> Answer:
        match command:
            case Stop() | Cancel() | Skip() | Pause() | Resume():
                self._emit(command)
            case SetMuted(is_muted=is_muted):
                self._settings.set_muted(is_muted)
                self._emit(command)
            case SetVolume(percent=percent):
                self._settings.set_volume(percent)
                self._stage.apply_volume()
            case Replay(id=request_id):
                return self._replay(mqtt, request_id)
            case Test():
                return Answer(data={"id": self._intake.announce(mqtt, Request(text=TEST_TEXT))})
            case Voices(voice=None):
                return self._list_voices()
            case Voices(voice=str(name)):
                return self._choose_voice(name)
            case Reload():
                problem = self._reload()
                return Answer("failed", reason=problem) if problem else Answer()
            case Doctor():
                return Answer("rejected", Code.BUSY, "the doctor is still looking")
            case Preload(request=request, warnings=warnings):
                return self._preload(request, warnings)
            case NotActive(verb=verb):
                return Answer(warnings=(f"not_active: {verb}",))
        return Answer()

    def _replay(self, mqtt: MqttClient, request_id: str | None) -> Answer:
        request = self._heard.find(request_id)
        if request is None:
            which = (
                f"{request_id} is not among the last ones heard" if request_id else "nothing was heard yet"
            )
            return Answer("rejected", Code.BAD_FIELD, which)
        return Answer(data={"id": self._intake.announce(mqtt, request)})

    def _preload(self, request: Request, warnings: tuple[str, ...]) -> Answer:
        if self._stage.synth_ready is None:
            return _NO_VOICE
        try:
            self._stage.preload(request)
        except EdgedError as error:  # a template's
            return Answer("rejected", Code.BAD_FIELD, error.what, warnings)
        return Answer(warnings=warnings)

    def _list_voices(self) -> Answer:
        ready = self._stage.synth_ready
        voices = ready.voices if ready else ()
        return Answer(
            data={
                "voices": [{"name": v.name, "langs": v.langs, "description": v.description} for v in voices],
                "default": self._stage.default_voices,
            }
        )

    def _choose_voice(self, name: str) -> Answer:
        ready = self._stage.synth_ready
        if ready is None:
            return _NO_VOICE
        langs = next((voice.langs for voice in ready.voices if voice.name == name), None)
        if langs is None:
            return Answer("rejected", Code.UNKNOWN_VOICE, f"no voice {name}; an empty message lists them")
        self._settings.set_voice(name, langs)
        return Answer(data={"default": self._stage.default_voices})

    async def _examine(self, mqtt: MqttClient, reply_to: ReplyTo | None) -> None:
        try:
            answer = Answer(data=await examine(self._config_path))
        except (EdgedError, OSError) as error:
            answer = Answer("failed", reason=str(error))
        finally:
            self._examination = None
        self._answer(mqtt, "doctor", answer, reply_to)

    def _answer(self, mqtt: MqttClient, verb: str, answer: Answer, reply_to: ReplyTo | None) -> None:
        reply = CommandReply(
            verb=verb,
            status=answer.status,
            code=answer.code,
            reason=answer.reason,
            warnings=answer.warnings,
            data=answer.data,
            device=self._device,
            ts=time.time(),
        ).encode()
        mqtt.tell(self._topics.event, reply)
        if reply_to is not None:
            mqtt.publish(reply_to.topic, reply, expiry_s=int(KEEP_S), correlation=reply_to.correlation)
