"""`edged status`: what the running daemon says of itself."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.io.status_socket import read_status


@click.command()
@config_option
@json_option
def command(config_path: Path | None, as_json: bool) -> None:
    """Show state and health of the running daemon (over a local socket; no broker needed).

    \b
    Examples:
      edged status
      edged status --json
    """
    document = read_status(load_config(config_path).paths.runtime_dir)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    for name, record in document.items():
        Console().print(_table(name, record))


def _table(name: str, record: dict[str, Any]) -> Table:
    table = Table(title=name, show_header=False, title_justify="left")
    for key, value in record.items():
        table.add_row(key, _show(key, value))
    return table


def _show(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if key in ("since", "ts"):
        return datetime.fromtimestamp(value).astimezone().isoformat(sep=" ", timespec="seconds")
    return ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
