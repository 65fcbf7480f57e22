"""`edged voices`: what can speak."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from edged.cli.options import config_option, json_option
from edged.cli.synth_client import engine_options, open_synth, with_engine
from edged.config.loader import load_config


@click.command()
@engine_options
@config_option
@json_option
def command(engine: str | None, model: Path | None, config_path: Path | None, as_json: bool) -> None:
    """List the voices of the configured engine; * marks the ones in use.

    \b
    Examples:
      edged voices
      edged voices --engine qwen3
      edged voices --engine tone --json
    """
    config = with_engine(load_config(config_path), engine, model)
    with Console(stderr=True).status("loading the voice"), open_synth(config) as synth:
        ready = synth.ready
    if as_json:
        voices = [voice.model_dump(mode="json") for voice in ready.voices]
        click.echo(json.dumps({"engine": ready.engine, "model": ready.model, "voices": voices}))
        return
    table = Table("voice", "languages", "description", title=f"{ready.engine} ({ready.model})")
    for voice in ready.voices:
        table.add_row(
            f"{voice.name}{' *' if voice.default_for else ''}", ", ".join(voice.langs), voice.description
        )
    Console().print(table)
