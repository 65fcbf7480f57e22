"""Options that several verbs share."""

from __future__ import annotations

import sys
from pathlib import Path

import click

config_option = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Configuration file [default: $EDGED_CONFIG, <venv>/etc/edged.yaml, /etc/edged/edged.yaml].",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def read_text(argument: str) -> str:
    """The TEXT of a verb, `-` for standard input, as UTF-8 whatever the locale.

    Bytes that are not UTF-8 arrive as lone surrogates; the text front end skips them with a warning.
    """
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if argument == "-" else argument
