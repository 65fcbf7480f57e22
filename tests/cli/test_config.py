"""What `edged config check` says of the files a configuration names."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from edged.cli.config import check
from edged.errors import ConfigError


def configured(folder: Path, lexicon: str) -> Path:
    """A configuration in `folder` whose lexicon holds this text."""
    words, file = folder / "words.yaml", folder / "edged.yaml"
    words.write_text(lexicon, encoding="utf-8")
    file.write_text(f"paths:\n  lexicon: '{words}'\n", encoding="utf-8")
    return file


def test_every_wrong_word_of_the_lexicon_is_told_with_its_line(tmp_path: Path) -> None:
    """The daemon goes on with the other words: the check is where a technician hears of these."""
    file = configured(tmp_path, "words:\n  重庆: chong2\n  KFC: 肯德基\n  行长: [1]\n")
    with pytest.raises(ConfigError) as raised:
        check.main(["--config", str(file)], standalone_mode=False)
    first, second = raised.value.problems
    assert "words.yaml:2 words.重庆" in first
    assert "words.yaml:4 words.行长" in second


def test_a_good_lexicon_is_no_problem(tmp_path: Path) -> None:
    """Its words are right, so the configuration is."""
    found = CliRunner().invoke(check, ["--config", str(configured(tmp_path, "words:\n  KFC: 肯德基\n"))])
    assert (found.exit_code, found.output) == (0, f"{tmp_path / 'edged.yaml'}: ok\n")
