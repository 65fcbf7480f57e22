"""A speak request, whole and strictly typed, and how the bytes of a message become one."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, NoReturn

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from edged.protocol.result import Code

ID_PATTERN = r"^[A-Za-z0-9._:-]{1,64}$"
_CONTENT_FIELDS = ("text", "segments", "template")

_WEEK_MS = 7 * 24 * 3600 * 1000  # longer than any queue lives
_LONGEST_PAUSE_MS = 60_000  # a longer silence is two announcements
_LONGEST_ANNOUNCEMENT_MS = 3_600_000
# Of a request that is wrong everywhere: a result is a few lines, not an echo of 256 KiB.
_MOST_ERRORS_TOLD = 3
_MOST_UNKNOWN_TOLD = 10
_LONGEST_NAME_TOLD = 40


class Priority(StrEnum):
    """Who goes first. `rank` is higher for the more urgent."""

    EMERGENCY = "emergency"
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"
    BACKGROUND = "background"

    @property
    def rank(self) -> int:
        """4 for emergency down to 0 for background."""
        return _URGENT_FIRST[::-1].index(self)


_URGENT_FIRST = tuple(Priority)
# The scale of JMS, where 9 is the most urgent and 4 the default.
_BY_NUMBER = (
    *(Priority.BACKGROUND,) * 2,
    *(Priority.LOW,) * 2,
    *(Priority.NORMAL,) * 3,
    *(Priority.HIGH,) * 2,
    Priority.EMERGENCY,
)

_PriorityInput = Priority | Annotated[int, Field(ge=0, le=9)]


def _read_priority(value: object) -> Priority:
    if isinstance(value, str) and value in set(Priority):
        return Priority(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9:
        return _BY_NUMBER[value]
    raise ValueError(f"expected {', '.join(Priority)} or 0 to 9")


ShortText = Annotated[str, StringConstraints(min_length=1, max_length=256)]
PauseMs = Annotated[int, Field(ge=0, le=_LONGEST_PAUSE_MS)]


class _Part(BaseModel):
    # strict: "True" is no boolean and 1 is no text; unknown fields are warned of by the parser
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", allow_inf_nan=False)


class Segment(_Part):
    """One piece of an announcement: exactly one of its fields."""

    text: str | None = None
    clip: ShortText | None = None
    pause_ms: PauseMs | None = None
    spell: str | None = None
    digits: str | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Segment:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError("expected exactly one of text, clip, pause_ms, spell, digits")
        return self


class Options(_Part):
    """Settings of a generative engine, by the names of the model behind it; None: the model's own default."""

    speaker: ShortText | None = None
    language: ShortText | None = None
    dialect: ShortText | None = None
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] | None = None
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = None
    top_k: Annotated[int, Field(ge=0, le=100_000)] | None = None
    top_p: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    repetition_penalty: Annotated[float, Field(ge=0.5, le=5.0)] | None = None
    max_seconds: Annotated[float, Field(gt=0.0, le=_LONGEST_ANNOUNCEMENT_MS / 1000)] | None = None


class Request(_Part):
    """What a controller wants said and how; see docs/mqtt.md for each field."""

    id: Annotated[str, Field(pattern=ID_PATTERN)] | None = None

    text: str | None = None
    segments: tuple[Segment, ...] | None = None
    template: ShortText | None = None
    vars: dict[str, str | int | float] | None = None
    part: Annotated[int, Field(ge=0, le=100_000)] | None = None
    last: bool = False

    priority: Annotated[Priority, BeforeValidator(_read_priority, json_schema_input_type=_PriorityInput)] = (
        Priority.NORMAL
    )
    on_busy: Literal["queue", "interrupt", "replace_same_key", "drop"] = "queue"
    key: ShortText | None = None
    ttl_ms: Annotated[int, Field(ge=1, le=_WEEK_MS)] | None = None
    repeat: Annotated[int, Field(ge=1, le=10)] = 1
    repeat_gap_ms: PauseMs | None = None
    repeat_mode: Literal["each", "whole"] = "whole"

    lang: Literal["zh", "en", "auto"] = "auto"
    voice: ShortText | None = None
    speed: Annotated[float, Field(ge=0.5, le=2.0)] = 1.0
    instruct: Annotated[str, StringConstraints(max_length=1000)] | None = None
    options: Options | None = None

    volume: Annotated[int, Field(ge=0, le=100)] | None = None
    chime: ShortText | None = None
    chime_end: ShortText = "none"
    gap_ms: PauseMs | None = None
    lead_in_ms: PauseMs | None = None
    max_duration_ms: Annotated[int, Field(ge=1, le=_LONGEST_ANNOUNCEMENT_MS)] | None = None

    ack: Literal["none", "accepted", "finished"] = "finished"
    cache: Literal["use", "bypass", "pin"] = "use"
    output: ShortText | None = None

    @model_validator(mode="after")
    def _makes_sense(self) -> Request:
        if sum(getattr(self, name) is not None for name in _CONTENT_FIELDS) > 1:
            raise ValueError("text, segments, template: expected only one of them")
        for is_wrong, what in (
            (self.vars is not None and self.template is None, "vars: expected with template only"),
            (self.on_busy == "replace_same_key" and self.key is None, "key: expected with replace_same_key"),
            (self.part is not None and self.text is None, "part: expected with text"),
            (self.part is not None and self.id is None, "part: expected with id"),
            (self.part is None and self.last, "last: expected with part only"),
        ):
            if is_wrong:
                raise ValueError(what)
        return self

    @property
    def text_chars(self) -> int:
        """How much there is to read, in characters: text, segments and what goes into a template."""
        segments = (s.text or s.spell or s.digits or "" for s in self.segments or ())
        values = (self.vars or {}).values()
        return len(self.text or "") + sum(map(len, segments)) + sum(len(str(value)) for value in values)

    @property
    def is_empty(self) -> bool:
        """There is nothing to say. A part may be blank: the one before it or after it is not."""
        if self.part is not None or self.template is not None:
            return False
        if self.segments is not None:
            return not any(s.clip or (s.text or s.spell or s.digits or "").strip() for s in self.segments)
        return not (self.text or "").strip()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A good request. `fingerprint` tells two bodies with the same id apart, or two texts of one part."""

    request: Request
    warnings: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A bad one; `id` is its own where it has a good one."""

    code: Code
    reason: str
    id: str | None = None
    warnings: tuple[str, ...] = ()


