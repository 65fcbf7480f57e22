"""Speak requests: every payload becomes a request or a refusal that says what was wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from edged.protocol.request import (
    Parsed,
    Priority,
    Rejected,
    Request,
    lifetime_s,
    parse_speak,
)
from edged.protocol.result import Code

MAX_CHARS = 100


def parse(payload: bytes | str | dict[str, Any], topic_priority: str | None = None) -> Parsed | Rejected:
    """Shorthand: dicts as JSON."""
    if isinstance(payload, dict):
        payload = json.dumps(payload)
    data = payload if isinstance(payload, bytes) else payload.encode()
    return parse_speak(topic_priority, data, max_text_chars=MAX_CHARS)


def good(payload: bytes | str | dict[str, Any], topic_priority: str | None = None) -> Parsed:
    """The payload must be a request."""
    parsed = parse(payload, topic_priority)
    assert isinstance(parsed, Parsed), parsed
    return parsed


EVERY_OPTION = {
    "speaker": "vivian",
    "language": "chinese",
    "dialect": "sichuan_dialect",
    "seed": 1,
    "temperature": 0.9,
    "top_k": 50,
    "top_p": 1,
    "repetition_penalty": 1.05,
    "max_seconds": 20,
}


def bad(payload: bytes | str | dict[str, Any], topic_priority: str | None = None) -> Rejected:
    """The payload must be refused."""
    parsed = parse(payload, topic_priority)
    assert isinstance(parsed, Rejected), parsed
    return parsed


def test_bare_text_is_an_announcement() -> None:
    """`mosquitto_pub -m hello` works: no JSON, no id, all defaults."""
    parsed = good("请A015号到三号窗口")
    assert parsed.request == Request(text="请A015号到三号窗口")
    assert parsed.warnings == ()


@pytest.mark.parametrize(
    "fields",
    [
        {
            "id": "t-1",
            "text": "hi",
            "priority": "low",
            "ttl_ms": 5000,
            "lang": "en",
            "voice": "x",
            "speed": 1,
        },
        {"text": "hi", "instruct": "cheerful", "options": EVERY_OPTION, "volume": 80, "ack": "accepted"},
        {"text": "hi", "on_busy": "replace_same_key", "key": "counter-3"},
        {"text": "hi", "repeat": 2, "repeat_gap_ms": 500, "repeat_mode": "each"},
        {"text": "hi", "chime": "under:gong", "chime_end": "ding.wav", "gap_ms": 100, "lead_in_ms": 300},
        {"id": "t-1", "text": "hi", "part": 1, "last": True},
        {"template": "ticket_call", "vars": {"ticket": "A015", "counter": 3}},
        {
            "segments": [
                {"text": "a"},
                {"clip": "ding.wav"},
                {"pause_ms": 200},
                {"spell": "AB"},
                {"digits": "1"},
            ]
        },
    ],
    ids=lambda fields: ",".join(fields),
)
def test_active_fields_give_no_warning(fields: dict[str, Any]) -> None:
    """What this version does is accepted without comment, and comes out as it went in."""
    parsed = good(fields)
    assert parsed.warnings == ()
    assert parsed.request.model_dump(mode="json", exclude_unset=True, exclude_none=True) == fields


@pytest.mark.parametrize(
    "segments",
    [
        [],
        [{"pause_ms": 200}],
        [{"text": " "}, {"pause_ms": 200}, {"spell": ""}, {"digits": "\n"}],
    ],
    ids=["none", "a pause", "blanks"],
)
def test_segments_with_nothing_to_hear_are_empty(segments: list[dict[str, Any]]) -> None:
    """An announcement of silence is a mistake of the sender."""
    rejected = bad({"id": "t-2", "segments": segments})
    assert (rejected.code, rejected.id) == (Code.EMPTY, "t-2")


def test_a_clip_alone_is_something_to_hear() -> None:
    """A gong needs no words."""
    assert good({"segments": [{"clip": "gong.wav"}]}).request.segments


@pytest.mark.parametrize(
    "content",
    [
        {"segments": [{"text": "x" * 50}, {"spell": "x" * 26}, {"digits": "1" * 25}]},
        {"template": "t", "vars": {"a": "x" * 99, "b": 12}},
        {"text": "x" * 101},
        {"id": "p", "part": 0, "text": "x" * 101},
    ],
    ids=["segments", "vars", "text", "part"],
)
def test_the_longest_text_counts_over_all_that_is_read(content: dict[str, Any]) -> None:
    """A long text is not let in by cutting it into pieces."""
    rejected = bad(content)
    assert rejected.code is Code.TOO_LONG
    assert "101 characters; this device takes 100" in rejected.reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"text": "a", "on_busy": "replace_same_key"}, "key: expected with replace_same_key"),
        ({"text": "a", "vars": {"x": 1}}, "vars: expected with template only"),
        ({"text": "a", "part": 0}, "part: expected with id"),
        ({"id": "p", "segments": [{"text": "a"}], "part": 0}, "part: expected with text"),
        ({"id": "p", "template": "t", "part": 0}, "part: expected with text"),
        ({"id": "p", "part": 0}, "part: expected with text"),
        ({"text": "a", "last": True}, "last: expected with part only"),
        ({"id": "p", "text": "a", "part": -1}, "part: expected greater than or equal to 0, got -1"),
        ({"id": "p", "text": "a", "part": True}, "part: expected a valid integer, got true"),
    ],
)
def test_fields_that_need_each_other_are_told(fields: dict[str, Any], reason: str) -> None:
    """What is missing or too much is named, without an echo of the whole request."""
    rejected = bad(fields)
    assert (rejected.code, rejected.reason) == (Code.BAD_FIELD, reason)
    assert rejected.id == fields.get("id")


def test_a_part_may_be_blank() -> None:
    """A sender that learns only afterwards that it was the last one says so with an empty part."""
    assert good({"id": "p", "part": 7, "text": "", "last": True}).request.last


def test_unknown_fields_are_accepted_with_a_warning() -> None:
    """A newer controller's extra fields do not silence it."""
    parsed = good({"text": "hi", "colour": "red", "options": {"sparkle": 1}})
    assert parsed.warnings[:2] == ("unknown_field: colour", "unknown_field: options.sparkle")


