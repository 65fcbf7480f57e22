"""docs/schema says what the models do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from edged.protocol.command import CommandReply
from edged.protocol.payload import Payload
from edged.protocol.request import Request
from edged.protocol.result import Code, Progress, Result, Stage, Status
from edged.protocol.schema import NAMES, schema
from edged.protocol.state import AnnouncedLimits, DeviceState, Health, Info, LastResult, MqttCounters, State

DOCS = Path(__file__).parents[2] / "docs"
REQUEST = Draft202012Validator(schema("request"))

# Per field, values that are right and values that are not; floats are never whole numbers, which JSON
# Schema takes for integers and the device does not.
POOL: dict[str, tuple[object, ...]] = {
    "id": ("a-1", "", "x y", "x" * 65, 3, None),
    "text": ("hello", "", 3, None),
    "segments": (
        [],
        [{"text": "a"}, {"pause_ms": 0}],
        [{"clip": "a.wav", "text": None}],
        [{}],
        [{"spell": "a", "digits": "1"}],
        [{"pause_ms": 60001}],
        [{"pause_ms": True}],
        [{"text": "a", "other": 1}],
        "text",
        None,
    ),
    "template": ("ticket_call", "", 1, None),
    "vars": ({}, {"a": 1, "b": "x", "c": 1.5}, {"a": None}, {"a": True}, {"a": []}, [], None),
    "part": (0, -1, 1.5, "1", None),
    "last": (True, False, "true", None),
    "priority": ("high", "HIGH", 0, 9, 10, -1, True, 1.5, None),
    "on_busy": ("queue", "replace_same_key", "wait", None),
    "key": ("k", "", "k" * 257, 1, None),
    "ttl_ms": (1, 0, 10**12, 1.5, None),
    "repeat": (1, 0, 11, None),
    "repeat_gap_ms": (0, -1, None),
    "repeat_mode": ("each", "all"),
    "lang": ("zh", "fr", None),
    "speed": (1, 0.5, 2.1, "1", True),
    "volume": (0, 101, None),
    "options": ({}, {"seed": -1}, {"temperature": 0.7, "other": 1}, {"top_p": 0}, [], None),
    "ack": ("none", "all"),
    "another": (1, None),
}
# Right values of the fields that need or exclude each other.
TOGETHER: dict[str, tuple[object, ...]] = {
    "id": ("a-1", None),
    "text": ("hello", None),
    "segments": ([{"text": "a"}], None),
    "template": ("ticket_call", None),
    "vars": ({"a": 1}, None),
    "part": (0, None),
    "last": (True, False),
    "on_busy": ("queue", "replace_same_key"),
    "key": ("k", None),
}
BODIES = st.fixed_dictionaries({}, optional={name: st.sampled_from(some) for name, some in TOGETHER.items()})


def is_request(body: dict[str, Any]) -> bool:
    """Whether the device would take it, and there is something to say."""
    try:
        Request.model_validate_json(json.dumps(body))
    except ValidationError:
        return False
    return any(body.get(name) is not None for name in ("text", "segments", "template"))


@pytest.mark.parametrize("name", NAMES)
def test_the_published_schemas_are_current(name: str) -> None:
    """If not: edged schema --write docs/schema."""
    published = json.loads((DOCS / "schema" / f"{name}.json").read_text(encoding="utf-8"))
    assert published == schema(name)
    Draft202012Validator.check_schema(published)


def test_nothing_else_is_published() -> None:
    """A schema that no model stands behind would stay wrong for ever."""
    assert {path.stem for path in (DOCS / "schema").iterdir()} == set(NAMES)


@pytest.mark.parametrize("field", sorted(POOL))
def test_the_schema_takes_the_values_that_the_device_takes(field: str) -> None:
    """Each field on its own, beside a text."""
    for value in POOL[field]:
        body = {"text": "hello", field: value}
        assert REQUEST.is_valid(body) == is_request(body), body


@given(BODIES)
def test_the_schema_takes_the_requests_that_the_device_takes(body: dict[str, Any]) -> None:
    """Whichever fields come together."""
    assert REQUEST.is_valid(body) == is_request(body)


@pytest.mark.parametrize(
    ("body", "is_right"),
    [
        ({"text": "a", "on_busy": "replace_same_key"}, False),
        ({"text": "a", "on_busy": "replace_same_key", "key": "k"}, True),
        ({"text": "a", "part": 0}, False),
        ({"text": "a", "part": 0, "id": "x"}, True),
        ({"template": "t", "part": 0, "id": "x"}, False),
        ({"text": "a", "last": True}, False),
        ({"text": "a", "vars": {}}, False),
        ({"template": "t", "vars": {}}, True),
        ({"text": "a", "template": "t"}, False),
        ({"text": "a", "template": None}, True),
        ({}, False),
        ({"priority": 10, "text": "a"}, False),
        ({"priority": 9, "text": "a", "unknown": 1}, True),
    ],
)
def test_fields_need_and_exclude_each_other(body: dict[str, Any], is_right: bool) -> None:
    """As docs/mqtt.md says."""
    assert REQUEST.is_valid(body) == is_right


RECORDS: dict[str, Payload] = {
    "result": Result(id="a", status=Status.REJECTED, code=Code.BUSY, warnings=("x",), device="d", ts=1.5),
    "progress": Progress(id="a", stage=Stage.PAUSED, device="d", ts=1.5),
    "command_reply": CommandReply(verb="voices", data={"voices": []}, device="d", ts=1.5),
    "state": State(
        state=DeviceState.ONLINE,
        version="1",
        last=LastResult(id="a", status=Status.FINISHED, code=None, ts=1.5),
    ),
    "health": Health(
        ts=1.5,
        load=0.1,
        rss_mb={"main": 1.0},
        temperature_c=None,
        thermal="hot",
        queue=0,
        rtf=None,
        xruns=0,
        mqtt=MqttCounters(),
    ),
    "info": Info(
        version="1",
        device="d",
        limits=AnnouncedLimits(max_text_chars=1, max_waiting=1, max_packet_bytes=1),
    ),
}


@pytest.mark.parametrize("name", NAMES[1:])
def test_what_is_published_has_every_field_and_may_get_more(name: str) -> None:
    """A reader may rely on all fields, and must not break at the next version's."""
    record = json.loads(RECORDS[name].encode())
    validator = Draft202012Validator(schema(name))
    assert validator.is_valid(record | {"new": 1})
    for field in record:
        assert not validator.is_valid({key: value for key, value in record.items() if key != field})


def documented() -> list[Any]:
    """Every JSON example of docs/mqtt.md."""
    text = (DOCS / "mqtt.md").read_text(encoding="utf-8")
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]


def test_the_examples_of_the_documentation_are_valid() -> None:
    """Each of them is one of the records."""
    validators = [Draft202012Validator(schema(name)) for name in NAMES]
    assert documented()
    for example in documented():
        assert any(validator.is_valid(example) for validator in validators), example
