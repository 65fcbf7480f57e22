"""What an announcement consists of, in the order it is heard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

Reading = Literal["zh", "en", "auto"]


@dataclass(frozen=True, slots=True)
class Words:
    """Text to be read: as it stands (`plain`), letter by letter (`spell`) or digit by digit (`digits`)."""

    text: str
    lang: Reading = "auto"
    how: Literal["plain", "spell", "digits"] = "plain"
    kind: Literal["words"] = "words"


@dataclass(frozen=True, slots=True)
class Clip:
    """A recording of the clip folder, by its file name."""

    name: str
    kind: Literal["clip"] = "clip"


@dataclass(frozen=True, slots=True)
class Silence:
    """A pause."""

    ms: int
    kind: Literal["silence"] = "silence"


Piece = Annotated[Words | Clip | Silence, Field(discriminator="kind")]
