"""How a site's texts are read, announcement by announcement."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from edged.config.schema import Config
from edged.text.lexicon import NO_LEXICON
from edged.workers.house_style import HouseStyle


def test_a_lexicon_that_changes_counts_from_the_next_announcement(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a restart; a word that is wrong is told once, and the pauses are those of the configuration."""
    file = tmp_path / "lexicon.yaml"
    house = HouseStyle(Config.model_validate({"text": {"comma_ms": 10}, "paths": {"lexicon": str(file)}}))
    assert (house.now().comma_ms, house.now().full_stop_ms) == (10, 600)
    assert house.now().lexicon is NO_LEXICON
    file.write_text("words: {KFC: 肯德基, 行长: hang2}", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert list(house.now().lexicon.words) == ["KFC"]
        assert list(house.now().lexicon.words) == ["KFC"]
    assert [record.message for record in caplog.records] == [
        f"lexicon: {file}:1 words.行长: has 1 syllables for 2 characters"
    ]
