"""Announcement templates: typed slots, a text in each language, and how both become pieces."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import (
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from edged.errors import BadInputError
from edged.text.content import Clip, Piece, Reading, Silence, Words
from edged.text.sentence import Lang
from edged.text.slots import Currency, SlotType, Value, is_numbered, read_value
from edged.text.template_text import NAME, Fault, SlotMark, parse_text

LANGS: tuple[Lang, ...] = ("zh", "en")

_BETWEEN_LANGUAGES_MS = 600  # the ear changes over; the pause between sentences (350 ms) is too short for it

_LONGEST_LIST = 200  # characters of names in a result: enough to see a typing error


class TemplateError(BadInputError):
    """A request's template or one of its vars is wrong; `what` names it and says what was expected."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Slot(_Model):
    """What a var is, and the words around it in each language.

    They are said only where the var is given; around a `place` only if it is a number, not a name.
    """

    type: SlotType
    optional: bool = False
    currency: Currency = "CNY"
    default: str | None = None
    zh: str = "{}"
    en: str = "{}"

    @field_validator("default")
    @classmethod
    def _is_a_value(cls, default: str | None, info: ValidationInfo) -> str | None:
        if default is not None and {"type", "currency"} <= info.data.keys():
            read_value(default, info.data["type"], "zh", info.data["currency"])
        return default

    @field_validator("zh", "en")
    @classmethod
    def _is_around_the_value(cls, frame: str) -> str:
        before, mark, after = frame.partition("{}")
        if not mark or re.search("[{}]", before + after):
            raise ValueError(f"expected words around one {{}}, got {frame!r}")
        return frame

    @property
    def is_required(self) -> bool:
        """Whether a request must give it."""
        return not self.optional and self.default is None

    def read(self, value: Value | None, lang: Lang) -> str:
        """`value` as it is said, with the words around it. Raises ValueError that says what it takes.

        None and blanks are no value: forms send what nobody filled in as "".
        """
        if value is None or not str(value).strip():
            value = self.default
        if value is None:
            if self.is_required:
                raise ValueError("missing")
            return ""
        spoken = read_value(value, self.type, lang, self.currency)
        if self.type == "place" and not is_numbered(value):
            return spoken
        frame: str = getattr(self, lang)
        return frame.replace("{}", spoken)


class Template(_Model):
    """One announcement, made by `template_file`, which sees to it that texts and slots fit together.

    `auto` are the languages, in their order, that a request hears which asks for none; empty: all.
    """

    description: str = ""
    slots: dict[Annotated[str, StringConstraints(pattern=NAME)], Slot] = {}
    zh: str | None = None
    en: str | None = None
    auto: tuple[Lang, ...] = ()

    @field_validator("zh", "en")
    @classmethod
    def _is_a_text(cls, text: str | None) -> str | None:
        if text is not None and not text.strip():
            raise ValueError("expected a text")
        faults = [part.reason for part in parse_text(text or "") if isinstance(part, Fault)]
        if faults:
            raise ValueError("; ".join(faults))
        return text

    @property
    def langs(self) -> tuple[Lang, ...]:
        """The languages it has a text in."""
        return tuple(lang for lang in LANGS if getattr(self, lang) is not None)

    def expand(self, values: Mapping[str, Value], lang: Reading) -> tuple[Piece, ...]:
        """Its pieces. Raises ValueError with everything that is wrong with `values` or `lang`."""
        langs = (self.auto or self.langs) if lang == "auto" else (lang,)
        pieces: list[Piece] = []
        for one in langs:
            if one not in self.langs:
                raise ValueError(f"lang: there is no text in {one}, only in {', '.join(self.langs)}")
            pieces += [Silence(_BETWEEN_LANGUAGES_MS)] if pieces else []
            pieces += _pieces(getattr(self, one), self._spoken(values, one), one)
        if all(isinstance(piece, Silence) for piece in pieces):
            raise ValueError("nothing is left to say without its optional vars")
        return tuple(pieces)

    def _spoken(self, values: Mapping[str, Value], lang: Lang) -> dict[str, str]:
        spoken, problems = {}, []
        for name, slot in self.slots.items():
            try:
                spoken[name] = slot.read(values.get(name), lang)
            except ValueError as error:
                problems.append(f"vars.{name}: {error}")
        if problems:
            raise ValueError("; ".join(problems))
        return spoken


def _pieces(text: str, spoken: Mapping[str, str], lang: Lang) -> Iterator[Piece]:
    words = ""
    for part in parse_text(text):
        match part:
            case str():
                words += part
            case SlotMark(name=name):
                words += spoken[name]
            case Silence() | Clip():
                yield from _words(words, lang)
                yield part
                words = ""
    yield from _words(words, lang)


def _words(text: str, lang: Lang) -> Iterator[Piece]:
    if text.strip():
        yield Words(text.strip(), lang)


class Templates:
    """All templates of a device, by name."""

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._templates = dict(templates)

    @property
    def names(self) -> tuple[str, ...]:
        """What a request may name, sorted."""
        return tuple(sorted(self._templates))

    def find(self, name: str) -> Template:
        """The template of this name. Raises TemplateError where there is none."""
        if name not in self._templates:
            known = textwrap.shorten(", ".join(self.names), _LONGEST_LIST, placeholder=" …")
            raise TemplateError(f"template: {name!r} is not known; known: {known}")
        return self._templates[name]

    def expand(self, name: str, values: Mapping[str, Value], lang: Reading) -> tuple[Piece, ...]:
        """The pieces of one announcement. Raises TemplateError that names template, var and reason."""
        template = self.find(name)
        try:
            return template.expand(values, lang)
        except ValueError as error:
            raise TemplateError(f"template {name}: {error}") from error

    def unknown_vars(self, name: str, values: Mapping[str, Value]) -> tuple[str, ...]:
        """The vars that the template has no slot for, and which it leaves out. Raises as `find`."""
        slots = self.find(name).slots
        return tuple(var for var in values if var not in slots)
