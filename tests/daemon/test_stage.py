"""What the stage makes of a request, of commands, and of what the children say."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

import pytest

from edged.config.schema import Config
from edged.core import events
from edged.daemon import stage as stage_module
from edged.daemon.ledger import Ledger
from edged.daemon.settings import SettingsKeeper
from edged.daemon.stage import Stage, speech_options
from edged.daemon.upkeep import new_health
from edged.engine.base import SpeechOptions
from edged.protocol.request import Options, Request, Segment
from edged.text.content import Silence, Words
from edged.text.templates import Templates
from edged.workers import messages
from tests.fakes.supervisor import PLAYER_READY, SYNTH_READY, FakeSupervisor

CONFIG = Config.model_validate({"outputs": {"hall": {"device": "hall"}}})


@dataclass
class Theatre:
    """A stage with its two children, and what it tells the scheduler."""

    settings: SettingsKeeper
    events: list[events.Event] = field(default_factory=list)
    sounded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stage = Stage(
            CONFIG, Templates({}), self.settings, self.events.append, new_health(), self.sounded.append
        )
        self.synth = FakeSupervisor.made["synth"]
        self.player = FakeSupervisor.made["player"]

    def start(self, request: Request, more: tuple[str, ...] = (), *, is_open: bool = False) -> messages.Speak:
        """Begin this as job `a`; gives what the synth was told first."""
        self.synth.sent.clear()
        self.player.sent.clear()
        self.stage.start(events.StartJob("a", request, more, is_open))
        (speak,) = [sent for sent in self.synth.sent if isinstance(sent, messages.Speak)]
        return speak


@pytest.fixture
def theatre(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Theatre:
    """Both children are ready."""
    monkeypatch.setattr(stage_module, "Supervisor", FakeSupervisor)
    theatre = Theatre(SettingsKeeper(Ledger(tmp_path)))
    theatre.synth.say(SYNTH_READY)
    theatre.player.say(PLAYER_READY)
    return theatre


def test_every_option_of_the_protocol_is_one_of_the_engines() -> None:
    """The names are the same; `instruct` is a field of the request itself."""
    assert {*Options.model_fields, "instruct"} == {field.name for field in fields(SpeechOptions)}


def test_what_a_request_asks_for_is_what_the_engine_gets() -> None:
    """Nothing is lost on the way; what was not asked for stays open."""
    request = Request(text="a", instruct="calm", options=Options(speaker="vivian", seed=7, temperature=0.5))
    expected = SpeechOptions(speaker="vivian", seed=7, temperature=0.5, instruct="calm")
    assert speech_options(request) == expected
    assert speech_options(Request(text="a")) == SpeechOptions()


def test_an_announcement_goes_to_both_children(theatre: Theatre) -> None:
    """The synth gets what is to be said and how often, the player how loud."""
    segments = (Segment(text="One."), Segment(pause_ms=300))
    request = Request(segments=segments, lang="en", volume=40, repeat=2, repeat_mode="each", speed=1.5)
    speak = theatre.start(request)
    assert speak.pieces == (Words("One.", "en"), Silence(300))
    assert (speak.repeat, speak.repeat_mode, speak.repeat_gap_ms, speak.speed) == (2, "each", 1000, 1.5)
    assert theatre.player.sent == [messages.PlayBegin(job_id="a", sample_rate_hz=24000, volume=40)]


def test_an_announcement_of_its_own_volume_or_gap_or_none(theatre: Theatre) -> None:
    """0 is a volume and a gap like any other."""
    speak = theatre.start(Request(text="a", volume=0, repeat_gap_ms=0))
    (begin,) = theatre.player.sent
    assert isinstance(begin, messages.PlayBegin)
    assert (speak.repeat_gap_ms, begin.volume) == (0, 0)
    theatre.start(Request(text="a"))
    assert theatre.player.sent == [messages.PlayBegin(job_id="a", sample_rate_hz=24000, volume=100)]


def test_the_tones_around_an_announcement_go_to_the_synth(theatre: Theatre) -> None:
    """What was not asked for is left to the device's configuration."""
    speak = theatre.start(Request(text="a", chime="under:gong", chime_end="ding", gap_ms=0, lead_in_ms=200))
    assert (speak.chime, speak.chime_end, speak.gap_ms, speak.lead_in_ms) == ("under:gong", "ding", 0, 200)
    plain = theatre.start(Request(text="a"))
    assert (plain.chime, plain.chime_end, plain.gap_ms, plain.lead_in_ms) == (None, "none", None, 0)


@pytest.mark.parametrize("is_open", [True, False])
def test_parts_that_have_come_follow_the_first_one(theatre: Theatre, is_open: bool) -> None:
    """The last of them is the last of all only when no further one is awaited."""
    request = Request(id="a", text="One", part=0)
    assert theatre.start(request, ("two", "three"), is_open=is_open).is_open
    assert theatre.synth.sent[1:] == [
        messages.SpeakMore(job_id="a", text="two", is_last=False),
        messages.SpeakMore(job_id="a", text="three", is_last=not is_open),
    ]
    assert not theatre.start(Request(id="a", text="One", part=0, last=True)).is_open


def test_what_cannot_be_composed_fails_and_touches_no_child(theatre: Theatre) -> None:
    """Its template has gone since it was accepted: the scheduler hears of it as of any failure."""
    theatre.synth.sent.clear()
    theatre.player.sent.clear()
    theatre.stage.start(events.StartJob("a", Request(template="gone")))
    (failure,) = [event for event in theatre.events if isinstance(event, events.SynthFailed)]
    assert (failure.id, failure.code) == ("a", "bad_field")
    assert "gone" in failure.reason
    theatre.stage.stop_play("a")
    assert theatre.events[-1] == events.PlayStopped("a")
    assert not theatre.synth.sent + theatre.player.sent


