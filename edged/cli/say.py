"""`edged say`: speak one text with the synth process alone, into a WAV file or an ALSA device."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

from edged.audio.chime import NONE
from edged.cli.options import config_option, json_option, read_text
from edged.cli.output_options import output_options, with_output
from edged.cli.playback import play
from edged.cli.say_mqtt import request_fields, say_via_mqtt, via_option
from edged.cli.speech_options import read_speech_options, speech_options
from edged.cli.synth_client import SpokenChunk, Tones, engine_options, open_synth, with_engine
from edged.cli.wav_output import write_wav
from edged.config.loader import load_config
from edged.errors import EmptyTextError, TextTooLongError
from edged.text.content import Reading
from edged.workers.messages import Planned, SynthEnd, SynthReady


@click.command()
@click.argument("text")
@click.option("--voice", help="Voice name (`edged voices`) [default: the configured one of each language].")
@click.option("--lang", type=click.Choice(["zh", "en", "auto"]), default="auto", help="Language of the text.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a WAV file (16 bit mono) instead of playing.",
)
@click.option(
    "--device",
    help="ALSA PCM to play on; with --via mqtt the name of the board [default: the configured one].",
)
@click.option(
    "--chime",
    help="Chime before the words: `none`, a name of `edged chimes` or a file of paths.clips_dir; under:NAME "
    "goes on under them [default: speech.chime of the configuration].",
)
@click.option("--chime-end", help="Chime after the words.")
@output_options
@via_option
@engine_options
@speech_options
@config_option
@json_option
def command(
    text: str,
    voice: str | None,
    lang: Reading,
    out: Path | None,
    device: str | None,
    chime: str | None,
    chime_end: str | None,
    output: str | None,
    preset: str | None,
    volume: int,
    engine: str | None,
    model: Path | None,
    config_path: Path | None,
    as_json: bool,
    via: str | None,
    **options: Any,
) -> None:
    """Speak TEXT (`-`: standard input). Needs no broker and no daemon.

    With --via mqtt a running daemon speaks instead. Exit status then: 0 finished, 65 rejected, 75 expired,
    cancelled, interrupted or muted, 66, 69, 70 or 74 failed.

    --speaker to --max-seconds are for the engine qwen3; others warn that they have no use for them.

    \b
    Examples:
      edged say "请A015号到3号窗口" --out ticket.wav
      edged say "Gate 12 is open" --voice af_heart
      edged say "你好" --engine tone --out tone.wav --json
      edged say "你好" --engine qwen3 --speaker vivian --seed 7 --out hello.wav
      edged say "慢走" --engine qwen3 --model my-qwen3/ --dialect sichuan_dialect --temperature 0.7
      edged say "Gate 12 is open" --chime ding-dong --volume 60 --device plughw:CARD=PCH
      edged say "Gate 12 is open" --via mqtt --device lobby
    """
    how = read_speech_options(options)
    text = read_text(text)
    if via == "mqtt":
        if out or engine or model or preset:
            raise click.UsageError("--out, --preset, --engine and --model are for speech without a daemon")
        fields = request_fields(
            text, lang, voice, how, output=output, volume=volume, chime=chime, chime_end=chime_end
        )
        sys.exit(say_via_mqtt(load_config(config_path), device, fields, as_json=as_json))
    config = with_engine(load_config(config_path), engine, model)
    _check_text(text, config.speech.max_text_chars)
    config = with_output(config, output, device, preset)
    console = Console(stderr=True)
    with console.status("loading the voice"), open_synth(config) as synth:
        tones = Tones(chime, chime_end or NONE)
        utterance = _Utterance(synth.ready, synth.speak(text, lang, voice, how, tones))
        if out is None:
            chunks = (chunk.samples for chunk in utterance.chunks())
            play(config, chunks, synth.ready.sample_rate_hz, volume)
        else:
            samples = np.concatenate([chunk.samples for chunk in utterance.chunks()])
            write_wav(out, samples, synth.ready.sample_rate_hz)
    for warning in utterance.planned.warnings:
        console.print(f"warning: {warning}", style="yellow")
    summary = utterance.summary()
    if as_json:
        click.echo(json.dumps(summary))
    else:
        click.echo(
            f"{out or config.audio.device}: {summary['audio_s']} s of {summary['voice']}, "
            f"synthesised in {summary['synth_s']} s (real-time factor {summary['rtf']})"
        )


def _check_text(text: str, max_chars: int) -> None:
    if not text.strip():
        raise EmptyTextError("the text is empty", 'edged say "Hello"')
    if len(text) > max_chars:
        raise TextTooLongError(
            f"the text has {len(text)} characters, the limit is {max_chars}",
            "split it, or speech.max_text_chars",
        )


class _Utterance:
    """One text being spoken; what the synth said about it is known once `chunks` is used up."""

    planned: Planned
    end: SynthEnd

    def __init__(self, ready: SynthReady, stream: Iterator[SpokenChunk | Planned | SynthEnd]) -> None:
        self.ready = ready
        self._stream = stream

    def chunks(self) -> Iterator[SpokenChunk]:
        for item in self._stream:
            match item:
                case Planned():
                    self.planned = item
                case SynthEnd():
                    self.end = item
                case _:
                    yield item

    def summary(self) -> dict[str, Any]:
        audio_s, synth_s = self.end.audio_ms / 1000, self.end.synth_ms / 1000
        return {
            "audio_s": round(audio_s, 3),
            "synth_s": round(synth_s, 3),
            "first_chunk_s": round(self.end.first_chunk_ms / 1000, 3),
            "rtf": round(synth_s / audio_s, 4) if audio_s else None,
            "sample_rate": self.ready.sample_rate_hz,
            "voice": self.planned.voice,
            "engine": self.ready.engine,
            "sentences": self.planned.sentences,
        }