def test_warnings_do_not_echo_a_hostile_payload() -> None:
    """Thousands of unknown fields with long names make a few short warnings."""
    parsed = good({"text": "hi", **{f"{i}{'x' * 500}": 0 for i in range(300)}})
    assert sum(map(len, parsed.warnings)) < 1000


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("text", 1, "string"),
        ("text", ["a"], "string"),
        ("last", "True", "boolean"),
        ("last", 1, "boolean"),
        ("segments", {}, "array"),
        ("segments", [{}], "exactly one of text, clip"),
        ("segments", [{"pause_ms": -1}], "segments.0.pause_ms: expected greater than or equal to 0"),
        ("template", "", "at least 1 character"),
        ("volume", "80", "integer"),
        ("volume", 101, "100"),
        ("volume", -1, "0"),
        ("volume", True, "integer"),
        ("ttl_ms", 1.5, "integer"),
        ("ttl_ms", 0, "1"),
        ("ttl_ms", 10**30, "604800000"),
        ("speed", "fast", "number"),
        ("speed", 9.0, "2"),
        ("lang", "fr", "'zh', 'en' or 'auto'"),
        ("priority", "urgent", "emergency, high, normal, low, background or 0 to 9"),
        ("priority", 10, "0 to 9"),
        ("priority", True, "0 to 9"),
        ("repeat", 0, "1"),
        ("on_busy", "panic", "'queue'"),
        ("options", "loud", "object"),
        ("options", {"seed": -1}, "options.seed: expected greater than or equal to 0"),
        ("options", {"seed": 2**32}, "options.seed"),
        ("options", {"top_k": 1.5}, "integer"),
        ("options", {"top_p": 0}, "greater than 0"),
        ("options", {"temperature": "hot"}, "number"),
        ("options", {"repetition_penalty": 9}, "less than or equal to 5"),
        ("options", {"max_seconds": 0}, "greater than 0"),
        ("options", {"speaker": ""}, "at least 1 character"),
        ("instruct", ["calm"], "string"),
        ("vars", {"a": [1]}, "vars.a"),
        ("id", "two words", "pattern"),
        ("id", "x" * 65, "pattern"),
        ("id", "a\n", "pattern"),
        ("id", 7, "string"),
    ],
)
def test_wrong_values_are_named_with_what_was_expected(field: str, value: Any, expected: str) -> None:
    """`bad_field` says which field, what was expected and what came; nothing is coerced."""
    rejected = bad({"text": "hi", field: value})
    assert rejected.code is Code.BAD_FIELD
    assert rejected.reason.startswith(field)
    assert expected in rejected.reason


