"""What arrives on `.../cmd/<verb>`, and what is answered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from edged.protocol.payload import Payload
from edged.protocol.request import (
    ID_PATTERN,
    Rejected,
    Request,
    ShortText,
    parse_speak,
    read_json_object,
)
from edged.protocol.result import Code


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the request `id`, or everything (`everything`), or what is being spoken (neither)."""

    id: str | None = None
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Take back the announcement `id`, or all of this `key`, spoken or waiting; exactly one is given."""

    id: str | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        if (self.id is None) == (self.key is None):
            raise ValueError("expected either id or key")


@dataclass(frozen=True, slots=True)
class Skip:
    """On to the next announcement, also when speech is paused."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Fall silent and keep everything, until Resume."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on after Pause."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Say once more the last announcement that was heard to its end, or this one."""

    id: str | None = None


@dataclass(frozen=True, slots=True)
class SetVolume:
    """The device's volume from now on, 0 to 100, perceptual."""

    percent: int


@dataclass(frozen=True, slots=True)
class SetMuted:
    """Muted, only an emergency is spoken."""

    is_muted: bool


@dataclass(frozen=True, slots=True)
class Test:
    """Say a test sentence."""


@dataclass(frozen=True, slots=True)
class Voices:
    """Which voices there are; with `voice`, this one speaks its languages from now on."""

    voice: str | None = None


@dataclass(frozen=True, slots=True)
class Reload:
    """Read the configuration again."""


@dataclass(frozen=True, slots=True)
class Doctor:
    """Examine the board."""


@dataclass(frozen=True, slots=True)
class Preload:
    """Synthesise the words of a request, to be kept and not to be heard."""

    request: Request
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotActive:
    """A verb of the protocol whose feature is not built."""

    verb: Literal["update"]


Command = (
    Stop
    | Cancel
    | Skip
    | Pause
    | Resume
    | Replay
    | SetVolume
    | SetMuted
    | Test
    | Voices
    | Reload
    | Doctor
    | Preload
    | NotActive
)


class CommandReply(Payload):
    """The answer to a command, on `.../event` and on its Response Topic; `data` is the verb's own."""

    verb: str
    status: Literal["ok", "rejected", "failed"] = "ok"
    code: Code | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    data: dict[str, Any] | None = None
    device: str
    ts: float


class _Fields(BaseModel):
    """What a command's object may hold; each verb looks at its own."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    scope: Literal["current", "all"] = "current"
    id: Annotated[str, Field(pattern=ID_PATTERN)] | None = None
    key: ShortText | None = None
    volume: Annotated[int, Field(ge=0, le=100)] | None = None
    muted: bool | None = None
    voice: ShortText | None = None


@dataclass(frozen=True, slots=True)
class _Verb:
    """How a verb is read. A bare word stands for the field `word`; None: it means nothing, as a button's."""

    make: Callable[[_Fields], Command]
    expected: str = "an object"
    word: str | None = None


def _make_stop(fields: _Fields) -> Stop:
    return Stop(id=fields.id, everything=fields.scope == "all" and fields.id is None)


def _make_volume(fields: _Fields) -> SetVolume:
    if fields.volume is None:
        raise ValueError("no volume")
    return SetVolume(fields.volume)


def _make_mute(fields: _Fields) -> SetMuted:
    if fields.muted is None:
        raise ValueError("neither muted nor not")
    return SetMuted(fields.muted)


_VERBS = {
    "stop": _Verb(
        _make_stop, 'all, current, {"scope": "all"}, {"scope": "current"} or {"id": "..."}', "scope"
    ),
    "cancel": _Verb(lambda f: Cancel(f.id, f.key), 'an id, {"id": "..."} or {"key": "..."}', "id"),
    "skip": _Verb(lambda _: Skip()),
    "pause": _Verb(lambda _: Pause()),
    "resume": _Verb(lambda _: Resume()),
    "replay": _Verb(lambda f: Replay(f.id), 'nothing, an id or {"id": "..."}', "id"),
    "volume": _Verb(_make_volume, '0 to 100 or {"volume": 0 to 100}', "volume"),
    "mute": _Verb(_make_mute, 'true, false, on, off or {"muted": true or false}', "muted"),
    "test": _Verb(lambda _: Test()),
    "voices": _Verb(lambda f: Voices(f.voice), 'nothing, the name of a voice or {"voice": "..."}', "voice"),
    "reload": _Verb(lambda _: Reload()),
    "doctor": _Verb(lambda _: Doctor()),
    "update": _Verb(lambda _: NotActive("update")),
}
_PRELOAD = "preload"
VERBS = frozenset({*_VERBS, _PRELOAD})

_SWITCH = {"true": True, "on": True, "false": False, "off": False}
_LONGEST_VERB_TOLD = 40
_LONGEST_PRELOAD = 20_000  # characters; the largest that speech.max_text_chars can be


def parse_command(verb: str, payload: bytes, *, retained: bool = False) -> Command | Rejected:
    """A message on `.../cmd/<verb>`: a JSON object, a bare word or number, or nothing.

    Any bytes give one of the two, never an exception.
    """
    if retained:
        return Rejected(Code.RETAINED, "a retained command would be obeyed at every reconnect")
    if verb == _PRELOAD:
        return _read_preload(payload)
    known = _VERBS.get(verb)
    if known is None:
        expected = ", ".join((*_VERBS, _PRELOAD))
        return Rejected(Code.BAD_FIELD, f"no command {verb[:_LONGEST_VERB_TOLD]!r}: expected {expected}")
    try:
        body = read_json_object(payload)
    except UnicodeDecodeError as error:
        return Rejected(Code.BAD_UTF8, f"byte {error.start} is not UTF-8")
    except ValueError as error:
        return Rejected(Code.BAD_JSON, f"begins with {{ but is no JSON object: {error}")
    try:
        fields = _read_word(known.word, body.strip()) if isinstance(body, str) else body
        return known.make(_Fields.model_validate(fields))
    except ValueError:
        return Rejected(Code.BAD_FIELD, f"{verb}: expected {known.expected}")


def _read_preload(payload: bytes) -> Preload | Rejected:
    """A request as on a speak topic; its id and how it would be heard do not matter."""
    parsed = parse_speak(None, payload, max_text_chars=_LONGEST_PRELOAD)
    if isinstance(parsed, Rejected):
        return parsed
    if parsed.request.part is not None:
        return Rejected(Code.BAD_FIELD, "preload: expected a whole text, not a part")
    return Preload(parsed.request, parsed.warnings)


def _read_word(field: str | None, word: str) -> dict[str, object]:
    if field is None or not word:
        return {}
    if field == "volume" and re.fullmatch("[0-9]{1,3}", word):
        return {field: int(word)}
    if field == "muted":
        return {field: _SWITCH.get(word.lower(), word)}
    return {field: word}
