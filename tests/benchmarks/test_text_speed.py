"""The benchmark of the text front end runs and tells its four figures."""

from __future__ import annotations

import json

from click.testing import CliRunner

from benchmarks.text_speed import PROMPTS, main


def test_it_tells_four_figures() -> None:
    """Speed itself is not judged here: the machine may be busy."""
    result = CliRunner().invoke(main, ["--runs", "1", "--json"])
    told = json.loads(result.stdout)
    assert set(told) == {"chars_per_s", "import_ms", "first_call_ms", "rss_mb"}
    assert all(value > 0 for value in told.values())


def test_the_prompts_are_of_the_stated_length() -> None:
    """About 50 characters each."""
    assert all(45 <= len(prompt) <= 65 for prompt in PROMPTS)