class _RejectedError(Exception):
    def __init__(self, rejected: Rejected) -> None:
        super().__init__(rejected.reason)
        self.rejected = rejected


def parse_speak(
    topic_priority: str | None, payload: bytes, *, max_text_chars: int, retained: bool = False
) -> Parsed | Rejected:
    """A message on a speak topic as a request. Any bytes give one of the two, never an exception.

    `topic_priority` is the last level of `.../speak/<priority>` and wins over the field. A request
    without an id stays without one: the caller makes it.
    """
    try:
        body = _read_body(payload)
        if retained:
            _reject(Code.RETAINED, "a retained announcement would be repeated at every reconnect", body)
        request = _validate(body, topic_priority)
        warnings = tuple(_unknown_fields(body))
        _check_text(request, max_text_chars, warnings, body)
    except _RejectedError as error:
        return error.rejected
    return Parsed(request, warnings, _fingerprint(body, request))


def lifetime_s(request: Request, message_expiry_s: float | None) -> float | None:
    """How long from now on the request is worth speaking; None: for ever."""
    ttl_s = None if request.ttl_ms is None else request.ttl_ms / 1000
    return min((s for s in (ttl_s, message_expiry_s) if s is not None), default=None)


def read_json_object(payload: bytes) -> dict[str, Any] | str:
    """A payload as a JSON object if it begins like one, else as text.

    Unpaired surrogates become U+FFFD, a byte order mark is dropped. Raises UnicodeDecodeError for bytes
    that are not UTF-8 and ValueError for what begins with `{` and is no JSON object.
    """
    text = payload.decode("utf-8-sig")
    if not text.lstrip().startswith("{"):
        return text
    try:
        body: dict[str, Any] = json.loads(text, parse_constant=_refuse_constant)
        whole = json.dumps(body, ensure_ascii=False).encode("utf-16", "surrogatepass")
        body = json.loads(whole.decode("utf-16", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return body


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _reject(code: Code, reason: str, body: dict[str, Any], warnings: tuple[str, ...] = ()) -> NoReturn:
    own_id = body.get("id")
    has_good_id = isinstance(own_id, str) and re.fullmatch(ID_PATTERN, own_id)
    raise _RejectedError(Rejected(code, reason, own_id if has_good_id else None, warnings))


def _read_body(payload: bytes) -> dict[str, Any]:
    try:
        body = read_json_object(payload)
    except UnicodeDecodeError as error:
        _reject(Code.BAD_UTF8, f"byte {error.start} is not UTF-8", {})
    except ValueError as error:
        _reject(Code.BAD_JSON, f"begins with {{ but is no JSON object: {error}", {})
    return {"text": body} if isinstance(body, str) else body


def _validate(body: dict[str, Any], topic_priority: str | None) -> Request:
    try:
        request = Request.model_validate_json(_canonical(body))
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":
            _reject(Code.BAD_JSON, "nested too deeply", body)
        _reject(Code.BAD_FIELD, explain(error), body)
    if topic_priority is None:
        return request
    number = re.fullmatch("[0-9]", topic_priority)
    try:
        priority = _read_priority(int(topic_priority) if number else topic_priority)
    except ValueError as error:
        _reject(Code.BAD_FIELD, f"priority in the topic: {error}", body)
    return request.model_copy(update={"priority": priority})


def explain(error: ValidationError) -> str:
    """Which fields are wrong, what was expected and what came; at most three of them."""
    told = error.errors(include_url=False, include_context=False)[:_MOST_ERRORS_TOLD]
    return "; ".join(_explain_one(".".join(map(str, item["loc"])), item) for item in told)


def _explain_one(where: str, item: ErrorDetails) -> str:
    expected = item["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    return f"{where}: {expected}, got {_shorten(item['input'])}" if where else expected


def _shorten(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _unknown_fields(body: dict[str, Any]) -> list[str]:
    unknown = [name for name in body if name not in Request.model_fields]
    options = body.get("options") or {}
    unknown += [f"options.{name}" for name in options if name not in Options.model_fields]
    return [f"unknown_field: {name[:_LONGEST_NAME_TOLD]}" for name in unknown[:_MOST_UNKNOWN_TOLD]]


def _check_text(
    request: Request, max_text_chars: int, warnings: tuple[str, ...], body: dict[str, Any]
) -> None:
    if request.is_empty:
        _reject(Code.EMPTY, "nothing to say: give text, segments or template", body, warnings)
    if request.text_chars > max_text_chars:
        told = f"{request.text_chars} characters; this device takes {max_text_chars}"
        _reject(Code.TOO_LONG, told, body, warnings)


def _canonical(body: dict[str, Any]) -> bytes:
    return json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _fingerprint(body: dict[str, Any], request: Request) -> str:
    if request.part is not None:  # its other fields count once for the whole announcement
        body = {"part": request.part, "text": request.text, "last": request.last}
    return hashlib.sha256(_canonical(body)).hexdigest()
