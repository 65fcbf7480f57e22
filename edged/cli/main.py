"""The `edged` command: finds the module of a verb, runs it, turns an EdgedError into text and a status."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from edged import __version__
from edged.errors import EdgedError, StorageError

_INTERRUPTED = 130  # 128 + SIGINT, as shells count
VERBS = (
    "run",
    "say",
    "text",
    "templates",
    "play",
    "voices",
    "chimes",
    "model",
    "config",
    "schema",
    "doctor",
    "status",
    "fleet",
    "bench",
)


class _Verbs(click.Group):
    """Loads `edged.cli.<verb>` only when it is used: `edged text` must not wait for OpenVINO."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"edged.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """A Ctrl-C ends quietly; click itself would print an empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(_INTERRUPTED) from None


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 2 usage, 65 bad input, 66 no model, 69 unavailable (device, broker, "
    "network), 70 internal, 74 disk, 75 busy, 78 configuration, 130 interrupted.",
)
@click.version_option(__version__, prog_name="edged")
def cli() -> None:
    """edged: the local voice for machines. MQTT in, INT8 OpenVINO speech, straight to ALSA.

    \b
    Examples:
      edged say "请A015号到3号窗口" --out ticket.wav
      edged run --config /etc/edged/edged.yaml
      edged doctor
    """


def main() -> None:
    """Console entry point."""
    try:
        # not standalone: click would swallow broken pipes and call every interruption status 1
        sys.exit(cli(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except EdgedError as error:
        click.echo(f"edged: {error}", err=True)
        sys.exit(error.exit_status)
    except OSError as error:  # our own output: a full disk, a pipe that nobody reads
        click.echo(f"edged: {error.strerror}", err=True)
        sys.exit(StorageError.exit_status)
