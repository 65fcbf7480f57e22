"""The common form of everything edged publishes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Payload(BaseModel):
    """A frozen record published as one JSON object."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def encode(self) -> bytes:
        """As published: UTF-8 JSON."""
        return self.model_dump_json().encode()
