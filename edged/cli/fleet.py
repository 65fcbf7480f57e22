"""`edged fleet`: every device heard on the broker."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live

from edged.cli.fleet_view import Fleet
from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.config.schema import MqttConfig
from edged.errors import BrokerError
from edged.io.visitor import Heard, Visitor

_QUIET_S = 1.0  # the broker sends what it has kept in one go: a second of silence is its end
_AGAIN_S = 3.0
_TOGETHER_S = 0.02
_DRAW_S = 0.5


@click.command()
@config_option
@json_option
@click.option("--watch", is_flag=True, help="Keep the table up to date until Ctrl-C.")
@click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0.1),
    default=5.0,
    show_default=True,
    help="Longest time in seconds to listen for records, without --watch.",
)
def command(config_path: Path | None, as_json: bool, watch: bool, wait_s: float) -> None:
    """Show every device below mqtt.base_topic, from what it has left on the broker: the absent ones too.

    \b
    Examples:
      edged fleet
      edged fleet --watch
      edged fleet --json | jq '.devices[] | select(.state != "online")'
    """
    if as_json and watch:
        raise click.UsageError("--json prints one document: use it without --watch")
    mqtt = load_config(config_path).mqtt
    fleet = Fleet(mqtt.base_topic)
    if watch:
        _watch(mqtt, fleet)
        return
    with Visitor(mqtt, "fleet") as visitor:
        visitor.subscribe(*fleet.filters)
        _listen(visitor, fleet, wait_s)
    if as_json:
        document = {"broker": _where(mqtt), "base": mqtt.base_topic, "devices": fleet.rows()}
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        Console().print(fleet.table(_where(mqtt)))


def _listen(visitor: Visitor, fleet: Fleet, wait_s: float) -> None:
    """Until nothing more comes, or so long."""
    deadline_s = time.monotonic() + wait_s
    while (left_s := deadline_s - time.monotonic()) > 0:
        heard = visitor.next(min(left_s, _QUIET_S))
        if heard is None:
            return
        _take(fleet, heard, Console(stderr=True))


def _watch(mqtt: MqttConfig, fleet: Fleet) -> None:
    """Until Ctrl-C; a broker that goes away is waited for."""
    with Live(fleet.table(_where(mqtt)), console=Console(), auto_refresh=False) as live:
        while True:
            try:
                with Visitor(mqtt, "fleet") as visitor:
                    visitor.subscribe(*fleet.filters)
                    while True:
                        _show_news(mqtt, visitor, fleet, live)
            except BrokerError as error:
                live.console.print(f"{error}", style="yellow", markup=False)
                time.sleep(_AGAIN_S)


def _show_news(mqtt: MqttConfig, visitor: Visitor, fleet: Fleet, live: Live) -> None:
    """One drawing for what comes together: a hundred devices greet at once."""
    until_s, timeout_s = time.monotonic() + _DRAW_S, _QUIET_S
    while time.monotonic() < until_s and (heard := visitor.next(timeout_s)) is not None:
        _take(fleet, heard, live.console)
        timeout_s = _TOGETHER_S
    live.update(fleet.table(_where(mqtt)), refresh=True)


def _take(fleet: Fleet, heard: Heard, console: Console) -> None:
    if warning := fleet.hear(heard.topic, heard.payload):
        console.print(f"warning: {warning}", style="yellow", markup=False)


def _where(mqtt: MqttConfig) -> str:
    return f"{mqtt.host}:{mqtt.port}"