def test_every_player_starts_with_the_volume_that_is_set(theatre: Theatre) -> None:
    """Also the one after a crash."""
    theatre.settings.set_volume(30)
    theatre.player.lose()
    theatre.player.sent.clear()
    theatre.player.say(PLAYER_READY)
    assert theatre.player.sent == [messages.SetVolume(percent=30)]


def test_pause_and_resume_reach_the_player(theatre: Theatre) -> None:
    """The synth learns of it by nobody taking its sound."""
    theatre.start(Request(text="a"))
    theatre.player.sent.clear()
    theatre.stage.pause("a")
    theatre.stage.resume("a")
    assert theatre.player.sent == [messages.PlayPause(job_id="a"), messages.PlayResume(job_id="a")]


def test_chosen_voices_replace_the_engines_own(theatre: Theatre) -> None:
    """For their languages; one that this engine does not have (a fallback speaks) is left out."""
    assert theatre.stage.default_voices == {"zh": "zf", "en": "af"}
    theatre.settings.set_voice("zm", ("zh",))
    theatre.settings.set_voice("vivian", ("en",))
    assert theatre.stage.default_voices == {"zh": "zm", "en": "af"}
    assert theatre.start(Request(text="a")).default_voices == {"zh": "zm"}


def test_sound_goes_to_the_player_once_it_is_noted(theatre: Theatre) -> None:
    """Before the first sample the journal knows: after a crash it would be said twice."""
    theatre.start(Request(text="a"))
    audio = messages.Audio(job_id="a", sample_rate_hz=24000, sentence_index=0)
    theatre.synth.say(audio, b"1234")
    theatre.synth.say(audio, b"1234")
    assert theatre.sounded == ["a"]
    assert theatre.player.sent[-2:] == [audio, audio]
    theatre.stage.cancel_synth("a")
    theatre.synth.say(audio, b"1234")
    assert theatre.player.sent[-2:] == [audio, audio]
    assert len(theatre.player.sent) == 3


def test_what_turned_out_on_the_way_is_in_the_end(theatre: Theatre) -> None:
    """Warnings that came after the plan, and where the speech came from, are told with the end."""
    warnings = ("clip_skipped: x",)
    end = messages.SynthEnd(
        job_id="a",
        audio_ms=1.0,
        synth_ms=2.0,
        first_chunk_ms=1.0,
        rss_mb=1.0,
        cache="hit",
        warnings=warnings,
    )
    theatre.synth.say(end)
    assert theatre.events[-1] == events.SynthEnd("a", 1.0, 2.0, warnings, "hit")


def test_how_long_it_may_last_and_what_may_be_kept_travel_with_it(theatre: Theatre) -> None:
    """Unasked, there is no limit and the cache is used."""
    asked = theatre.start(Request(text="a", max_duration_ms=2000, cache="pin"))
    assert (asked.max_duration_ms, asked.cache) == (2000, "pin")
    plain = theatre.start(Request(text="a"))
    assert (plain.max_duration_ms, plain.cache) == (None, "use")


@pytest.mark.parametrize(
    ("asked", "heard_on", "warnings"),
    [
        (None, "main", ()),
        ("main", "main", ()),
        ("hall", "hall", ()),
        ("attic", "main", ("output_fallback: attic",)),
    ],
)
def test_an_output_is_chosen_by_its_name(
    theatre: Theatre, asked: str | None, heard_on: str, warnings: tuple[str, ...]
) -> None:
    """One the board does not have is replaced by the main one, with a warning; the next job has none."""
    theatre.start(Request(text="a", output=asked))
    (begin,) = [sent for sent in theatre.player.sent if isinstance(sent, messages.PlayBegin)]
    assert begin.output == heard_on
    for expected in (warnings, ()):
        theatre.synth.say(messages.Planned(job_id="a", voice="zf", sentences=1, warnings=()))
        assert theatre.events[-1] == events.SynthPlanned("a", "zf", expected)
        theatre.start(Request(text="a"))


def test_an_output_without_device_is_not_waited_for(theatre: Theatre) -> None:
    """What is said is heard, on the main one; on its own again as soon as the device is there."""

    def heard_on() -> str:
        theatre.start(Request(text="a", output="hall"))
        return [sent for sent in theatre.player.sent if isinstance(sent, messages.PlayBegin)][-1].output

    theatre.player.say(messages.PlayerUnavailable(output="hall", code="c", what="gone", hint=""))
    assert heard_on() == "main"
    theatre.synth.say(messages.Planned(job_id="a", voice="zf", sentences=1, warnings=()))
    assert theatre.events[-1] == events.SynthPlanned("a", "zf", ("output_fallback: hall",))
    theatre.player.say(PLAYER_READY.model_copy(update={"output": "hall", "device": "hall"}))
    assert heard_on() == "hall"


def test_only_the_main_output_decides_whether_the_board_can_speak(theatre: Theatre) -> None:
    """Another one that is missing is not the player that is missing."""
    told = list(theatre.events)
    theatre.player.say(messages.PlayerUnavailable(output="hall", code="c", what="gone", hint=""))
    theatre.player.say(PLAYER_READY.model_copy(update={"output": "hall", "device": "hall"}))
    assert theatre.events == told
    assert theatre.stage.player_ready == PLAYER_READY
