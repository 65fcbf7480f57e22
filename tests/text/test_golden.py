"""Golden cases: what real counters, kiosks and machines say, one file per rule of reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edged.text.front_end import to_spoken

_GOLDEN = Path(__file__).parents[1] / "golden" / "text"
_CASES = [
    pytest.param(json.loads(line), id=f"{file.stem}:{number}")
    for file in sorted(_GOLDEN.glob("*.jsonl"))
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
]


@pytest.mark.parametrize("case", _CASES)
def test_a_prompt_is_read_as_written_down(case: dict[str, Any]) -> None:
    """Each golden text gives exactly its spoken sentences and warnings."""
    result = to_spoken(case["text"], case["lang"])
    assert [s.spoken for s in result.sentences] == case["spoken"]
    assert list(result.warnings) == case.get("warnings", [])


@pytest.mark.parametrize("case", _CASES)
def test_reading_the_spoken_form_again_changes_nothing(case: dict[str, Any]) -> None:
    """The front end is idempotent on every golden case."""
    again = to_spoken(" ".join(case["spoken"]), case["lang"])
    assert [s.spoken for s in again.sentences] == case["spoken"]


def test_there_are_cases_for_every_rule() -> None:
    """The data files are found: an empty folder must not pass as success."""
    assert len(_CASES) >= 300
