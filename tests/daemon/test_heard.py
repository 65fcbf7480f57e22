"""Which announcements can be said once more, and how."""

from __future__ import annotations

from edged.core.events import AddText, Publish, StartJob
from edged.daemon.heard import Heard
from edged.protocol.request import Priority, Request
from edged.protocol.result import Result, Status


def hear(heard: Heard, request_id: str, request: Request, status: Status = Status.FINISHED) -> None:
    """This announcement is spoken and ends like that."""
    heard.note(StartJob(request_id, request))
    end(heard, request_id, status)


def end(heard: Heard, request_id: str, status: Status = Status.FINISHED) -> None:
    heard.note(Publish(Result(id=request_id, status=status, device="d", ts=1.0)))


def test_the_last_one_and_any_of_late_can_be_found() -> None:
    """By its id, or the last one that was heard to its end."""
    heard = Heard()
    assert heard.find(None) is None
    hear(heard, "a", Request(text="one"))
    hear(heard, "b", Request(text="two"))
    assert heard.find("a") == Request(text="one")
    assert heard.find(None) == Request(text="two")
    assert heard.find("c") is None


def test_what_was_not_heard_to_its_end_is_not_said_again() -> None:
    """Nor what was refused while another one was spoken."""
    heard = Heard()
    hear(heard, "a", Request(text="one"))
    hear(heard, "cut", Request(text="two"), Status.CANCELLED)
    heard.note(StartJob("b", Request(text="three")))
    end(heard, "waiting", Status.FINISHED)
    assert heard.find(None) == Request(text="one")
    end(heard, "b")
    assert heard.find(None) == Request(text="three")


def test_a_text_that_came_in_parts_is_said_as_one() -> None:
    """The parts as they came, cut anywhere."""
    heard = Heard()
    heard.note(StartJob("a", Request(id="a", text="One, tw", part=0), more=("o, th",), is_open=True))
    heard.note(AddText("a", "ree.", is_last=True))
    end(heard, "a")
    assert heard.find(None) == Request(text="One, two, three.")


def test_the_new_one_is_said_like_the_old_one_but_takes_no_place() -> None:
    """Voice, volume and priority stay; what it did to others and its deadline do not."""
    old = Request(
        id="a", text="one", priority=Priority.HIGH, voice="zf", volume=30, repeat=2,
        key="gate", on_busy="replace_same_key", ttl_ms=1000,
    )  # fmt: skip
    heard = Heard()
    hear(heard, "a", old)
    expected = Request(text="one", priority=Priority.HIGH, voice="zf", volume=30, repeat=2)
    assert heard.find("a") == expected


def test_only_the_last_twenty_are_kept() -> None:
    """A day of announcements does not stay in memory; one that was said again counts as new."""
    heard = Heard()
    for number in range(20):
        hear(heard, str(number), Request(text=f"{number}"))
    hear(heard, "0", Request(text="0"))
    hear(heard, "20", Request(text="20"))
    assert heard.find("1") is None
    assert heard.find("0") == Request(text="0")
