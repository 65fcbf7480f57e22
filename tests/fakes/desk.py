"""An Intake with what is around it, all fake but the journal."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from edged.config.schema import Config
from edged.core.events import Accepted, Event
from edged.daemon.intake import Intake
from edged.daemon.ledger import Ledger
from edged.io.mqtt import Message, MqttClient
from edged.protocol.result import Result, Stage, Status
from edged.protocol.topics import Topics
from edged.text.templates import Template, Templates
from tests.fakes.mqtt import FakeMqtt

SPEAK = "edged/lobby/speak"
TEMPLATE = Template.model_validate({"slots": {"n": {"type": "digits"}}, "en": "Number {n}"})


@dataclass
class Desk:
    """The intake of the device `lobby`; `queue` are settings of that section."""

    state_dir: Path
    queue: dict[str, Any] = field(default_factory=dict)
    mqtt: FakeMqtt = field(default_factory=FakeMqtt)
    events: list[Event] = field(default_factory=list)
    obeyed: list[tuple[str, bytes]] = field(default_factory=list)
    stages: dict[str, Stage] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.state_dir)
        config = Config.model_validate({"queue": self.queue, "speech": {"max_text_chars": 100}})
        self.intake = Intake(
            "lobby",
            Topics("edged", "lobby"),
            config,
            Templates({"call": TEMPLATE}),
            self.ledger,
            self.events.append,
            self.stages.get,
            self.obey,
        )

    @property
    def session(self) -> MqttClient:
        """The fake, as what it stands for."""
        return cast(MqttClient, self.mqtt)

    def obey(self, verb: str, command: Message) -> None:
        """A command has come."""
        self.obeyed.append((verb, command.payload))
        self.mqtt.log.append(f"obey {verb}")

    def receive(self, *batch: Message) -> None:
        """These arrive together."""
        self.intake.receive(self.session, list(batch))

    def end(self, *ids: str) -> None:
        """These have been spoken; nobody has been told yet."""
        for one in ids:
            self.intake.end(Result(id=one, status=Status.FINISHED, device="lobby", ts=1.0))

    def finish(self, *ids: str) -> None:
        """These have been spoken."""
        self.end(*ids)
        self.intake.publish(self.session)

    def results(self, request_id: str) -> list[Any]:
        """What was published as the result of this request."""
        return self.mqtt.sent_to(f"edged/lobby/result/{request_id}")

    def accepted(self) -> list[str]:
        """The ids the scheduler has heard of."""
        return [event.id for event in self.events if isinstance(event, Accepted)]

    def forget(self) -> None:
        """From here on."""
        self.mqtt = FakeMqtt()
        self.events.clear()
        self.obeyed.clear()

    def restarted(self) -> Desk:
        """The process after this one, which has been killed."""
        self.ledger.close()
        return Desk(self.state_dir, self.queue)


def speak(text: str, request_id: str, **fields: Any) -> dict[str, Any]:
    """A request with an id."""
    return {"id": request_id, "text": text, **fields}
