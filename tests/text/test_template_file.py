"""What is wrong in a template file is said, all of it, at its key."""

from __future__ import annotations

from typing import Any

import pytest

from edged.text.problem import Problem
from edged.text.template_file import read_templates

MARKUP = "expected {SLOT}, {pause MS} up to 60000 or {clip FILE}"
TYPES = "expected 'digits', 'cardinal', 'money', 'time', 'spell', 'text' or 'place'"
NAME = "expected a name of letters, digits, _ and -, a letter first"
KEYS = "known here: description, slots, zh, en, auto"

GOOD = {"slots": {"n": {"type": "digits"}}, "zh": "{n}号"}


def problems_of(**body: Any) -> list[str]:
    """The problems of one template `t`, as `key: reason`."""
    found, problems = read_templates({"t": body})
    assert bool(found) != bool(problems)
    assert all(problem.where[0] == "t" for problem in problems)
    return [f"{'.'.join(problem.where[1:])}: {problem.reason}" for problem in problems]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"zh": "{n}{m}"}, "zh: {m} is not among the slots"),
        ({"zh": "号"}, "slots.n: used in no text"),
        ({"zh": "{n}号{"}, "zh: a brace without its partner in '号{'"),
        ({"zh": "{n}{pause 60001}"}, "zh: {pause 60001}: " + MARKUP),
        ({"zh": "{n}{clip ../a.wav}"}, "zh: {clip ../a.wav}: " + MARKUP),
        ({"zh": "{n}{}"}, "zh: {}: " + MARKUP),
        ({"en": " "}, "en: expected a text"),
        ({"auto": ["en"]}, "auto: there is no text in en"),
        ({"auto": ["fr"]}, "auto.0: expected 'zh' or 'en', got 'fr'"),
        ({"ZH": "好"}, f"ZH: unknown key; {KEYS}"),
        ({"slots": {"n": {"type": "number"}}}, f"slots.n.type: {TYPES}, got 'number'"),
        ({"slots": {"n": {}}}, "slots.n.type: missing"),
        (
            {"slots": {"n": {"type": "digits", "defualt": "1"}}},
            "slots.n.defualt: unknown key; did you mean `default`?",
        ),
        (
            {"slots": {"n": {"type": "money", "currency": "JPY"}}},
            "slots.n.currency: expected 'CNY', 'USD', 'HKD', 'EUR' or 'GBP', got 'JPY'",
        ),
        (
            {"slots": {"n": {"type": "time", "default": "845"}}},
            'slots.n.default: expected a time of day (14:05), got "845"',
        ),
        (
            {"slots": {"n": {"type": "digits", "zh": "第"}}},
            "slots.n.zh: expected words around one {}, got '第'",
        ),
        (
            {"slots": {"n": {"type": "digits", "zh": "{}{n}"}}},
            "slots.n.zh: expected words around one {}, got '{}{n}'",
        ),
        ({"slots": {"n": {"type": "digits"}, "1x": {"type": "text"}}, "zh": "{n}"}, f"slots.1x: {NAME}"),
    ],
)
def test_each_fault_is_named_at_its_key(wrong: dict[str, Any], problem: str) -> None:
    """The reason says what was expected there."""
    assert problem in problems_of(**GOOD | wrong)


def test_all_problems_come_at_once() -> None:
    """Nobody has to mend a file one message at a time."""
    slots = {"n": {"type": "number", "zh": "x"}, "unused": {"type": "text", "extra": "1"}}
    assert problems_of(slots=slots, zh="{n}{other}{", en="{pause x}", auto=["fr"], more="") == [
        "zh: {other} is not among the slots",
        "slots.unused: used in no text",
        f"slots.n.type: {TYPES}, got 'number'",
        "slots.n.zh: expected words around one {}, got 'x'",
        "slots.unused.extra: unknown key; known here: type, optional, currency, default, zh, en",
        "zh: a brace without its partner in '{'",
        "en: {pause x}: " + MARKUP,
        "auto.0: expected 'zh' or 'en', got 'fr'",
        f"more: unknown key; {KEYS}",
    ]


def test_a_bad_template_leaves_the_others() -> None:
    """They are announced as before."""
    found, problems = read_templates({"good": GOOD, "bad": {"zh": "{n}"}, "也好": GOOD, "text": "hello"})
    assert set(found) == {"good"}
    assert {problem.where[0] for problem in problems} == {"bad", "也好", "text"}


@pytest.mark.parametrize("document", [[], "text", None])
def test_a_file_is_a_mapping(document: object) -> None:
    """Anything else has one problem, at no key."""
    assert read_templates(document) == ({}, [Problem((), "expected templates by their names")])


@pytest.mark.parametrize("body", [[], "text", None, {"slots": []}, {"slots": "", "zh": [], "auto": "zh"}])
def test_nothing_raises(body: object) -> None:
    """Whatever stands where a template belongs is a problem of it."""
    found, problems = read_templates({"t": body})
    assert not found
    assert problems
