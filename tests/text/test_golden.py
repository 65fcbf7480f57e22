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
    again = [s.spoken for s in to_spoken(" ".join(case["spoken"]), case["lang"]).sentences]
    if "<break" in case["text"]:  # a pause of the markup is not in the words
        assert "".join(again).replace(" ", "") == "".join(case["spoken"]).replace(" ", "")
    else:
        assert again == case["spoken"]


# What a counter, a lift, a bus, a factory or a parcel locker may say, kind by kind.
_KINDS = """
    abbreviations buses_flights_trains card_numbers codes dates decimals di_n durations emoji fractions
    full_width id_numbers integers ip_addresses language_spans letters_and_words liang_or_er licence_plates
    ling_or_zero mac_addresses maths_signs money negatives ordinals percent phone_numbers ranges
    roman_numerals rooms_counters_gates scores sentences ssml thousands_separators tickets time_ranges times
    units units_after_chinese_numerals unknown_symbols urls_and_email versions
"""


@pytest.mark.parametrize("kind", _KINDS.split())
def test_every_kind_has_its_cases(kind: str) -> None:
    """25 at least, each once: an empty or missing file must not pass as success."""
    lines = (_GOLDEN / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({(case["lang"], case["text"]) for case in map(json.loads, lines)}) == len(lines) >= 25
