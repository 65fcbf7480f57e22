"""`edged model ...`: install, check and switch the models edged speaks with."""

from __future__ import annotations

import click

from edged.cli.model.builds import activate, list_, remove, rollback
from edged.cli.model.convert import convert_
from edged.cli.model.install import install_
from edged.cli.model.loudness import loudness_
from edged.cli.model.verify import verify_


@click.group()
def command() -> None:
    """Install, check and switch models.

    \b
    Examples:
      edged model install kokoro
      edged model install kokoro --keep-downloads usb/    (where there is a network)
      edged model install kokoro --from usb/              (where there is none)
      edged model list
      edged model verify
      edged model loudness qwen3-tts-0.6b-customvoice
      edged model rollback kokoro
    """


for verb in (list_, install_, convert_, verify_, loudness_, activate, rollback, remove):
    command.add_command(verb)
