"""The record by which Home Assistant finds the device."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from edged.protocol.discovery import encode_discovery
from edged.protocol.state import AnnouncedLimits, Health, Info, State, VoiceEntry
from edged.protocol.topics import CommandTopic, SpeakTopic, Topics

GOLDEN = Path(__file__).parents[1] / "golden" / "homeassistant" / "device.json"
TOPICS = Topics("edged", "lobby")
VOICES = (
    VoiceEntry(name="zf_xiaobei", langs=("zh",)),
    VoiceEntry(name="zf_xiaoni", langs=("zh",)),
    VoiceEntry(name="af_heart", langs=("en",)),
)


def record(voices: tuple[VoiceEntry, ...] = VOICES) -> dict[str, Any]:
    limits = AnnouncedLimits(max_text_chars=4000, max_waiting=100, max_packet_bytes=262144)
    info = Info(version="1.2.3", device="lobby", voices=voices, limits=limits)
    document: dict[str, Any] = json.loads(encode_discovery(info, TOPICS))
    return document


def test_the_record_is_the_one_that_home_assistant_has_accepted() -> None:
    """The golden file went through Home Assistant's own schemas; what changes must go through them again."""
    assert record() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_every_command_topic_is_one_we_listen_on() -> None:
    """A button that publishes where nobody listens would look as if it worked."""
    commands = {key: TOPICS.read(one["cmd_t"]) for key, one in record()["cmps"].items() if "cmd_t" in one}
    assert commands.pop("speak") == SpeakTopic(None)
    verbs = {key.removesuffix("_zh").removesuffix("_en").replace("voice", "voices") for key in commands}
    assert {topic.verb for topic in commands.values() if isinstance(topic, CommandTopic)} == verbs


@pytest.mark.parametrize(("topic", "model"), [(TOPICS.state, State), (TOPICS.health, Health)])
def test_templates_read_only_what_is_published(topic: str, model: type[State | Health]) -> None:
    """Each field a template names exists in the record of its topic."""
    templates = [
        one[template]
        for one in record()["cmps"].values()
        for source, template in (("stat_t", "val_tpl"), ("json_attr_t", "json_attr_tpl"))
        if one.get(source) == topic
    ]
    named = {name for template in templates for name in re.findall(r"value_json\.(\w+)", template)}
    assert named
    assert named <= set(model.model_fields)


def test_a_device_whose_voice_is_not_loaded_is_found_all_the_same() -> None:
    """It can be told to stop, and says what is wrong with it; there is no voice to choose yet."""
    keys = set(record(voices=())["cmps"])
    assert {"speak", "stop", "problem"} <= keys
    assert not [key for key in keys if key.startswith("voice")]


def test_a_voice_of_both_languages_can_be_chosen_for_either() -> None:
    """The state names it once, so both read the only name there is."""
    components = record((VoiceEntry(name="vivian", langs=("zh", "en")),))["cmps"]
    assert components["voice_zh"]["ops"] == components["voice_en"]["ops"] == ["vivian"]
    assert "first" in components["voice_zh"]["val_tpl"]
    assert "last" in components["voice_en"]["val_tpl"]


def test_unique_ids_are_unique() -> None:
    """And tell two devices apart."""
    ids = [one["uniq_id"] for one in record()["cmps"].values()]
    assert len(set(ids)) == len(ids)
    assert all(one.startswith("edged_lobby_") for one in ids)


def test_no_text_of_an_announcement_gets_into_home_assistant() -> None:
    """Its history is kept for years; what was said is told by no sensor."""
    assert not [one for one in record()["cmps"].values() if "text" in one.get("val_tpl", "")]
