"""`edged status`: what the running daemon says of itself."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.errors import DaemonUnreachableError
from edged.io.status_socket import read_status

_EVERY_S = 0.5  # the daemon's own tick
_WAITING_SHOWN = 10
_ROWS_LIVE = 8  # of what waits and of the results: all of it fits on a screen of 24 lines
_CLOCK_KEYS = ("since", "ts")


@click.command()
@config_option
@json_option
@click.option("--watch", is_flag=True, help="Show it live, until Ctrl-C.")
def command(config_path: Path | None, as_json: bool, watch: bool) -> None:
    """Show the running daemon: state, health, what waits and the last results.

    It is asked over a local socket; no broker is needed.

    \b
    Examples:
      edged status
      edged status --watch
      edged status --json | jq .queue
    """
    if as_json and watch:
        raise click.UsageError("--json is for one answer, --watch for a screen; give one of them.")
    runtime_dir = load_config(config_path).paths.runtime_dir
    document = read_status(runtime_dir)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
    elif watch:
        _watch(runtime_dir, document)
    else:
        _console().print(_show(document))


def _console() -> Console:
    return Console(markup=False)  # keys and reasons come from outside: [/] is a word in them


def _watch(runtime_dir: Path, document: dict[str, Any]) -> None:
    """Until Ctrl-C; a daemon that is restarted meanwhile comes back into view."""
    with Live(_show_live(document), console=_console(), auto_refresh=False) as live:
        while True:
            time.sleep(_EVERY_S)
            live.update(_look(runtime_dir), refresh=True)


def _look(runtime_dir: Path) -> RenderableType:
    try:
        return _show_live(read_status(runtime_dir))
    except DaemonUnreachableError as error:
        return str(error)


def _show(document: dict[str, Any]) -> Group:
    return Group(
        _facts("state", document["state"]),
        _facts("health", document["health"]),
        _queue(document["queue"]),
        _results(document["results"]),
    )


def _show_live(document: dict[str, Any]) -> Group:
    """One line a thing, cut off at the edge: it fits on any screen."""
    state, health = document["state"], document["health"]
    waiting, results = document["queue"][:_ROWS_LIVE], document["results"][-_ROWS_LIVE:]
    lines = [
        _facts_line(state, "state", "reason", "id", "paused", "volume", "muted", "voice"),
        _facts_line(health, "load", "temperature_c", "thermal", "rtf", "xruns"),
        f"queue: {len(document['queue'])}",
        *(f"  {one['waiting_s']:4.0f} s  {one['priority']:10} {one['id']}" for one in waiting),
        "last results",
        *(_result_line(result) for result in reversed(results)),
    ]
    return Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in lines))


def _facts_line(record: dict[str, Any], *keys: str) -> str:
    return " · ".join(f"{key} {_plain(key, record[key])}" for key in keys if record[key] not in (None, ""))


def _result_line(result: dict[str, Any]) -> str:
    at = datetime.fromtimestamp(result["ts"]).strftime("%H:%M:%S")
    return f"  {at}  {result['status']:11} {result['id']}  {_why(result)}"


def _facts(title: str, record: dict[str, Any]) -> Table:
    table = Table(title=title, show_header=False, title_justify="left")
    for key, value in record.items():
        table.add_row(key, _plain(key, value))
    return table


def _queue(queue: list[dict[str, Any]]) -> Table:
    table = Table("id", "priority", "key", "waits", title=f"queue: {len(queue)}", title_justify="left")
    for waiting in queue[:_WAITING_SHOWN]:
        table.add_row(
            waiting["id"], waiting["priority"], waiting["key"] or "", f"{waiting['waiting_s']:.0f} s"
        )
    if len(queue) > _WAITING_SHOWN:
        table.add_row(f"and {len(queue) - _WAITING_SHOWN} more")
    return table


def _results(results: list[dict[str, Any]]) -> Table:
    """The newest on top."""
    table = Table(
        "at", "id", "status", "first sound", "length", "why", title="last results", title_justify="left"
    )
    for result in reversed(results):
        table.add_row(
            _clock(result["ts"]),
            result["id"],
            result["status"],
            _milliseconds(result["first_audio_ms"]),
            _milliseconds(result["audio_ms"]),
            _why(result),
        )
    return table


def _why(result: dict[str, Any]) -> str:
    return ": ".join(part for part in (result["code"], result["reason"]) if part)


def _plain(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if key in _CLOCK_KEYS:
        return _clock(value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(name, one)}" for name, one in value.items())
    return str(value)


def _clock(wall_s: float) -> str:
    return datetime.fromtimestamp(wall_s).astimezone().isoformat(sep=" ", timespec="seconds")


def _milliseconds(value: int | None) -> str:
    return "" if value is None else f"{value} ms"
