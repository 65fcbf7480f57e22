"""Commands: each one is carried out and answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from edged.config.schema import Config
from edged.core.events import Accepted, Event, Publish, StartJob
from edged.daemon import commands as commands_module
from edged.daemon import stage as stage_module
from edged.daemon.commands import TEST_TEXT, Commands
from edged.daemon.heard import Heard
from edged.daemon.intake import Intake
from edged.daemon.ledger import Ledger
from edged.daemon.settings import SettingsKeeper
from edged.daemon.stage import Stage
from edged.daemon.upkeep import new_health
from edged.errors import EdgedError
from edged.io.mqtt import MqttClient
from edged.protocol.command import Cancel, Pause, Resume, SetMuted, Skip, Stop
from edged.protocol.request import Request
from edged.protocol.result import ReplyTo, Result, Status
from edged.protocol.topics import Topics
from edged.text.content import Words
from edged.text.templates import Templates
from edged.workers import messages
from tests.fakes.mqtt import FakeMqtt, message
from tests.fakes.supervisor import SYNTH_READY, FakeSupervisor

TOPICS = Topics("edged", "lobby")
DESK = ReplyTo("desk/answers", b"\x01")


@dataclass
class Post:
    """Commands, with what they act on."""

    folder: Path
    mqtt: FakeMqtt = field(default_factory=FakeMqtt)
    events: list[Event] = field(default_factory=list)
    reload_problem: str = ""

    def __post_init__(self) -> None:
        config, templates, ledger = Config(), Templates({}), Ledger(self.folder)
        self.settings = SettingsKeeper(ledger)
        self.heard = Heard()
        self.stage = Stage(config, templates, self.settings, self.events.append, new_health(), print)
        self.synth, self.player = FakeSupervisor.made["synth"], FakeSupervisor.made["player"]
        emit = self.events.append
        intake = Intake("lobby", TOPICS, config, templates, ledger, emit, lambda _: None, lambda *_: None)
        self.commands = Commands(
            "lobby", TOPICS, None, intake, self.stage, self.settings, self.heard, emit, self.reload
        )

    def reload(self) -> str:
        return self.reload_problem

    def command(self, verb: str, payload: str = "", *, is_retained: bool = False) -> dict[str, Any]:
        """Send it with a Response Topic; gives the answer, which is the same on both topics."""
        self.events.clear()
        sent = message(TOPICS.command(verb), payload, reply_to=DESK, is_retained=is_retained)
        self.commands.obey(self.session, verb, sent)
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """The newest one."""
        (topic, told), (reply_topic, replied, correlation) = self.mqtt.told[-1], self.mqtt.published[-1]
        assert (topic, reply_topic, correlation) == ("edged/lobby/event", "desk/answers", b"\x01")
        assert told == replied
        assert told["device"] == "lobby"
        return cast(dict[str, Any], told)

    @property
    def session(self) -> MqttClient:
        return cast(MqttClient, self.mqtt)

    def accepted(self) -> Accepted:
        """The announcement that was made."""
        (event,) = self.events
        assert isinstance(event, Accepted)
        return event


@pytest.fixture
def post(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Post:
    monkeypatch.setattr(stage_module, "Supervisor", FakeSupervisor)
    return Post(tmp_path)


@pytest.mark.parametrize(
    ("verb", "payload", "event"),
    [
        ("stop", "", Stop()),
        ("stop", '{"scope":"all"}', Stop(everything=True)),
        ("cancel", "a", Cancel("a")),
        ("cancel", '{"key":"gate"}', Cancel(key="gate")),
        ("skip", "", Skip()),
        ("pause", "", Pause()),
        ("resume", "", Resume()),
        ("mute", "on", SetMuted(True)),
    ],
)
def test_what_concerns_speech_goes_to_the_scheduler(
    post: Post, verb: str, payload: str, event: Event
) -> None:
    """As one event, and is answered."""
    answer = post.command(verb, payload)
    assert post.events == [event]
    assert (answer["verb"], answer["status"], answer["code"]) == (verb, "ok", None)


@pytest.mark.parametrize(
    ("verb", "payload", "code"),
    [
        ("volume", "loud", "bad_field"),
        ("volume", '{"volume":', "bad_json"),
        ("mute", "", "bad_field"),
        ("cancel", "", "bad_field"),
        ("dance", "", "bad_field"),
        ("voices", "nobody", "model_unavailable"),
        ("replay", "a", "bad_field"),
    ],
)
def test_what_cannot_be_done_says_why(post: Post, verb: str, payload: str, code: str) -> None:
    """A code for programs, a reason for people, and nothing has happened."""
    answer = post.command(verb, payload)
    assert answer["status"] in ("rejected", "failed")
    assert answer["code"] == code
    assert answer["reason"]
    assert not post.events


def test_a_retained_command_is_refused_with_one_warning(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """It would be obeyed at every reconnect."""
    assert post.command("stop", is_retained=True)["code"] == "retained"
    assert not post.events
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_the_volume_reaches_the_player_and_is_kept(post: Post) -> None:
    """At once, and for the next start."""
    assert post.command("volume", "40")["status"] == "ok"
    assert post.player.sent == [messages.SetVolume(percent=40)]
    assert post.settings.now.volume == 40


def test_mute_is_kept(post: Post) -> None:
    """A board that was muted stays so over a power cut."""
    post.command("mute", "on")
    assert post.settings.now.muted
    post.command("mute", '{"muted":false}')
    assert not post.settings.now.muted


def test_a_voice_is_chosen_for_its_languages(post: Post) -> None:
    """And without one the voices are listed; one that is not there is refused."""
    post.synth.say(SYNTH_READY)
    listed = post.command("voices")["data"]
    assert [voice["name"] for voice in listed["voices"]] == ["zf", "zm", "af"]
    assert listed["default"] == {"zh": "zf", "en": "af"}
    assert post.command("voices", "zm")["data"] == {"default": {"zh": "zm", "en": "af"}}
    assert post.settings.now.voices == {"zh": "zm"}
    assert post.command("voices", "nobody")["code"] == "unknown_voice"
    assert post.settings.now.voices == {"zh": "zm"}


def test_a_replay_is_a_new_announcement(post: Post) -> None:
    """With an id of its own, which the answer tells; it is in the journal like any other."""
    post.heard.note(StartJob("a", Request(text="one")))
    post.heard.note(Publish(Result(id="a", status=Status.FINISHED, device="lobby", ts=1.0)))
    first = post.command("replay")["data"]["id"]
    assert (post.accepted().id, post.accepted().request) == (first, Request(text="one"))
    second = post.command("replay", "a")["data"]["id"]
    assert len({"a", first, second}) == 3


def test_a_test_is_heard_in_both_languages(post: Post) -> None:
    """As an announcement of its own."""
    answer = post.command("test")
    assert post.accepted().request == Request(text=TEST_TEXT)
    assert answer["data"] == {"id": post.accepted().id}


def test_a_verb_of_a_feature_to_come_is_no_error(post: Post) -> None:
    """A controller written for the whole protocol works today."""
    answer = post.command("update")
    assert (answer["status"], answer["warnings"]) == ("ok", ["not_active: update"])


def test_what_is_to_be_preloaded_goes_to_the_synth(post: Post) -> None:
    """Its words and all that changes their sound, with the warnings of a request; nothing is announced."""
    wrong = post.command("preload", "您好")
    assert (wrong["status"], wrong["code"]) == ("failed", "model_unavailable")
    post.synth.say(SYNTH_READY)
    answer = post.command("preload", '{"text":"您好","speed":1.5,"cache":"pin","colour":1}')
    assert (answer["status"], answer["warnings"]) == ("ok", ["unknown_field: colour"])
    (preload,) = [sent for sent in post.synth.sent if isinstance(sent, messages.Preload)]
    assert (preload.speak.pieces, preload.speak.speed, preload.speak.cache) == ((Words("您好"),), 1.5, "pin")
    assert post.events == []
    unknown = post.command("preload", '{"template":"none"}')
    assert (unknown["status"], unknown["code"]) == ("rejected", "bad_field")
    assert "none" in unknown["reason"]


def test_a_reload_that_is_refused_says_why(post: Post) -> None:
    """And one that is not is answered before it takes over."""
    assert post.command("reload")["status"] == "ok"
    post.reload_problem = "edged.yaml:3 speech.engine"
    answer = post.command("reload")
    assert (answer["status"], answer["reason"]) == ("failed", "edged.yaml:3 speech.engine")


def examination(end: asyncio.Event, *, fails: bool = False) -> Callable[..., Any]:
    """A doctor who looks until `end`."""

    async def examine(_config: Path | None) -> dict[str, Any]:
        await end.wait()
        if fails:
            raise EdgedError("no report", "look yourself")
        return {"exit": 0}

    return examine


@pytest.mark.parametrize(("fails", "status", "data"), [(False, "ok", {"exit": 0}), (True, "failed", None)])
def test_the_doctor_answers_when_it_has_looked(
    post: Post, monkeypatch: pytest.MonkeyPatch, fails: bool, status: str, data: object
) -> None:
    """Meanwhile everything else works, and a second doctor is not let in."""

    async def scene() -> None:
        end = asyncio.Event()
        monkeypatch.setattr(commands_module, "examine", examination(end, fails=fails))
        sent = message(TOPICS.command("doctor"), reply_to=DESK)
        post.commands.obey(post.session, "doctor", sent)
        assert post.command("doctor")["code"] == "busy"
        assert post.command("volume", "40")["status"] == "ok"
        end.set()
        while post.answer()["verb"] != "doctor":
            await asyncio.sleep(0)
        assert (post.answer()["status"], post.answer()["data"]) == (status, data)
        post.commands.obey(post.session, "doctor", sent)
        await post.commands.close()

    asyncio.run(scene())


def test_a_doctor_who_still_looks_does_not_hold_up_the_end(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon stops; there is no answer."""

    async def scene() -> None:
        monkeypatch.setattr(commands_module, "examine", examination(asyncio.Event()))
        post.commands.obey(post.session, "doctor", message(TOPICS.command("doctor")))
        await post.commands.close()

    asyncio.run(scene())
    assert not post.mqtt.told
