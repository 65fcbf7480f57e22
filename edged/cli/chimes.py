"""`edged chimes`: which chimes there are, and how one sounds."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from edged.audio.chime import CHIMES
from edged.audio.chime_sound import chime_samples
from edged.cli.options import config_option, json_option
from edged.cli.output_options import with_output
from edged.cli.playback import play
from edged.cli.wav_output import write_wav
from edged.config.loader import load_config
from edged.errors import BadInputError

_RATE_HZ = 48000


@click.command()
@click.argument("name", required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write NAME to a WAV file (16 bit mono, 48 kHz) instead of playing it.",
)
@click.option("--device", help="ALSA PCM to play on [default: audio.device of the configuration].")
@config_option
@json_option
def command(
    name: str | None, out: Path | None, device: str | None, config_path: Path | None, as_json: bool
) -> None:
    """List the built-in chimes and key tones, or play the one called NAME.

    Announcements have them by `--chime`, by the request's field `chime` and by `speech.chime`.

    \b
    Examples:
      edged chimes
      edged chimes ding-dong
      edged chimes gong --out gong.wav
      edged say "Gate 12 is open" --chime ding-dong
    """
    if name is not None:
        _sound(name, out, device, config_path)
    elif out or device:
        raise click.UsageError("which one? edged chimes NAME")
    elif as_json:
        click.echo(json.dumps({name: chime.description for name, chime in CHIMES.items()}))
    else:
        _show()


def _sound(name: str, out: Path | None, device: str | None, config_path: Path | None) -> None:
    if name not in CHIMES:
        raise BadInputError(f"no chime {name!r}", f"one of: {', '.join(CHIMES)}")
    samples = chime_samples(name, _RATE_HZ)
    if out is not None:
        write_wav(out, samples, _RATE_HZ)
        return
    play(with_output(load_config(config_path), device=device), [samples], _RATE_HZ)


def _show() -> None:
    table = Table("chime", "seconds", "description")
    for name, chime in CHIMES.items():
        table.add_row(name, f"{chime.length_ms / 1000:.2f}", chime.description)
    Console().print(table)
