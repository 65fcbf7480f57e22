"""A parsed template file -> the templates that are good, and what is wrong with the others."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from edged.text.problem import Problem
from edged.text.template_text import NAME, SlotMark, parse_text
from edged.text.templates import LANGS, Slot, Template

_EXPECTED_NAME = "expected a name of letters, digits, _ and -, a letter first"


def read_templates(document: Any) -> tuple[dict[str, Template], list[Problem]]:
    """`document` maps names to templates. Returns the good ones, and every problem of the others."""
    if not isinstance(document, dict):
        return {}, [Problem((), "expected templates by their names")]
    templates: dict[str, Template] = {}
    problems: list[Problem] = []
    for name, body in document.items():
        wrong = list(_misfits(name, body))
        try:
            template = Template.model_validate(body)
        except ValidationError as error:
            wrong += [_problem(name, item) for item in error.errors(include_url=False)]
        if wrong:
            problems += wrong
        else:
            templates[name] = template
    return templates, problems


def _problem(name: str, item: ErrorDetails) -> Problem:
    where = tuple(str(key) for key in item["loc"] if key != "[key]")
    if item["type"] == "extra_forbidden":
        known = Slot.model_fields if where[:-1] else Template.model_fields
        close = difflib.get_close_matches(where[-1], known, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"known here: {', '.join(known)}"
        return Problem((name, *where), f"unknown key; {hint}")
    if item["type"] == "value_error":
        return Problem((name, *where), item["msg"].removeprefix("Value error, "))
    if item["type"] == "missing":
        return Problem((name, *where), "missing")
    if item["type"] == "string_pattern_mismatch":
        return Problem((name, *where), _EXPECTED_NAME)
    expected = item["msg"].replace("Input should be", "expected")
    return Problem((name, *where), f"{expected}, got {item['input']!r:.60}")


def _misfits(name: str, body: Any) -> Iterator[Problem]:
    """What no key shows on its own: seen in the file itself, so that other problems do not hide it."""
    if not re.fullmatch(NAME, name):
        yield Problem((name,), _EXPECTED_NAME)
    if not isinstance(body, dict):
        return
    texts = {lang: body[lang] for lang in LANGS if isinstance(body.get(lang), str)}
    if not texts:
        yield Problem((name,), "expected a text: zh, en or both")
    marks = {lang: _marks(text) for lang, text in texts.items()}
    slots = set(body["slots"]) if isinstance(body.get("slots"), dict) else set()
    for lang, used in marks.items():
        for slot in sorted(used - slots):
            yield Problem((name, lang), f"{{{slot}}} is not among the slots")
    for slot in sorted(slots.difference(*marks.values())):
        yield Problem((name, "slots", slot), "used in no text")
    asked = body["auto"] if isinstance(body.get("auto"), list) else []
    for lang in (lang for lang in LANGS if lang in asked and lang not in texts):
        yield Problem((name, "auto"), f"there is no text in {lang}")


def _marks(text: str) -> set[str]:
    return {part.name for part in parse_text(text) if isinstance(part, SlotMark)}
