"""docs/audio.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from edged.audio.presets import PRESETS
from edged.config.schema import OutputConfig

DOC = (Path(__file__).parents[2] / "docs" / "audio.md").read_text(encoding="utf-8")


def first_column(header: str) -> set[str]:
    """The names in the first column of the table under this header."""
    table = DOC.partition(header)[2].partition("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("| preset | for |", set(PRESETS)),
        ("| `idle` | the device |", set(get_args(OutputConfig.model_fields["idle"].annotation))),
    ],
    ids=["presets", "idle"],
)
def test_every_choice_is_documented(header: str, names: set[str]) -> None:
    """And none that does not exist."""
    assert first_column(header) == names


def test_every_key_that_is_named_exists() -> None:
    """The keys of the example, and those in the text."""
    keys = set(OutputConfig.model_fields)
    example = DOC.partition("```yaml")[2].partition("```")[0]
    assert set(re.findall(r"(\w+): ", example)) - {"audio", "hall", "yard"} <= keys
    assert {"lead_in_ms", "close_after_s", "keepalive_db", "buffer_ms"} <= keys & set(re.findall(r"\w+", DOC))
