"""docs/mqtt.md says what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from edged.protocol.command import VERBS, CommandReply
from edged.protocol.payload import Payload
from edged.protocol.request import Request
from edged.protocol.result import Code, Progress, Result, Status
from edged.protocol.state import (
    AnnouncedLimits,
    Health,
    Info,
    LastResult,
    MqttCounters,
    State,
    ThrottleCounters,
)

DOC = (Path(__file__).parents[2] / "docs" / "mqtt.md").read_text(encoding="utf-8")


def documented_fields() -> set[str]:
    """Names in the first column of the request table."""
    table = DOC.partition("| field | type, default | meaning |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.+?) \|", table, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_every_request_field_is_documented() -> None:
    """And none that does not exist."""
    assert documented_fields() == set(Request.model_fields)


def test_every_code_and_status_is_documented() -> None:
    """And none that does not exist."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", DOC, re.MULTILINE)
    table = {code: status for code, status in rows if status in set(Status)}
    assert set(table) == set(Code)


def test_every_command_is_documented() -> None:
    """And none that does not exist."""
    table = DOC[DOC.index("| verb | payload | does |") :].partition("\n\n")[0]
    first_cells = [row.split(" | ")[0] for row in table.splitlines()]
    assert {verb for cell in first_cells for verb in re.findall(r"`(\w+)`", cell)} == VERBS


@pytest.mark.parametrize("model", [Result, Progress, State, CommandReply])
def test_the_examples_are_real(model: type[Payload]) -> None:
    """Each record's example in the text is a valid one with all its fields."""
    examples = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)]
    assert any(set(example) == set(model.model_fields) for example in examples)
    for example in examples:
        if set(example) == set(model.model_fields):
            model.model_validate(example)


@pytest.mark.parametrize(
    "model", [Health, Info, MqttCounters, AnnouncedLimits, State, LastResult, ThrottleCounters]
)
def test_every_field_of_the_records_is_named(model: type[Payload]) -> None:
    """What is published is explained."""
    assert [name for name in model.model_fields if f"`{name}`" not in DOC] == []
