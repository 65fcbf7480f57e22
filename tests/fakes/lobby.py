"""The parts of a daemon around a fake MQTT session and fake children, for tests of one of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from edged.config.schema import Config
from edged.core.events import Event, Now
from edged.core.scheduler import Scheduler
from edged.daemon import stage as stage_module
from edged.daemon.ledger import Ledger
from edged.daemon.records import Records, Vitals
from edged.daemon.reporter import Reporter
from edged.daemon.settings import SettingsKeeper
from edged.daemon.stage import Stage
from edged.daemon.upkeep import new_health
from edged.io.mqtt import MqttClient
from edged.io.systemd import ServiceManager
from edged.protocol.state import MqttCounters
from edged.protocol.topics import Topics
from edged.text.templates import Templates
from tests.fakes.mqtt import FakeMqtt
from tests.fakes.supervisor import PLAYER_READY, SYNTH_READY, FakeSupervisor

NOW = Now(monotonic_s=100.0, wall_s=1000.0)


@dataclass
class RetainingMqtt(FakeMqtt):
    """`retained`: every publication of each topic, decoded; None: it was cleared."""

    retained: dict[str, list[Any]] = field(default_factory=dict)
    is_up: bool = True
    connects: int = 1
    silence_s: float = 0.0

    def retain(self, topic: str, payload: bytes) -> None:
        """As the real one."""
        self.retained.setdefault(topic, []).append(json.loads(payload) if payload else None)

    @property
    def counters(self) -> MqttCounters:
        """As the real one."""
        return MqttCounters(connects=self.connects)

    def is_alive(self) -> bool:
        """As the real one."""
        return True

    def silent_s(self) -> float:
        """As the real one."""
        return self.silence_s


class Service(ServiceManager):
    """A service manager that remembers the lines it was told."""

    lines: list[str] = []  # noqa: RUF012 - set anew by the lobby

    def _notify(self, *assignments: str) -> bool:
        self.lines.extend(assignments)
        return True


class Lobby:
    """A device called lobby, whose children are ready when `are_ready`."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        config: dict[str, Any] | None = None,
        *,
        are_ready: bool = True,
    ) -> None:
        monkeypatch.setattr(stage_module, "Supervisor", FakeSupervisor)
        monkeypatch.setattr(Service, "lines", [])
        self.mqtt = RetainingMqtt()
        self.events: list[Event] = []
        self.config = Config.model_validate(config or {})
        self.topics = Topics("edged", "lobby", birth_prefix="homeassistant")
        self.health = new_health()
        self.ledger = Ledger(folder)
        self.settings = SettingsKeeper(self.ledger)
        self.scheduler = Scheduler("lobby", self.config.queue, 4000)
        self.service = Service()
        self.stage = Stage(
            self.config, Templates({}), self.settings, self.events.append, self.health, lambda _: None
        )
        self.synth, self.player = FakeSupervisor.made["synth"], FakeSupervisor.made["player"]
        if are_ready:
            self.synth.say(SYNTH_READY)
            self.player.say(PLAYER_READY)
        self.vitals = Vitals()
        self.records = Records(
            self.config,
            "lobby",
            ("ticket_call",),
            self.vitals,
            self.scheduler,
            self.stage,
            self.settings,
            self.ledger,
        )
        self.reporter = Reporter(self.records, self.topics, self.config.homeassistant, self.service)

    @property
    def session(self) -> MqttClient:
        """The fake, as what it stands for."""
        return cast(MqttClient, self.mqtt)

    def retained(self, name: str) -> list[Any]:
        """What was retained on this topic of the device."""
        return self.mqtt.retained.get(f"edged/lobby/{name}", [])
