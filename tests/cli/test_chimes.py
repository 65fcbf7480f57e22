"""`edged chimes` as a user or a script meets it."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from edged.audio import wav
from edged.audio.chime import CHIMES
from edged.audio.chime_sound import chime_samples
from edged.cli.chimes import command
from edged.errors import BadInputError


def run(*arguments: str) -> str:
    """Standard output; errors come out as they are."""
    return CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False).stdout


def test_the_list_has_every_chime() -> None:
    """For people and for programs."""
    for name, chime in CHIMES.items():
        assert name in run()
        assert json.loads(run("--json"))[name] == chime.description


def test_one_can_be_written_to_a_file(tmp_path: Path) -> None:
    """As it is played."""
    assert run("ding-dong", "--out", str(tmp_path / "x.wav")) == ""
    written = wav.decode((tmp_path / "x.wav").read_bytes())
    assert written.rate_hz == 48000
    assert written.mono() == pytest.approx(chime_samples("ding-dong", 48000), abs=1e-4)


def test_a_wrong_name_is_told_the_right_ones() -> None:
    """All of them: there are few."""
    with pytest.raises(BadInputError, match="no chime 'dingdong'") as error:
        run("dingdong")
    assert "ding-dong" in error.value.hint


def test_what_to_play_must_be_said(tmp_path: Path) -> None:
    """A file of nothing in particular is no file."""
    with pytest.raises(click.UsageError, match="which one"):
        run("--out", str(tmp_path / "x.wav"))
