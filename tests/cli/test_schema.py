"""`edged schema` as a user or a script meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from edged.cli.schema import command
from edged.protocol.schema import NAMES, schema


def test_a_schema_is_printed() -> None:
    """As one JSON document."""
    assert json.loads(CliRunner().invoke(command, ["result"]).stdout) == schema("result")


def test_all_are_written_as_they_are_printed(tmp_path: Path) -> None:
    """One file each; the folder is made."""
    folder = tmp_path / "docs" / "schema"
    assert CliRunner().invoke(command, ["--write", str(folder)]).exit_code == 0
    assert {path.stem for path in folder.iterdir()} == set(NAMES)
    assert (folder / "state.json").read_text(encoding="utf-8") == CliRunner().invoke(
        command, ["state"]
    ).stdout


@pytest.mark.parametrize("args", [[], ["nonsense"], ["state", "--write", "."]])
def test_anything_else_is_a_usage_error(args: list[str]) -> None:
    """Either a name or a folder."""
    assert CliRunner().invoke(command, args).exit_code == 2
