"""Between the MQTT session and the scheduler: what is accepted, acknowledged, answered, and where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edged.core.events import Accepted, PartArrived
from edged.journal import Journal
from edged.protocol.request import Request
from edged.protocol.result import ReplyTo, Stage
from tests.fakes.desk import SPEAK, Desk, speak
from tests.fakes.mqtt import message

KIOSK = ReplyTo("kiosk/answers", b"\x01")
DESK = ReplyTo("desk/answers")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.ledger.close()


def test_a_request_is_durable_before_its_acknowledgement(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that came together is one commit; then each is acknowledged, then said to be accepted."""
    real = Journal.accept

    def accept(journal: Journal, entries: Any, now: Any) -> Any:
        desk.mqtt.log.append(f"commit {len(entries)}")
        return real(journal, entries, now)

    monkeypatch.setattr(Journal, "accept", accept)
    desk.receive(message(SPEAK, "a", packet_id=1), message(SPEAK, "b", packet_id=2))
    told = "tell edged/lobby/event"
    assert desk.mqtt.log == ["commit 2", "ack 1", "ack 2", told, told]
    assert [event.request.text for event in desk.events if isinstance(event, Accepted)] == ["a", "b"]
    assert {event["stage"] for _, event in desk.mqtt.told} == {"accepted"}


def test_qos_0_is_accepted_without_an_acknowledgement(desk: Desk) -> None:
    """There is nobody to acknowledge to."""
    desk.receive(message(SPEAK, "a", qos=0))
    assert len(desk.accepted()) == 1
    assert desk.mqtt.acked == []


@pytest.mark.parametrize(
    ("ack", "heard"),
    [("none", []), ("accepted", ["accepted", "finished"]), ("finished", ["finished"]), (None, ["finished"])],
)
def test_the_response_topic_gets_what_was_asked_for(desk: Desk, ack: str | None, heard: list[str]) -> None:
    """`ack` says which; the result topic gets the result in any case."""
    fields = {} if ack is None else {"ack": ack}
    desk.receive(message(SPEAK, speak("x", "a", **fields), reply_to=KIOSK))
    desk.finish("a")
    answers = desk.mqtt.sent_to(KIOSK.topic)
    assert [answer.get("stage") or answer["status"] for answer in answers] == heard
    assert all(
        correlation == b"\x01" for topic, _, correlation in desk.mqtt.published if topic == KIOSK.topic
    )
    assert len(desk.results("a")) == 1
    assert desk.mqtt.receipts == ["a"]


def test_who_asks_again_while_it_runs_is_told_the_stage_and_later_the_result(desk: Desk) -> None:
    """Everybody who asked, each on its own topic, and the result topic once."""
    desk.stages["a"] = Stage.SPEAKING
    desk.receive(message(SPEAK, speak("x", "a"), reply_to=KIOSK))
    desk.receive(message(SPEAK, speak("x", "a"), reply_to=DESK))
    assert desk.accepted() == ["a"]
    assert [answer["stage"] for answer in desk.mqtt.sent_to(DESK.topic)] == ["speaking"]
    desk.finish("a")
    assert desk.mqtt.sent_to(KIOSK.topic)[-1]["status"] == "finished"
    assert desk.mqtt.sent_to(DESK.topic)[-1]["status"] == "finished"
    assert [answer.get("status") for answer in desk.results("a")] == [None, "finished"]


def test_who_asks_again_afterwards_is_told_the_result(desk: Desk) -> None:
    """The known one, and nobody else hears of it on a topic of his own."""
    desk.receive(message(SPEAK, speak("x", "a"), reply_to=KIOSK))
    desk.finish("a")
    desk.receive(message(SPEAK, speak("x", "a"), reply_to=DESK))
    assert desk.mqtt.sent_to(DESK.topic) == desk.mqtt.sent_to(KIOSK.topic) == [desk.results("a")[0]]
    assert desk.accepted() == ["a"]


def test_the_same_on_another_priority_topic_is_a_duplicate(desk: Desk) -> None:
    """The id and the body decide; which topic brought them does not."""
    desk.receive(message(SPEAK, speak("x", "a")), message(f"{SPEAK}/high", speak("x", "a")))
    assert desk.accepted() == ["a"]


def test_another_body_under_a_used_id_is_refused(desk: Desk) -> None:
    """With the code, and to its sender alone."""
    desk.receive(message(SPEAK, speak("x", "a"), reply_to=KIOSK))
    desk.receive(message(SPEAK, speak("y", "a"), reply_to=DESK))
    assert [answer["code"] for answer in desk.mqtt.sent_to(DESK.topic)] == ["id_reuse"]
    assert desk.mqtt.sent_to(KIOSK.topic) == []


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b'{"text":"abc', "bad_json"),
        (b"\xff", "bad_utf8"),
        (b"", "empty"),
        (b"x" * 101, "too_long"),
        (b'{"template":"call"}', "bad_field"),
        (b'{"template":"call","vars":{"n":"many"}}', "bad_field"),
        (b'{"template":"nobody","vars":{}}', "bad_field"),
    ],
)
def test_what_cannot_be_said_is_refused_at_once(desk: Desk, payload: bytes, code: str) -> None:
    """It gets a result, is acknowledged (the broker must not send it for ever), and nothing else is lost."""
    desk.receive(message(SPEAK, payload, packet_id=1, reply_to=KIOSK), message(SPEAK, "b", packet_id=2))
    (answer,) = desk.mqtt.sent_to(KIOSK.topic)
    assert (answer["status"], answer["code"]) == ("rejected", code)
    assert desk.results(answer["id"]) == [answer]
    assert desk.mqtt.acked == [1, 2]
    assert len(desk.accepted()) == 1