def test_a_segment_is_one_thing() -> None:
    """A piece that is both a clip and a pause is refused by its position."""
    rejected = bad({"segments": [{"text": "a"}, {"clip": "ding", "pause_ms": 5}]})
    assert rejected.code is Code.BAD_FIELD
    assert rejected.reason.startswith("segments.1: ")


def test_content_is_given_once() -> None:
    """Text and template together are a contradiction, not a choice for us to make."""
    assert bad({"text": "a", "template": "ticket_call"}).code is Code.BAD_FIELD


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"\xff\xfe", Code.BAD_UTF8),
        (b"\xed\xa0\x80", Code.BAD_UTF8),
        (b'{"text":"abc', Code.BAD_JSON),
        (b'  {"text":"abc', Code.BAD_JSON),
        (b'\xef\xbb\xbf{"text"', Code.BAD_JSON),
        (b"{", Code.BAD_JSON),
        (b'{"text":"a"} b', Code.BAD_JSON),
        (b'{"speed":NaN,"text":"a"}', Code.BAD_JSON),
        (b'{"a":' + b"[" * 200_000, Code.BAD_JSON),
        (b'{"text":"a","b":' + b"[" * 400 + b"]" * 400 + b"}", Code.BAD_JSON),
        (b'{"text":"a","ttl_ms":' + b"9" * 5000 + b"}", Code.BAD_JSON),
        (b'{"text":"a","speed":1e999}', Code.BAD_FIELD),
        (b"", Code.EMPTY),
        (b" \n\t", Code.EMPTY),
        (b"{}", Code.EMPTY),
        (b'{"text":" "}', Code.EMPTY),
        ("长".encode() * (MAX_CHARS + 1), Code.TOO_LONG),
    ],
    ids=lambda value: str(value[:20]) if isinstance(value, bytes) else value,
)
def test_broken_payloads_have_a_code_and_are_never_spoken(payload: bytes, code: Code) -> None:
    """What begins like JSON and is none is refused, never read aloud."""
    assert bad(payload).code is code


def test_the_longest_text_allowed_is_accepted() -> None:
    """The limit counts characters, not bytes, and includes itself."""
    assert good("长" * MAX_CHARS).request.text == "长" * MAX_CHARS


def test_an_unpaired_surrogate_does_not_lose_the_sentence() -> None:
    """Half an emoji, as a careless program escapes it, becomes a replacement character."""
    assert good(b'{"text":"a\\ud83db \\ud83d\\ude00"}').request.text == "a\ufffdb \U0001f600"


def test_a_refusal_answers_under_a_good_id_only() -> None:
    """The sender's id is used where it is one; otherwise the caller has to make one."""
    assert bad({"id": "t-3", "text": 1}).id == "t-3"
    assert bad({"id": "no good", "text": 1}).id is None


@pytest.mark.parametrize(
    ("given_priority", "priority"),
    [
        (0, "background"),
        (1, "background"),
        (2, "low"),
        (4, "normal"),
        (6, "normal"),
        (8, "high"),
        (9, "emergency"),
    ],
)
def test_numbers_are_priorities_too(given_priority: int, priority: str) -> None:
    """0 to 9 as in JMS: 9 is the most urgent; in the topic as well."""
    assert good({"text": "a", "priority": given_priority}).request.priority == priority
    assert good("a", topic_priority=str(given_priority)).request.priority == priority


