"""Topics: what is listened on, and what a topic means."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.client import topic_matches_sub

from edged.errors import ConfigError
from edged.protocol.topics import BirthTopic, CommandTopic, SpeakTopic, Topics, discovery_topic

LEVELS = st.one_of(
    st.sampled_from(["speak", "cmd", "all", "group", "state", "lobby"]),
    st.from_regex(r"[A-Za-z0-9._-]{1,8}", fullmatch=True),
)


def test_reads_own_all_and_group_topics() -> None:
    """The device's own address, `all` and its groups are listened on; other groups are not ours."""
    topics = Topics("edged", "lobby", ["ground"])
    assert topics.read("edged/lobby/speak") == SpeakTopic(None)
    assert topics.read("edged/all/speak/high") == SpeakTopic("high")
    assert topics.read("edged/group/ground/cmd/stop") == CommandTopic("stop")
    assert topics.read("edged/group/attic/speak") is None


@pytest.mark.parametrize(
    "topic",
    [
        "edged/lobby",
        "edged/lobby/",
        "edged/lobby/speak/a/b",
        "edged/lobby/state",
        "edged/lobbyx/speak",
        "",
        "x",
    ],
)
def test_other_topics_mean_nothing(topic: str) -> None:
    """A topic that is not exactly one of ours is nothing, not a guess."""
    assert Topics("edged", "lobby").read(topic) is None


def test_publishes_below_the_device() -> None:
    """A base of several levels works, and results have a topic of their own."""
    topics = Topics("site/edged", "lobby")
    assert topics.result("t:1") == "site/edged/lobby/result/t:1"
    assert (topics.state, topics.health, topics.info, topics.event) == tuple(
        f"site/edged/lobby/{name}" for name in ("state", "health", "info", "event")
    )


def test_tells_others_where_it_listens() -> None:
    """What Home Assistant is told to publish to is read as what it means."""
    topics = Topics("edged", "lobby")
    assert topics.read(topics.speak) == SpeakTopic(None)
    assert topics.read(topics.command("volume")) == CommandTopic("volume")


def test_home_assistants_birth_is_heard_when_it_is_wanted() -> None:
    """Under its own prefix, which may have several levels."""
    topics = Topics("edged", "lobby", birth_prefix="site/ha")
    assert topics.filters[-1] == "site/ha/status"
    assert topics.read("site/ha/status") == BirthTopic()
    assert topics.read("homeassistant/status") is None
    assert not [one for one in Topics("edged", "lobby").filters if "status" in one]


def test_the_discovery_topic_is_one_that_home_assistant_reads() -> None:
    """A device id may hold a dot, a level of this topic may not."""
    assert discovery_topic("homeassistant", "hall.3-left") == "homeassistant/device/hall_3-left/config"


@given(device=LEVELS, groups=st.lists(LEVELS, max_size=4), tail=st.lists(LEVELS, min_size=1, max_size=4))
def test_no_topic_is_matched_by_two_filters(device: str, groups: list[str], tail: list[str]) -> None:
    """Whatever the names, a broker never delivers one publish twice, and delivers only what `read` knows."""
    if device in ("all", "group"):
        return
    topics = Topics("edged", device, groups)
    topic = "/".join(["edged", *tail])
    matches = sum(topic_matches_sub(topic_filter, topic) for topic_filter in topics.filters)
    assert matches == (topics.read(topic) is not None)


def test_a_group_named_twice_is_listened_on_once() -> None:
    """Repeated groups do not repeat filters."""
    filters = Topics("edged", "lobby", ["ground", "ground"]).filters
    assert all(a != b for a, b in itertools.combinations(filters, 2))


@pytest.mark.parametrize(
    ("device", "group"), [("all", "g"), ("group", "g"), ("", "g"), ("a/b", "g"), ("ok", "a+b")]
)
def test_impossible_names_are_refused(device: str, group: str) -> None:
    """A name that is no topic level, or one that addresses many devices, is a configuration error."""
    with pytest.raises(ConfigError, match=r"device\.(id|groups)"):
        Topics("edged", device, [group])
