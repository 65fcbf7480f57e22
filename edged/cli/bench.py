"""`edged bench`: how fast this board speaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import track

from edged.cli.options import config_option, json_option
from edged.cli.synth_client import SynthClient, engine_options, open_synth, with_engine
from edged.config.loader import load_config
from edged.workers.messages import SynthEnd

# short calls and whole sentences, as a counter or a machine says them
_TEXTS = (
    "请A015号到3号窗口",
    "Ticket A zero one five, please proceed to counter three.",
    "您好，欢迎光临，请在机器上取号，然后在大厅等候叫号。",
    "The next train to the airport departs from platform two at nine thirty.",
    "三号梯正在检修，请使用一号或二号梯，给您带来的不便敬请谅解。",
)


@click.command()
@click.option("--rounds", type=click.IntRange(1, 100), default=2, help="How often each text is spoken.")
@engine_options
@config_option
@json_option
def command(
    rounds: int, engine: str | None, model: Path | None, config_path: Path | None, as_json: bool
) -> None:
    """Measure real-time factor, time to the first chunk and memory of the synth process.

    \b
    Examples:
      edged bench
      edged bench --engine tone --rounds 1 --json
    """
    config = with_engine(load_config(config_path), engine, model)
    console = Console(stderr=True)
    with open_synth(config) as synth:
        texts = [text for _ in range(rounds) for text in _TEXTS]
        ends = [_speak(synth, text) for text in track(texts, "speaking", console=console)]
        result = _result(synth, ends)
    if as_json:
        click.echo(json.dumps(result))
        return
    first = result["first_chunk_s"]
    click.echo(
        f"{result['engine']} {result['voice']}: real-time factor {result['rtf']}, first chunk after "
        f"{first['p50']} s (p95 {first['p95']} s), {result['rss_mb']} MB, n = {result['n']}"
    )


def _speak(synth: SynthClient, text: str) -> SynthEnd:
    return next(item for item in synth.speak(text, "auto", None) if isinstance(item, SynthEnd))


def _result(synth: SynthClient, ends: list[SynthEnd]) -> dict[str, Any]:
    first_s = [end.first_chunk_ms / 1000 for end in ends]
    return {
        "engine": synth.ready.engine,
        "voice": "+".join(dict.fromkeys(voice.name for voice in synth.ready.voices if voice.default_for)),
        "rtf": round(sum(end.synth_ms for end in ends) / sum(end.audio_ms for end in ends), 4),
        "first_chunk_s": {
            "p50": round(float(np.percentile(first_s, 50)), 3),
            "p95": round(float(np.percentile(first_s, 95)), 3),
        },
        "rss_mb": max(end.rss_mb for end in ends),
        "n": len(ends),
    }
