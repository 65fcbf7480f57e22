"""`edged play`: WAV files through the player process alone."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from edged.audio.wav import WavReader
from edged.cli.options import config_option, json_option
from edged.cli.output_options import output_options, with_output
from edged.cli.playback import Playback, open_player
from edged.config.loader import load_config
from edged.errors import BadInputError
from edged.io.wavfile import open_wav


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--device", help="ALSA PCM name [default: that of the output].")
@output_options
@config_option
@json_option
def command(
    files: tuple[Path, ...],
    device: str | None,
    output: str | None,
    preset: str | None,
    volume: int,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Play WAV files straight to ALSA, as the daemon would, one after the other.

    PCM of 8, 16, 24, 32 bits or float, any rate, any number of channels (mixed down to mono). All of them
    are looked at before the first is played. Ctrl-C is silent at once.

    \b
    Examples:
      edged play chime.wav
      edged play chime.wav hello.wav --volume 60
      edged play chime.wav --device plughw:CARD=PCH
      edged play chime.wav --output hall --preset noisy
      edged play chime.wav --json
    """
    config = with_output(load_config(config_path), output, device, preset)
    for path in files:
        with _opened(path):
            pass
    with open_player(config) as player:
        for path in files:
            with _opened(path) as reader, _shown(path.name, reader.seconds) as progress:
                playback = player.play(reader.mono_blocks(), reader.rate_hz, progress, volume)
            click.echo(_as_json(path, playback) if as_json else _summary(path, playback))


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[WavReader]:
    """Raises BadInputError that names the file."""
    try:
        with open_wav(path) as reader:
            yield reader
    except BadInputError as error:
        raise BadInputError(f"{path}: {error.what}", error.hint) from error


@contextlib.contextmanager
def _shown(title: str, seconds: float) -> Iterator[Callable[[float], None]]:
    """A bar, on a terminal only, to be told the seconds played."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        *Progress.get_default_columns()[1:3],
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    ) as bar:
        task = bar.add_task(title, total=seconds)
        yield lambda played_s: bar.update(task, completed=played_s)


def _as_json(path: Path, playback: Playback) -> str:
    return json.dumps({"file": str(path), **asdict(playback)}, ensure_ascii=False)


def _summary(path: Path, playback: Playback) -> str:
    return (
        f"{path.name} on {playback.device}: {playback.rate_hz} Hz, {playback.channels} channels, "
        f"{playback.format}; {playback.audio_s:.2f} s, {playback.xruns} xruns"
    )
