"""`edged templates`: which announcement templates there are, and what is wrong with a file of them."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.errors import ConfigError
from edged.io.templates import load_templates, read_template_file
from edged.text.templates import Template, Templates


@click.command()
@click.option(
    "--check",
    "file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Say `ok`, or list every problem of this file (exit status 78).",
)
@config_option
@json_option
def command(file: Path | None, config_path: Path | None, as_json: bool) -> None:
    """List the announcement templates: the built-in ones and those of paths.templates_dir.

    \b
    Examples:
      edged templates
      edged templates --json
      edged templates --check config/templates/example.yaml
      edged text --template ticket_call --var ticket=A015 --var counter=3
    """
    if file is not None:
        _check(file, as_json)
        return
    loaded = load_templates(load_config(config_path).paths.templates_dir)
    for problem in loaded.problems:
        click.echo(f"warning: {problem}", err=True)
    _show(loaded.templates, as_json)


def _check(file: Path, as_json: bool) -> None:
    found, problems = read_template_file(file)
    if problems:
        raise ConfigError(problems, hint="")
    if as_json:
        _show(Templates(found), as_json)
    else:
        click.echo(f"{file}: ok ({', '.join(found) or 'no templates'})")


def _show(templates: Templates, as_json: bool) -> None:
    found = {name: templates.find(name) for name in templates.names}
    if as_json:
        click.echo(json.dumps({name: _as_json(one) for name, one in found.items()}, ensure_ascii=False))
        return
    table = Table("template", "languages", "vars", "description")
    for name, one in found.items():
        table.add_row(name, ", ".join(one.langs), "\n".join(_slots(one)), one.description)
    Console().print(table)


def _slots(template: Template) -> list[str]:
    return [f"{name}{'' if slot.is_required else '?'}: {slot.type}" for name, slot in template.slots.items()]


def _as_json(template: Template) -> dict[str, object]:
    slots = {name: {"type": slot.type, "required": slot.is_required} for name, slot in template.slots.items()}
    return {"description": template.description, "langs": template.langs, "vars": slots}
