"""The lexicon file of a site."""

from __future__ import annotations

from pathlib import Path

from edged.io.lexicon import WatchedLexicon, load_lexicon
from edged.text.lexicon import NO_LEXICON


def test_no_file_is_no_problem(tmp_path: Path) -> None:
    """Most sites have none."""
    assert load_lexicon(tmp_path / "lexicon.yaml") == (NO_LEXICON, ())


def test_problems_are_told_with_their_line(tmp_path: Path) -> None:
    """The good words count all the same."""
    file = tmp_path / "lexicon.yaml"
    file.write_text("words:\n  重庆: chong2 qing4\n  行长: hang2\n", encoding="utf-8")
    lexicon, problems = load_lexicon(file)
    assert list(lexicon.words) == ["重庆"]
    assert problems == (f"{file}:3 words.行长: has 1 syllables for 2 characters",)


def test_a_broken_file_is_one_problem(tmp_path: Path) -> None:
    """A folder or broken YAML leaves the program running without words."""
    file = tmp_path / "lexicon.yaml"
    file.write_text("words: [", encoding="utf-8")
    lexicon, problems = load_lexicon(file)
    assert (lexicon, len(problems)) == (NO_LEXICON, 1)
    assert load_lexicon(tmp_path)[1] == (f"{tmp_path}: no regular file",)


def test_a_change_is_seen_and_told_once(tmp_path: Path) -> None:
    """No restart is needed; a file that has gone has no words."""
    file = tmp_path / "lexicon.yaml"
    watched = WatchedLexicon(file)
    assert watched.current() == (NO_LEXICON, ())
    file.write_text("words: {KFC: 肯德基, 行长: x1}", encoding="utf-8")
    lexicon, problems = watched.current()
    assert (list(lexicon.words), len(problems)) == (["KFC"], 1)
    assert watched.current() == (lexicon, ())
    file.unlink()
    assert watched.current() == (NO_LEXICON, ())
