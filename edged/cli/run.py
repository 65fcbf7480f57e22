"""`edged run`: the daemon."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from edged.cli.options import config_option
from edged.daemon.app import run_daemon


@click.command()
@config_option
def command(config_path: Path | None) -> None:
    """Run the daemon in the foreground (as systemd does).

    SIGHUP reads the configuration again, SIGTERM stops.

    \b
    Examples:
      edged run
      edged run --config /etc/edged/edged.yaml
    """
    sys.exit(run_daemon(config_path))
