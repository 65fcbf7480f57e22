"""The protocol's records as JSON Schema 2020-12, made from the models that read and write them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from edged.protocol.command import CommandReply
from edged.protocol.payload import Payload
from edged.protocol.request import Request
from edged.protocol.result import Progress, Result
from edged.protocol.state import Health, Info, State

_PUBLISHED: dict[str, type[Payload]] = {
    "result": Result,
    "progress": Progress,
    "command_reply": CommandReply,
    "state": State,
    "health": Health,
    "info": Info,
}
NAMES = ("request", *_PUBLISHED)


def schema(name: str) -> dict[str, Any]:
    """The schema of one of NAMES. Raises KeyError for others.

    A request may have further fields (they are warned of), and further fields may join the records that
    edged publishes; of those every field named here is always there.
    """
    if name == "request":
        request = _generate(Request, "validation")
        request["$defs"]["Segment"]["oneOf"] = [
            _given(field) for field in request["$defs"]["Segment"]["properties"]
        ]
        return request | _BETWEEN_FIELDS
    return _generate(_PUBLISHED[name], "serialization")


class _Generator(GenerateJsonSchema):
    """Without titles that only repeat a name; what is published has every field."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - pydantic's signature
        return False

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        return self.mode == "serialization" or super().field_is_required(field, total)


def _generate(model: type[BaseModel], mode: JsonSchemaMode) -> dict[str, Any]:
    made = model.model_json_schema(mode=mode, schema_generator=_Generator)
    return {"$schema": GenerateJsonSchema.schema_dialect, **_open(made)}


def _open(part: Any) -> Any:
    """Objects that refuse fields they do not know would break with the next version of edged."""
    if isinstance(part, list):
        return [_open(item) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _open(value) for key, value in part.items() if (key, value) != ("additionalProperties", False)
    }


def _given(*names: str) -> dict[str, Any]:
    """All of these are there; null counts as absent."""
    return {"required": list(names), "properties": {name: {"not": {"type": "null"}} for name in names}}


def _set(name: str, value: object) -> dict[str, Any]:
    return {"required": [name], "properties": {name: {"const": value}}}


# What Request checks between its fields, and that there is something to say.
_BETWEEN_FIELDS: dict[str, Any] = {
    "oneOf": [_given("text"), _given("segments"), _given("template")],
    "allOf": [
        {"if": _given("vars"), "then": _given("template")},
        {"if": _set("on_busy", "replace_same_key"), "then": _given("key")},
        {"if": _given("part"), "then": _given("text", "id")},
        {"if": _set("last", True), "then": _given("part")},
    ],
}
