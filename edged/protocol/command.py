"""What arrives on `.../cmd/<verb>`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edged.protocol.request import ID_PATTERN, Rejected, read_json_object
from edged.protocol.result import Code


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the request `id`, or everything (`everything`), or what is being spoken (neither)."""

    id: str | None = None
    everything: bool = False


class _StopBody(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    scope: Literal["current", "all"] = "current"
    id: Annotated[str, Field(pattern=ID_PATTERN)] | None = None


def parse_stop(payload: bytes, *, retained: bool = False) -> Stop | Rejected:
    """A message on `.../cmd/stop`: a JSON object, the bare word `all` or `current`, or nothing (current)."""
    if retained:
        return Rejected(Code.RETAINED, "a retained command would be obeyed at every reconnect")
    try:
        body = read_json_object(payload)
        wanted = _StopBody.model_validate(
            {"scope": body.strip() or "current"} if isinstance(body, str) else body
        )
    except UnicodeDecodeError as error:
        return Rejected(Code.BAD_UTF8, f"byte {error.start} is not UTF-8")
    except ValidationError:
        return Rejected(
            Code.BAD_FIELD, 'stop: expected {"scope": "all"}, {"scope": "current"} or {"id": "..."}'
        )
    except ValueError as error:
        return Rejected(Code.BAD_JSON, f"begins with {{ but is no JSON object: {error}")
    return Stop(id=wanted.id, everything=wanted.scope == "all" and wanted.id is None)
