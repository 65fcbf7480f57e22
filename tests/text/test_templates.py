"""Templates: what is heard of them, and what is said of wrong vars."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edged.io.templates import read_template_file
from edged.text.content import Clip, Piece, Reading, Silence, Words
from edged.text.reading import read_words
from edged.text.template_file import read_templates
from edged.text.templates import TemplateError, Templates

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "templates"
FILES = (
    ROOT / "edged" / "text" / "templates.yaml",
    ROOT / "config" / "templates" / "example.yaml",
    GOLDEN / "slots.yaml",
)
CASES = [
    pytest.param(json.loads(line), id=f"{file.stem}:{number}")
    for file in sorted(GOLDEN.glob("*.jsonl"))
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
]


@pytest.fixture(scope="module")
def templates() -> Templates:
    """The built-in templates, the example and those of the golden cases."""
    return Templates({name: one for file in FILES for name, one in read_template_file(file)[0].items()})


def made(**bodies: dict[str, Any]) -> Templates:
    """Templates of these bodies, which must be good."""
    found, problems = read_templates(bodies)
    assert not problems
    return Templates(found)


def heard(pieces: tuple[Piece, ...]) -> list[str]:
    """Sentences in spoken form; clips and pauses as they are written in a template."""
    lines: list[str] = []
    for piece in pieces:
        match piece:
            case Words():
                lines += [sentence.spoken for sentence in read_words(piece).sentences]
            case Silence(ms=ms):
                lines.append(f"{{pause {ms}}}")
            case Clip(name=name):
                lines.append(f"{{clip {name}}}")
    return lines


@pytest.mark.parametrize("case", CASES)
def test_a_template_is_heard_as_written_down(case: dict[str, Any], templates: Templates) -> None:
    """Each golden request gives exactly its sentences, clips and pauses, or its reason."""
    if "error" not in case:
        assert heard(templates.expand(case["template"], case["vars"], case["lang"])) == case["heard"]
        return
    with pytest.raises(TemplateError) as error:
        templates.expand(case["template"], case["vars"], case["lang"])
    assert error.value.what == case["error"]
    assert error.value.code == "bad_field"


def test_there_are_cases_for_every_type_of_slot(templates: Templates) -> None:
    """The data files are found: an empty folder must not pass as success."""
    assert len(CASES) >= 150
    named = {case.values[0]["template"] for case in CASES}  # type: ignore[index]
    assert set(templates.names) <= named


VALUES = st.text(max_size=30) | st.integers() | st.floats()


@given(st.data(), st.sampled_from(("zh", "en", "auto")))
def test_no_value_whatsoever_raises_anything_else(data: st.DataObject, lang: Reading) -> None:
    """Any text or number in any slot is heard, or is a TemplateError that names its var."""
    found, _ = read_template_file(GOLDEN / "slots.yaml")
    name = data.draw(st.sampled_from(sorted(found)))
    outcome = told(Templates(found), name, data.draw(VALUES), lang)
    assert outcome == "heard" or outcome.startswith(f"template {name}: vars.v: ")


def told(templates: Templates, name: str, value: Any, lang: Reading) -> str:
    """What comes of this value in the one slot of a template: "heard", "silent" or the reason."""
    try:
        return "heard" if heard(templates.expand(name, {"v": value}, lang)) else "silent"
    except TemplateError as error:
        return error.what


def test_a_request_for_no_language_hears_what_the_template_says() -> None:
    """`auto` names languages and their order; without it all are heard; the request's own wins."""
    pair = {"zh": "好", "en": "good"}
    templates = made(both=pair, english={**pair, "auto": ["en"]}, turned={**pair, "auto": ["en", "zh"]})
    assert heard(templates.expand("both", {}, "auto")) == ["好", "{pause 600}", "good"]
    assert heard(templates.expand("english", {}, "auto")) == ["good"]
    assert heard(templates.expand("turned", {}, "auto")) == ["good", "{pause 600}", "好"]
    assert heard(templates.expand("english", {}, "zh")) == ["好"]


def test_a_language_without_a_text_is_refused() -> None:
    """Nobody hears Chinese who asked for English."""
    with pytest.raises(TemplateError, match=r"^template t: lang: there is no text in en, only in zh$"):
        made(t={"zh": "好"}).expand("t", {}, "en")


def test_words_around_nothing_are_nothing() -> None:
    """An announcement of which nothing is left is refused, not finished in silence."""
    templates = made(t={"slots": {"who": {"type": "text", "optional": "true"}}, "zh": "{pause 10}{who}"})
    with pytest.raises(TemplateError, match="nothing is left to say"):
        templates.expand("t", {}, "zh")


def test_a_value_is_never_markup() -> None:
    """What a kiosk's user types cannot play clips or reach other slots."""
    templates = made(t={"slots": {"a": {"type": "text"}, "b": {"type": "text"}}, "en": "{a} and {b}"})
    pieces = templates.expand("t", {"a": "{b} {clip x.wav} {}", "b": "me"}, "en")
    assert pieces == (Words("{b} {clip x.wav} {} and me", "en"),)


def test_vars_without_a_slot_are_named_and_left_out() -> None:
    """As with unknown fields, a controller may know more than the template."""
    templates = made(t={"slots": {"a": {"type": "text"}}, "en": "{a}"})
    assert templates.unknown_vars("t", {"a": "x", "hall": "2"}) == ("hall",)
    assert templates.expand("t", {"a": "x", "hall": "2"}, "en") == (Words("x", "en"),)


def test_a_default_stands_in_for_what_is_missing_or_blank() -> None:
    """It is read like a value that was given."""
    templates = made(t={"slots": {"n": {"type": "place", "default": "2", "en": "bay {}"}}, "en": "{n}"})
    assert (
        heard(templates.expand("t", {}, "en"))
        == heard(templates.expand("t", {"n": " "}, "en"))
        == ["bay two"]
    )