def test_the_topic_wins_over_the_field() -> None:
    """Who may publish to `speak/high` is a matter of the broker's access list, so the topic counts."""
    assert good({"text": "a", "priority": "low"}, topic_priority="high").request.priority is Priority.HIGH


def test_an_unknown_priority_in_the_topic_is_refused() -> None:
    """A typing error in the topic is told, not guessed."""
    assert bad("a", topic_priority="urgent").reason.startswith("priority in the topic: expected emergency")


def test_ranks_follow_the_order_of_urgency() -> None:
    """Emergency outranks all."""
    assert sorted(Priority, key=lambda p: p.rank) == list(reversed(Priority))


def test_a_retained_announcement_is_refused_under_its_id() -> None:
    """A stored message would be spoken again at every reconnect."""
    rejected = parse_speak(None, b'{"id":"r","text":"a"}', max_text_chars=MAX_CHARS, retained=True)
    assert isinstance(rejected, Rejected)
    assert (rejected.code, rejected.id) == (Code.RETAINED, "r")


def test_the_fingerprint_is_that_of_the_meaning() -> None:
    """Order and spacing do not matter, any value does."""
    one = good('{"id":"a","text":"x","speed":1.0}').fingerprint
    assert good('{"id":"a","text":"x","speed":1.0}', topic_priority="high").fingerprint == one
    assert good('{ "speed":1.0, "text":"x", "id":"a" }').fingerprint == one
    assert good('{"id":"a","text":"x","speed":1.1}').fingerprint != one


def test_the_fingerprint_of_a_part_is_that_of_its_own_fields() -> None:
    """What else stands in it counts once, with the first one that comes."""
    one = good({"id": "p", "part": 1, "text": "x"}).fingerprint
    assert good({"id": "p", "part": 1, "text": "x", "last": False, "voice": "v"}).fingerprint == one
    for other in ({"part": 2}, {"text": "y"}, {"last": True}):
        assert good({"id": "p", "part": 1, "text": "x", **other}).fingerprint != one


@pytest.mark.parametrize(
    ("ttl_ms", "expiry_s", "expected_s"), [(None, None, None), (1500, None, 1.5), (None, 4, 4), (9000, 4, 4)]
)
def test_the_shorter_lifetime_counts(
    ttl_ms: int | None, expiry_s: int | None, expected_s: float | None
) -> None:
    """TTL and MQTT's Message Expiry are both limits."""
    assert lifetime_s(Request(text="a", ttl_ms=ttl_ms), expiry_s) == expected_s


def test_requests_are_frozen() -> None:
    """Nobody changes a request on its way."""
    with pytest.raises(ValidationError):
        Request(text="a").text = "b"  # type: ignore[misc]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.dictionaries(
    st.sampled_from(list(Request.model_fields)) | st.text(max_size=8), JSON_VALUES, max_size=6
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    payload=st.binary(max_size=60) | st.binary(max_size=60).map(lambda b: b"{" + b),
    priority=st.none() | st.text(),
)
def test_any_bytes_give_an_answer(payload: bytes, priority: str | None) -> None:
    """No exception, whatever arrives, and nothing that begins like JSON is taken as text."""
    parsed = parse_speak(priority, payload, max_text_chars=MAX_CHARS)
    if isinstance(parsed, Parsed):
        assert not (parsed.request.text or "").lstrip().startswith("{")


@settings(max_examples=300, derandomize=True, deadline=None)
@given(fields=FIELDS)
def test_any_json_object_gives_an_answer(fields: dict[str, Any]) -> None:
    """Any value in any field is a request or a refusal, and an accepted text is the one that was sent."""
    parsed = parse_speak(None, json.dumps(fields).encode("utf-8", "surrogatepass"), max_text_chars=MAX_CHARS)
    if isinstance(parsed, Parsed):
        assert parsed.request.text == fields.get("text")