def test_parts_follow_their_announcement(desk: Desk) -> None:
    """The first to come is accepted, the others arrive; twice the same is a duplicate."""
    parts = [message(SPEAK, {"id": "p", "part": n, "text": "x"}) for n in (1, 0, 1)]
    desk.receive(*parts)
    assert [type(event) for event in desk.events] == [Accepted, PartArrived]
    assert [event["stage"] for _, event in desk.mqtt.told] == ["accepted"]


def test_a_command_is_for_what_was_published_before_it(desk: Desk) -> None:
    """It is obeyed in its place among the requests."""
    desk.receive(
        message(SPEAK, "a", packet_id=1),
        message("edged/lobby/cmd/stop", "all", packet_id=2),
        message(SPEAK, "b", packet_id=3),
    )
    interesting = [line for line in desk.mqtt.log if not line.startswith("tell")]
    assert interesting == ["ack 1", "obey stop", "ack 2", "ack 3"]
    assert desk.obeyed == [("stop", b"all")]


def test_a_redelivered_command_is_obeyed_once(desk: Desk) -> None:
    """Its acknowledgement was lost with the connection; a second skip would skip the next one."""
    skip = "edged/lobby/cmd/skip"
    desk.receive(message(skip, packet_id=7))
    desk.receive(message(skip, packet_id=7, is_redelivery=True))
    assert len(desk.obeyed) == 1
    assert desk.mqtt.acked == [7, 7]
    desk.receive(message(skip, packet_id=7))
    desk.receive(message(skip, packet_id=8, is_redelivery=True))
    assert len(desk.obeyed) == 3


def test_clearing_a_retained_message_asks_for_nothing(desk: Desk) -> None:
    """An empty retained message is how one removes what was stored there."""
    desk.receive(message(SPEAK, is_retained=True, packet_id=1))
    desk.receive(message("edged/lobby/cmd/stop", is_retained=True, packet_id=2))
    assert (desk.events, desk.obeyed, desk.mqtt.published) == ([], [], [])
    assert desk.mqtt.acked == [1, 2]


def test_acknowledgements_keep_the_order_of_arrival(desk: Desk) -> None:
    """As MQTT demands, whatever each message was."""
    batch = (
        message(SPEAK, "a", packet_id=1),
        message(SPEAK, is_retained=True, packet_id=2),
        message(SPEAK, "{", packet_id=3),
        message("elsewhere", "x", packet_id=4),
        message("edged/lobby/cmd/stop", packet_id=5),
    )
    desk.receive(*batch)
    assert desk.mqtt.acked == [1, 2, 3, 4, 5]


def test_a_topic_of_somebody_else_is_acknowledged_and_told(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    """Else the broker would send it again at every reconnect."""
    desk.receive(message("elsewhere", "x", packet_id=1))
    assert desk.mqtt.acked == [1]
    assert "elsewhere" in caplog.text


def test_an_announcement_of_our_own_is_as_durable_as_any(desk: Desk) -> None:
    """A replay or a test gets an id, is said to be accepted, and survives a restart."""
    made_id = desk.intake.announce(desk.session, Request(text="once more"))
    assert desk.accepted() == [made_id]
    after = desk.restarted()
    after.intake.recover(after.session)
    assert after.accepted() == [made_id]
    desk.ledger = after.ledger


def test_what_the_last_process_left_is_taken_up(desk: Desk) -> None:
    """What waits is said with all its parts, what sounded is reported as cut off, results are sent again."""
    desk.receive(message(SPEAK, speak("x", "sounding"), reply_to=KIOSK))
    desk.receive(*(message(SPEAK, {"id": "p", "part": n, "text": "x"}) for n in range(2)))
    desk.receive(message(SPEAK, speak("x", "sent")), message(SPEAK, speak("x", "unsent"), reply_to=DESK))
    desk.ledger.call(lambda journal: journal.mark_started("sounding"))
    desk.finish("sent", "unsent")
    desk.intake.note_delivered(["sent"])
    after = desk.restarted()
    after.intake.recover(after.session)
    assert [type(event) for event in after.events] == [Accepted, PartArrived]
    assert [answer["code"] for answer in after.mqtt.sent_to(KIOSK.topic)] == ["interrupted_by_restart"]
    assert [answer["status"] for answer in after.mqtt.sent_to(DESK.topic)] == ["finished"]
    assert after.results("sent") == []
    assert sorted(after.mqtt.receipts) == ["sounding", "unsent"]
    desk.ledger = after.ledger


def test_what_ends_and_what_arrives_together_is_one_commit(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred that are stopped at once, and what came meanwhile, cost one flush of the disk."""
    ids = [f"n-{i}" for i in range(20)]
    desk.receive(*(message(SPEAK, speak("x", one)) for one in ids))
    statements: list[str] = []
    desk.ledger.call(lambda journal: journal._db.set_trace_callback(statements.append))
    arrived = [message(SPEAK, speak("x", "new")), message(SPEAK, speak("x", "n-3"), reply_to=DESK)]
    desk.end(*ids)
    desk.receive(*arrived)
    assert statements.count("COMMIT") == 1
    assert desk.mqtt.receipts == ids
    assert desk.accepted() == [*ids, "new"]
    assert desk.mqtt.sent_to(DESK.topic) == desk.results("n-3")[:1]
    statements.clear()
    desk.finish()
    assert statements == []


def test_what_ended_is_published_before_a_command_is_obeyed(desk: Desk) -> None:
    """A result never waits for what the command does."""
    desk.receive(message(SPEAK, speak("x", "a")))
    desk.forget()
    desk.end("a")
    desk.receive(message("edged/lobby/cmd/doctor", packet_id=1))
    assert desk.mqtt.log == ["publish edged/lobby/result/a", "obey doctor", "ack 1"]
