"""`edged config check|show`: what is wrong with the configuration, or what it amounts to."""

from __future__ import annotations

import json
from pathlib import Path

import click

from edged.cli.options import config_option, json_option
from edged.config.loader import find_config, load_config
from edged.config.render import effective_yaml, reference_yaml
from edged.errors import ConfigError
from edged.io.lexicon import load_lexicon


@click.group()
def command() -> None:
    """Check or show the configuration.

    \b
    Examples:
      edged config check --config config/edged.yaml
      edged config show --json
      edged config show --reference > /etc/edged/edged.yaml
    """


@command.command()
@config_option
def check(config_path: Path | None) -> None:
    """Say `ok`, or list every problem of it and of paths.lexicon with file and line (exit status 78).

    \b
    Examples:
      edged config check
      edged config check --config config/edged.yaml
    """
    try:
        config = load_config(config_path)
    except ConfigError as error:
        raise ConfigError(error.problems, hint="") from error  # the hint is to do what was just done
    if problems := load_lexicon(config.paths.lexicon)[1]:
        raise ConfigError(list(problems), hint="")
    click.echo(f"{config_path or find_config() or 'built-in defaults'}: ok")


@command.command()
@config_option
@json_option
@click.option("--reference", is_flag=True, help="Every key with its comment and default instead.")
def show(config_path: Path | None, as_json: bool, reference: bool) -> None:
    """Print the configuration in effect.

    \b
    Examples:
      edged config show
      edged config show --json
      edged config show --reference > edged.yaml
    """
    if reference:
        click.echo(reference_yaml(), nl=False)
        return
    config = load_config(config_path)
    if as_json:
        click.echo(json.dumps(config.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        click.echo(effective_yaml(config), nl=False)
