"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path

import click

config_option = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Configuration file [default: $EDGED_CONFIG, <venv>/etc/edged.yaml, /etc/edged/edged.yaml].",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
