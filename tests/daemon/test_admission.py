"""Which messages on speak topics are let in, and with what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edged.core.events import Accepted
from edged.text.templates import Template, Templates
from tests.fakes.desk import SPEAK, Desk, speak
from tests.fakes.mqtt import message


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.ledger.close()


def test_a_template_that_can_be_said_is_accepted(desk: Desk) -> None:
    """A var it has no use for is named."""
    desk.receive(message(SPEAK, {"id": "a", "template": "call", "vars": {"n": 7, "who": "x"}}))
    (accepted,) = desk.events
    assert isinstance(accepted, Accepted)
    assert accepted.warnings == ("unknown_field: vars.who",)


def test_a_template_cannot_get_around_the_longest_text(desk: Desk) -> None:
    """What counts is what will be said."""
    long = Template.model_validate({"en": "word " * 21})
    desk.intake._admission._templates = Templates({"long": long})
    desk.receive(message(SPEAK, {"id": "a", "template": "long"}))
    assert [answer["code"] for answer in desk.results("a")] == ["too_long"]


def test_the_broker_says_how_long_it_is_worth_saying(desk: Desk) -> None:
    """MQTT 5's Message Expiry, or the request's own time to live if that is shorter."""
    desk.receive(message(SPEAK, "a", expiry_s=4), message(SPEAK, speak("x", "b", ttl_ms=500), expiry_s=4))
    assert [event.lifetime_s for event in desk.events if isinstance(event, Accepted)] == [4, 0.5]


def limited(tmp_path: Path) -> Desk:
    """Two requests at once, then practically no more."""
    return Desk(tmp_path, {"rate_limit_per_s": 0.001, "rate_burst": 2})


def test_too_many_on_one_topic_are_refused(tmp_path: Path) -> None:
    """Another topic is not concerned; the id is not used up, and an emergency always gets in."""
    desk = limited(tmp_path)
    for one in "abc":
        desk.receive(message(SPEAK, speak("x", one)))
    assert [answer["code"] for answer in desk.results("c")] == ["rate_limited"]
    desk.receive(message("edged/all/speak", speak("x", "c")))
    desk.receive(message(SPEAK, speak("x", "e", priority="emergency")))
    assert desk.accepted() == ["a", "b", "c", "e"]


def test_what_was_let_in_once_is_not_counted_again(tmp_path: Path) -> None:
    """A redelivery, and the further parts of a text."""
    desk = limited(tmp_path)
    desk.receive(*(message(SPEAK, {"id": "p", "part": n, "text": "x"}) for n in range(5)))
    desk.receive(message(SPEAK, speak("x", "a")))
    desk.receive(message(SPEAK, speak("x", "b"), is_redelivery=True))
    assert desk.accepted() == ["p", "a", "b"]
    assert len(desk.events) == 7


def test_a_text_that_begins_with_a_later_part_is_counted_as_well(tmp_path: Path) -> None:
    """Else part 1 of ever new texts would be a way around the limit."""
    desk = limited(tmp_path)
    desk.receive(*(message(SPEAK, {"id": f"p{n}", "part": 1, "text": "x"}) for n in range(4)))
    assert desk.accepted() == ["p0", "p1"]
    assert [desk.results(f"p{n}")[0]["code"] for n in (2, 3)] == ["rate_limited"] * 2
