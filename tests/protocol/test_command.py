"""Commands: every payload on `.../cmd/<verb>` becomes a command or a refusal that says what was expected."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edged.protocol.command import (
    VERBS,
    Cancel,
    Command,
    Doctor,
    NotActive,
    Pause,
    Preload,
    Reload,
    Replay,
    Resume,
    SetMuted,
    SetVolume,
    Skip,
    Stop,
    Voices,
    parse_command,
)
from edged.protocol.command import Test as SayTest
from edged.protocol.request import Rejected, Request
from edged.protocol.result import Code


@pytest.mark.parametrize(
    ("verb", "payload", "command"),
    [
        ("stop", "", Stop()),
        ("stop", "{}", Stop()),
        ("stop", "current", Stop()),
        ("stop", '{"scope":"current"}', Stop()),
        ("stop", " all\n", Stop(everything=True)),
        ("stop", '{"scope":"all"}', Stop(everything=True)),
        ("stop", '{"id":"t-1"}', Stop(id="t-1")),
        ("stop", '{"id":"t-1","scope":"all"}', Stop(id="t-1")),
        ("cancel", "t-1", Cancel(id="t-1")),
        ("cancel", '{"id":"t-1"}', Cancel(id="t-1")),
        ("cancel", '{"key":"counter 3"}', Cancel(key="counter 3")),
        ("skip", "", Skip()),
        ("skip", "PRESS", Skip()),
        ("pause", "", Pause()),
        ("resume", "{}", Resume()),
        ("replay", "", Replay()),
        ("replay", "t-1", Replay(id="t-1")),
        ("replay", '{"id":"t-1"}', Replay(id="t-1")),
        ("volume", "0", SetVolume(0)),
        ("volume", " 100 ", SetVolume(100)),
        ("volume", '{"volume":40}', SetVolume(40)),
        ("mute", "true", SetMuted(True)),
        ("mute", "OFF", SetMuted(False)),
        ("mute", '{"muted":true}', SetMuted(True)),
        ("test", "", SayTest()),
        ("voices", "", Voices()),
        ("voices", "zf_xiaobei", Voices("zf_xiaobei")),
        ("voices", '{"voice":"af_heart"}', Voices("af_heart")),
        ("reload", "", Reload()),
        ("doctor", "", Doctor()),
        ("preload", "您好", Preload(Request(text="您好"))),
        ("preload", '{"text":"hi","cache":"pin"}', Preload(Request(text="hi", cache="pin"))),
        ("preload", '{"text":"hi","colour":1}', Preload(Request(text="hi"), ("unknown_field: colour",))),
        ("update", '{"version":"2.0"}', NotActive("update")),
    ],
)
def test_what_is_asked_for(verb: str, payload: str, command: Command) -> None:
    """A bare word or number, an object, or nothing; what a verb has no use for is left alone."""
    assert parse_command(verb, payload.encode()) == command


@pytest.mark.parametrize(
    ("verb", "payload", "expected"),
    [
        ("stop", "everything", "all, current"),
        ("stop", '{"scope":"every"}', '{"scope": "all"}'),
        ("stop", '{"id":7}', '{"id": "..."}'),
        ("cancel", "", "an id"),
        ("cancel", "two words", "an id"),
        ("cancel", '{"id":"a","key":"b"}', '{"key": "..."}'),
        ("cancel", '{"key":""}', '{"key": "..."}'),
        ("replay", '{"id":null,"key":7}', "an id"),
        ("volume", "", "0 to 100"),
        ("volume", "loud", "0 to 100"),
        ("volume", "-1", "0 to 100"),
        ("volume", "101", "0 to 100"),
        ("volume", "9" * 5000, "0 to 100"),
        ("volume", "NaN", "0 to 100"),
        ("volume", "٣", "0 to 100"),
        ("volume", "55.5", "0 to 100"),
        ("volume", "[40]", "0 to 100"),
        ("volume", '{"volume":"40"}', "0 to 100"),
        ("volume", '{"volume":true}', "0 to 100"),
        ("volume", '{"volume":1e999}', "0 to 100"),
        ("volume", '{"volume":-5}', "0 to 100"),
        ("volume", '{"volume":' + "9" * 400 + "}", "0 to 100"),
        ("mute", "", "true, false, on, off"),
        ("mute", "1", "true, false, on, off"),
        ("mute", '{"muted":"true"}', "true or false"),
        ("mute", '{"muted":1}', "true or false"),
        ("voices", '{"voice":7}', "name of a voice"),
        ("voices", "x" * 300, "name of a voice"),
        ("preload", '{"id":"a","part":0,"text":"hi"}', "a whole text"),
        ("preload", '{"text":1}', "string"),
        ("sing", "", "stop, cancel, skip"),
        ("", "", "stop, cancel, skip"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_was_expected(
    verb: str, payload: str, expected: str
) -> None:
    """A broken command is refused, never taken for something near it, and the answer stays short."""
    rejected = parse_command(verb, payload.encode())
    assert isinstance(rejected, Rejected)
    assert rejected.code is Code.BAD_FIELD
    assert expected in rejected.reason
    assert len(rejected.reason) < 300


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b'{"scope":"al', Code.BAD_JSON),
        (b'{"volume":NaN}', Code.BAD_JSON),
        (b'{"volume":' + b"[" * 200_000, Code.BAD_JSON),
        (b"\xff", Code.BAD_UTF8),
    ],
    ids=["cut", "NaN", "deep", "utf-8"],
)
@pytest.mark.parametrize("verb", sorted(VERBS))
def test_broken_payloads_are_refused_for_every_verb(verb: str, payload: bytes, code: Code) -> None:
    """Also for those that need no payload: who sends one means something by it."""
    rejected = parse_command(verb, payload)
    assert isinstance(rejected, Rejected)
    assert rejected.code is code


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_retained_commands_are_refused(verb: str) -> None:
    """They would be obeyed at every reconnect."""
    rejected = parse_command(verb, b"", retained=True)
    assert isinstance(rejected, Rejected)
    assert rejected.code is Code.RETAINED


def test_a_cancel_means_one_thing() -> None:
    """Neither nothing nor two things."""
    for wrong in ({}, {"id": "a", "key": "b"}):
        with pytest.raises(ValueError, match="either id or key"):
            Cancel(**wrong)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    verb=st.sampled_from(sorted(VERBS)) | st.text(),
    payload=st.binary(max_size=60) | st.binary(max_size=60).map(lambda tail: b"{" + tail),
)
def test_any_bytes_give_an_answer(verb: str, payload: bytes) -> None:
    """A command or a refusal, never an exception."""
    assert isinstance(parse_command(verb, payload), Command | Rejected)
