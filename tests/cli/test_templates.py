"""`edged templates` as a user or a script meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from edged.cli.templates import command
from edged.errors import ConfigError

EXAMPLE = Path(__file__).parents[2] / "config" / "templates" / "example.yaml"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The configuration of a site with one good template and one bad one."""
    (tmp_path / "templates").mkdir()
    body = (
        'bye: {description: Closing., slots: {who: {type: text, optional: true}}, zh: "再见{who}"}\nbad: {}\n'
    )
    (tmp_path / "templates" / "site.yaml").write_text(body, encoding="utf-8")
    config = tmp_path / "edged.yaml"
    config.write_text("paths: {templates_dir: templates}\n", encoding="utf-8")
    return config


def test_the_list_has_every_template_and_tells_of_bad_ones(site: Path) -> None:
    """The problems are warnings: the others can be announced."""
    result = CliRunner().invoke(command, ["--config", str(site)])
    assert result.exit_code == 0
    assert "ticket_call" in result.stdout
    assert "who?: text" in result.stdout
    assert (
        f"warning: {site.parent}/templates/site.yaml:2 bad: expected a text: zh, en or both" in result.stderr
    )


def test_json_tells_a_program_what_to_fill_in(site: Path) -> None:
    """Types, and which vars are required."""
    result = CliRunner().invoke(command, ["--json", "--config", str(site)])
    assert json.loads(result.stdout)["bye"] == {
        "description": "Closing.",
        "langs": ["zh"],
        "vars": {"who": {"type": "text", "required": False}},
    }


def test_check_says_ok_and_what_there_is() -> None:
    """The example that comes with edged is good."""
    result = CliRunner().invoke(command, ["--check", str(EXAMPLE)])
    assert result.stdout == f"{EXAMPLE}: ok (queue_status, payment, departure)\n"
    names = json.loads(CliRunner().invoke(command, ["--json", "--check", str(EXAMPLE)]).stdout)
    assert set(names) == {"queue_status", "payment", "departure"}


def test_check_lists_every_problem_and_fails(tmp_path: Path) -> None:
    """As a configuration error, exit status 78."""
    file = tmp_path / "a.yaml"
    file.write_text('t: {zh: "{n}", slots: {m: {type: text}}}\nu: {}\n', encoding="utf-8")
    error = CliRunner().invoke(command, ["--check", str(file)]).exception
    assert isinstance(error, ConfigError)
    assert error.exit_status == 78
    assert error.problems == [
        f"{file}:1 t.zh: {{n}} is not among the slots",
        f"{file}:1 t.slots.m: used in no text",
        f"{file}:2 u: expected a text: zh, en or both",
    ]


def test_help_shows_examples() -> None:
    """--help is enough to use the verb."""
    assert (
        "edged templates --check config/templates/example.yaml"
        in CliRunner().invoke(command, ["--help"]).stdout
    )
