"""`edged schema`: the protocol for programs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from edged.protocol.schema import NAMES, schema


@click.command()
@click.argument("name", required=False, type=click.Choice(NAMES))
@click.option(
    "--write",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write all of them into this folder, NAME.json each.",
)
def command(name: str | None, folder: Path | None) -> None:
    """Print the JSON Schema (2020-12) of what is sent to edged or published by it.

    \b
    Examples:
      edged schema request
      edged schema --write docs/schema
    """
    if (name is None) == (folder is None):
        raise click.UsageError("expected NAME or --write FOLDER")
    if folder is None:
        click.echo(_text(name or ""), nl=False)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for one in NAMES:
        (folder / f"{one}.json").write_text(_text(one), encoding="utf-8")


def _text(name: str) -> str:
    return json.dumps(schema(name), ensure_ascii=False, indent=2) + "\n"
