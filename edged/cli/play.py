"""`edged play`: a WAV file through the player process alone."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from edged.audio.wav import Wav
from edged.cli.options import config_option, json_option
from edged.cli.playback import Playback, play
from edged.config.loader import load_config
from edged.config.schema import Config
from edged.io.wavfile import read_wav

_CHUNK_S = 0.5


@click.command()
@click.argument("wav", type=click.Path(path_type=Path))
@click.option("--device", help="ALSA PCM name [default: audio.device of the configuration].")
@config_option
@json_option
def command(wav: Path, device: str | None, config_path: Path | None, as_json: bool) -> None:
    """Play a WAV file straight to ALSA, as the daemon would.

    PCM of 8, 16, 24, 32 bits or float, any rate, any number of channels (mixed down to mono).

    \b
    Examples:
      edged play chime.wav
      edged play chime.wav --device plughw:CARD=PCH
      edged play chime.wav --json
    """
    config = load_config(config_path)
    if device is not None:
        config = config.model_copy(update={"audio": config.audio.model_copy(update={"device": device})})
    sound = read_wav(wav)
    playback = _play(config, sound, wav.name)
    click.echo(json.dumps(asdict(playback), ensure_ascii=False) if as_json else _summary(playback))


def _play(config: Config, sound: Wav, title: str) -> Playback:
    samples, step = sound.mono(), round(_CHUNK_S * sound.rate_hz)
    chunks = (samples[at : at + step] for at in range(0, len(samples), step))
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        *Progress.get_default_columns()[1:3],
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    ) as bar:
        task = bar.add_task(title, total=sound.seconds)
        return play(config, chunks, sound.rate_hz, lambda seconds: bar.update(task, completed=seconds))


def _summary(playback: Playback) -> str:
    return (
        f"{playback.device}: {playback.rate_hz} Hz, {playback.channels} channels, {playback.format}; "
        f"{playback.audio_s:.2f} s, {playback.xruns} xruns"
    )
