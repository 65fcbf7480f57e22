"""The records by which the daemon is known: state, health, info, and all of it for `edged status`."""

from __future__ import annotations

import os
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import psutil

from edged import __version__
from edged.audio.chime import CHIMES
from edged.config.schema import Config
from edged.core.governor import ThermalLevel
from edged.core.scheduler import Scheduler
from edged.daemon.ledger import Ledger
from edged.daemon.settings import SettingsKeeper
from edged.daemon.stage import Stage
from edged.io.cpu import read_cpu
from edged.io.mqtt import MAX_PACKET_BYTES, MqttClient
from edged.protocol.result import Code, Result
from edged.protocol.state import (
    AnnouncedLimits,
    DeviceState,
    Health,
    Info,
    LastResult,
    State,
    ThrottleCounters,
    VoiceEntry,
)


def recent_results() -> deque[Result]:
    """An empty list of those one still asks about: one screen of `edged status`."""
    return deque(maxlen=20)


@dataclass(slots=True)
class Vitals:
    """Figures that others measure and the records tell."""

    temperature_c: float | None = None
    level: ThermalLevel = ThermalLevel.NOMINAL
    throttled: ThrottleCounters | None = None
    rtf: float | None = None
    xruns: int = 0
    # what is wrong, by who has it; empty when all is well
    faults: dict[str, str] = field(default_factory=dict)
    is_stopping: bool = False
    # the newest last
    results: deque[Result] = field(default_factory=recent_results)

    def note(self, result: Result) -> None:
        """An announcement has ended."""
        self.results.append(result)
        self.rtf = result.rtf if result.rtf is not None else self.rtf
        self.xruns += result.xruns
        if result.code is Code.QUEUE_FULL:  # controllers are being refused: that is not healthy
            self.faults["queue"] = result.reason


class Records:
    """Builds them from what the parts of the daemon know at this moment."""

    def __init__(
        self,
        config: Config,
        device: str,
        templates: tuple[str, ...],
        vitals: Vitals,
        scheduler: Scheduler,
        stage: Stage,
        settings: SettingsKeeper,
        ledger: Ledger,
    ) -> None:
        self._config = config
        self._device = device
        self._templates = templates
        self._vitals = vitals
        self._scheduler = scheduler
        self._stage = stage
        self._settings = settings
        self._ledger = ledger
        self._state: DeviceState | None = None
        self._since_s = 0.0

    def offline(self) -> State:
        """The last will."""
        return State(state=DeviceState.OFFLINE, version=__version__)

    def state(self) -> State:
        """State now."""
        state, reason = self._judge()
        if state != self._state:
            self._state, self._since_s = state, time.time()
        return State(
            state=state,
            reason=reason,
            since=self._since_s,
            version=__version__,
            id=self._scheduler.current_id,
            queue=self._scheduler.queue_length,
            paused=self._scheduler.is_paused,
            volume=self._settings.now.volume,
            muted=self._settings.now.muted,
            voice="+".join(dict.fromkeys(self._stage.default_voices.values())) or None,
            last=self._last(),
        )

    def health(self, mqtt: MqttClient) -> Health:
        """Health now; `rss_mb` by process."""
        own_mb = round(psutil.Process().memory_info().rss / 1e6, 1)
        return Health(
            ts=time.time(),
            load=round(os.getloadavg()[0], 2),
            rss_mb={"main": own_mb, **self._stage.rss_mb},
            temperature_c=self._vitals.temperature_c,
            thermal=self._vitals.level.label,
            throttled=self._vitals.throttled,
            queue=self._scheduler.queue_length,
            rtf=self._vitals.rtf,
            xruns=self._vitals.xruns,
            mqtt=mqtt.counters,
        )

    def info(self) -> Info:
        """What this device is; the voice is null until it is loaded."""
        synth, player = self._stage.synth_ready, self._stage.player_ready
        voices = synth.voices if synth else ()
        return Info(
            version=__version__,
            device=self._device,
            engine=synth.engine if synth else None,
            model=synth.model if synth else None,
            model_sha256=synth.model_sha256 if synth else None,
            fallback=self._stage.choice.reason,
            voices=tuple(VoiceEntry(name=v.name, langs=v.langs, description=v.description) for v in voices),
            languages=tuple(dict.fromkeys(lang for voice in voices for lang in voice.langs)),
            templates=self._templates,
            chimes=tuple(CHIMES),
            isa=read_cpu().isa,
            audio_device=player.device if player else None,
            limits=AnnouncedLimits(
                max_text_chars=self._config.speech.max_text_chars,
                max_waiting=self._config.queue.max_waiting,
                max_packet_bytes=MAX_PACKET_BYTES,
            ),
        )

    def document(self, mqtt: MqttClient) -> dict[str, Any]:
        """What the status socket answers."""
        now_s, player = time.monotonic(), self._stage.player_ready
        return {
            "state": self.state().model_dump(mode="json"),
            "health": self.health(mqtt).model_dump(mode="json"),
            "queue": [
                {"id": w.id, "priority": w.priority, "key": w.key, "waiting_s": round(now_s - w.since_s, 1)}
                for w in self._scheduler.queue
            ],
            "audio": player.model_dump(mode="json", exclude={"type"}) if player else None,
            "results": [result.model_dump(mode="json") for result in self._vitals.results],
        }

    def status_line(self, state: State, mqtt: MqttClient) -> str:
        """One line for `systemctl status`."""
        temperature_c = self._vitals.temperature_c
        parts = [
            f"{state.state}{f' ({state.reason})' if state.reason else ''}",
            f"speaking {state.id}" if state.id else "idle",
            f"{state.queue} waiting",
            "broker connected" if mqtt.is_up else "no broker",
            f"{self._vitals.level.label}{f' {temperature_c:.0f} °C' if temperature_c is not None else ''}",
        ]
        return " · ".join(parts)

    def _last(self) -> LastResult | None:
        if not self._vitals.results:
            return None
        result = self._vitals.results[-1]
        return LastResult(id=result.id, status=result.status, code=result.code, ts=result.ts)

    def _judge(self) -> tuple[DeviceState, str]:
        if self._vitals.is_stopping:
            return DeviceState.STOPPING, ""
        if self._scheduler.queue_length < self._config.queue.max_waiting:
            self._vitals.faults.pop("queue", None)
        faults = dict(self._vitals.faults)
        if self._stage.choice.reason:
            faults["voice"] = self._stage.choice.reason
        if self._ledger.fault:
            faults["journal"] = self._ledger.fault
        if faults:
            return DeviceState.DEGRADED, "; ".join(f"{name}: {what}" for name, what in faults.items())
        if self._stage.synth_ready is None or self._stage.player_ready is None:
            return DeviceState.WARMING, ""
        return DeviceState.ONLINE, ""
