"""What the daemon says of itself: state, health and info, to MQTT, systemd and the status socket."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, field
from typing import Any

import psutil

from edged import __version__
from edged.config.schema import Config
from edged.core.governor import ThermalLevel
from edged.core.scheduler import Scheduler
from edged.daemon.ledger import Ledger
from edged.daemon.stage import Stage
from edged.io.cpu import read_cpu
from edged.io.mqtt import MAX_PACKET_BYTES, MqttClient
from edged.io.systemd import ServiceManager
from edged.protocol.state import AnnouncedLimits, DeviceState, Health, Info, State, VoiceEntry
from edged.protocol.topics import Topics

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Vitals:
    """Figures that others measure and the reporter tells."""

    temperature_c: float | None = None
    level: ThermalLevel = ThermalLevel.NOMINAL
    rtf: float | None = None
    xruns: int = 0
    # what is wrong, by who has it; empty when all is well
    faults: dict[str, str] = field(default_factory=dict)
    is_stopping: bool = False


class Reporter:
    """Builds the records and publishes them when they have changed."""

    def __init__(
        self,
        config: Config,
        device: str,
        topics: Topics,
        scheduler: Scheduler,
        stage: Stage,
        ledger: Ledger,
        service: ServiceManager,
    ) -> None:
        self.vitals = Vitals()
        self._config = config
        self._device = device
        self._topics = topics
        self._scheduler = scheduler
        self._stage = stage
        self._ledger = ledger
        self._service = service
        self._since_s = time.time()
        self._published: State | None = None

    def offline(self) -> State:
        """The last will."""
        return State(state=DeviceState.OFFLINE, version=__version__)

    def state(self) -> State:
        """State now."""
        state, reason = self._judge()
        if self._published is None or state != self._published.state:
            self._since_s = time.time()
        return State(
            state=state,
            reason=reason,
            since=self._since_s,
            version=__version__,
            id=self._scheduler.current_id,
            queue=self._scheduler.queue_length,
        )

    def health(self, mqtt: MqttClient) -> Health:
        """Health now; `rss_mb` by process."""
        own_mb = round(psutil.Process().memory_info().rss / 1e6, 1)
        return Health(
            ts=time.time(),
            load=round(os.getloadavg()[0], 2),
            rss_mb={"main": own_mb, **self._stage.rss_mb},
            temperature_c=self.vitals.temperature_c,
            thermal=self.vitals.level.label,
            queue=self._scheduler.queue_length,
            rtf=self.vitals.rtf,
            xruns=self.vitals.xruns,
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
        return {
            "state": self.state().model_dump(mode="json"),
            "health": self.health(mqtt).model_dump(mode="json"),
        }

    def publish_state(self, mqtt: MqttClient) -> None:
        """Publish the state if it has changed, and tell systemd."""
        state = self.state()
        if state == self._published:
            return
        if self._published is None or state.state != self._published.state:
            level = logging.WARNING if state.state == DeviceState.DEGRADED else logging.INFO
            log.log(level, "%s%s", state.state, f": {state.reason}" if state.reason else "")
        self._published = state
        mqtt.retain(self._topics.state, state.encode())
        self._service.status(self.status_line(mqtt))

    def publish_health(self, mqtt: MqttClient) -> None:
        """Publish health; every minute and when something in it that matters has changed."""
        mqtt.retain(self._topics.health, self.health(mqtt).encode())

    def publish_info(self, mqtt: MqttClient) -> None:
        """Publish info; when a child has told something new of itself."""
        mqtt.retain(self._topics.info, self.info().encode())

    def status_line(self, mqtt: MqttClient) -> str:
        """One line for `systemctl status`."""
        state = self.state()
        temperature_c = self.vitals.temperature_c
        parts = [
            f"{state.state}{f' ({state.reason})' if state.reason else ''}",
            f"speaking {state.id}" if state.id else "idle",
            f"{state.queue} waiting",
            "broker connected" if mqtt.is_up else "no broker",
            f"{self.vitals.level.label}{f' {temperature_c:.0f} °C' if temperature_c is not None else ''}",
        ]
        return " · ".join(parts)

    def _judge(self) -> tuple[DeviceState, str]:
        if self.vitals.is_stopping:
            return DeviceState.STOPPING, ""
        faults = dict(self.vitals.faults)
        if self._stage.choice.reason:
            faults["voice"] = self._stage.choice.reason
        if self._ledger.fault:
            faults["journal"] = self._ledger.fault
        if faults:
            return DeviceState.DEGRADED, "; ".join(f"{name}: {what}" for name, what in faults.items())
        if self._stage.synth_ready is None or self._stage.player_ready is None:
            return DeviceState.WARMING, ""
        return DeviceState.ONLINE, ""
