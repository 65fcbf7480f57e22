"""`edged model loudness`."""

from __future__ import annotations

from pathlib import Path

import click

from edged.cli.model.common import open_store, print_json, store_options
from edged.cli.options import json_option
from edged.config.loader import load_config


@click.command("loudness")
@click.argument("name")
@click.argument("voices", metavar="[VOICE]...", nargs=-1)
@store_options
@json_option
def loudness_(
    name: str, voices: tuple[str, ...], models_dir: Path | None, config_path: Path | None, as_json: bool
) -> None:
    """Measure how loud voices of model NAME are; without VOICE, those that speak where nobody is named.

    Ten prompts in each language of a voice, ITU-R BS.1770, as mono. The figures are kept in loudness.json
    beside the models and used from the next start on. The voices of kokoro come with theirs.

    \b
    Examples:
      edged model loudness qwen3-tts-0.6b-customvoice
      edged model loudness qwen3-tts-0.6b-base my-voice --json
    """
    # imported here: showing help needs no numpy
    from edged.cli.model.voice_loudness import measure_voices

    measured = measure_voices(open_store(models_dir, config_path), name, load_config(config_path), voices)
    if as_json:
        print_json(measured)
        return
    for voice, lufs in measured.items():
        click.echo(f"{voice}: {lufs:.1f} LUFS")
