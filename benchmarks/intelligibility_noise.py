"""Do the site presets help? Speaks prompts and measures what is understood of them at each site."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

# run as a script: what it measures with lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.intelligibility import Prompt, load_prompts
from benchmarks.listening import PROGRAMME_LUFS, Samples, Trial, at_programme, listen
from benchmarks.noises import SITES
from edged.audio.presets import PRESETS
from edged.audio.resample import Resampler
from edged.cli.options import config_option, json_option
from edged.cli.synth_client import engine_options, with_engine
from edged.config.loader import load_config
from edged.config.schema import Config
from edged.engine.base import Engine, VoiceInfo
from edged.engine.loudness import speak
from edged.errors import EdgedError, UnknownVoiceError
from edged.io.cpu import read_cpu
from edged.workers.engines import open_engine
from edged.workers.voicing import default_voices

_PROMPTS = Path(__file__).resolve().parent / "prompts"
_OUTPUT_HZ = 48000  # what a sound card runs at
_CROWD = 8  # other voices, of which the babble is made
_CROWD_PROMPTS = 3  # that each of them speaks: a minute and a half together
_QUICK = 3
_CONFIDENCE = 1.96  # standard errors to each side: 95 %


@click.command()
@click.option("--voices", help="Names with commas between them [default: the default voices].")
@click.option(
    "--prompts",
    "part",
    type=click.Choice(["tuning", "test"]),
    default="test",
    show_default=True,
    help="The presets were tuned with every other prompt; the others test them.",
)
@click.option("--quick", is_flag=True, help=f"Only {_QUICK} prompts of each language.")
@engine_options
@config_option
@json_option
def command(
    voices: str | None,
    part: str,
    quick: bool,
    engine: str | None,
    model: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """What each site preset gains at its site over flat, speech being equally loud in equal noise.

    Short-time objective intelligibility (STOI), 0 to 100, of synthesised speech in synthesised noise. Exit
    status 1: nothing could be measured.

    \b
    Examples:
      python benchmarks/intelligibility_noise.py
      python benchmarks/intelligibility_noise.py --voices zf_xiaoxiao,am_puck --json
      python benchmarks/intelligibility_noise.py --engine tone --quick
    """
    try:
        prompts = load_prompts(sorted(_PROMPTS.glob("*.jsonl")), quick=False)
        config = with_engine(load_config(config_path), engine, model)
        loaded = open_engine(config)
        result = measure(loaded.engine, _speakers(loaded.engine, config, voices), prompts, part, quick)
        loaded.engine.close()
    except EdgedError as error:
        click.echo(f"intelligibility_noise: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(result))
    else:
        _print_table(result)


def measure(
    engine: Engine, speakers: Sequence[VoiceInfo], prompts: Sequence[Prompt], part: str, quick: bool
) -> dict[str, Any]:
    """Speak and listen: the result as JSON has it. Raises what speaking raises."""
    jobs = list(_jobs(speakers, _chosen(prompts, part, quick)))
    crowd_jobs = list(_crowd_jobs(engine, speakers, prompts))
    with Progress(console=Console(stderr=True)) as progress:
        recordings = [_record(engine, *job) for job in progress.track(jobs, description="speaking")]
        crowd = [_record(engine, *job) for job in progress.track(crowd_jobs, description="a crowd")]
        trials = {
            name: listen(SITES[name], PRESETS[name], recordings, crowd, _OUTPUT_HZ)
            for name in progress.track(SITES, description="listening")
        }
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": read_cpu().model,
        "engine": engine.info.name,
        "voices": [voice.name for voice in speakers],
        "prompts": part,
        "recordings": len(recordings),
        "loudness_lufs": PROGRAMME_LUFS,
        "sites": {name: figures(trial) for name, trial in trials.items()},
    }


def _chosen(prompts: Sequence[Prompt], part: str, quick: bool) -> list[Prompt]:
    """Every other one of each language, the first for tuning."""
    first = 1 if part == "tuning" else 2
    numbers = range(first, 2 * _QUICK + 1 if quick else len(prompts) + 1, 2)
    return [prompt for prompt in prompts if int(prompt.name.split("-")[1]) in numbers]


def _speakers(engine: Engine, config: Config, names: str | None) -> list[VoiceInfo]:
    voices = {voice.name: voice for voice in engine.info.voices}
    chosen = names.split(",") if names else default_voices(engine.info, config.speech).values()
    for name in chosen:
        if name not in voices:
            raise UnknownVoiceError(f"no voice {name!r}", f"one of: {', '.join(voices)}")
    return [voices[name] for name in dict.fromkeys(chosen)]


def _jobs(voices: Sequence[VoiceInfo], prompts: Sequence[Prompt]) -> Iterator[tuple[VoiceInfo, Prompt]]:
    return ((voice, prompt) for voice in voices for prompt in prompts if prompt.lang in voice.langs)


def _crowd_jobs(
    engine: Engine, speakers: Sequence[VoiceInfo], prompts: Sequence[Prompt]
) -> Iterator[tuple[VoiceInfo, Prompt]]:
    """Other voices, spread over all there are; the speakers themselves where there is nobody else."""
    others = [voice for voice in engine.info.voices if voice not in speakers] or list(speakers)
    for voice in others[:: max(1, len(others) // _CROWD)][:_CROWD]:
        yield from list(_jobs([voice], prompts))[:_CROWD_PROMPTS]


def _record(engine: Engine, voice: VoiceInfo, prompt: Prompt) -> Samples:
    """At the device's rate and the programme's loudness."""
    samples = speak(engine, voice.name, prompt.lang, prompt.text)
    converted = Resampler(engine.info.sample_rate_hz, _OUTPUT_HZ).feed(samples, last=True)
    return at_programme(converted, _OUTPUT_HZ)


def figures(trial: Trial) -> dict[str, Any]:
    """Means over the recordings, 0 to 100; `gain` is over all ratios, `interval` its 95 % confidence.

    `worth_lu`: how much less noise would have helped flat speech as much.
    """
    flat = 100 * np.array([condition.flat for condition in trial.conditions])  # [ratios, recordings]
    gains = 100 * np.array([condition.preset for condition in trial.conditions]) - flat
    ratios = [condition.snr_lu for condition in trial.conditions]
    per_lu = (flat[-1].mean() - flat[0].mean()) / (ratios[-1] - ratios[0])
    of_each = gains.mean(axis=0)
    error = _CONFIDENCE * of_each.std(ddof=1) / np.sqrt(len(of_each))
    return {
        "gain": round(float(of_each.mean()), 2),
        "interval": [round(float(of_each.mean() + side * error), 2) for side in (-1, 1)],
        "worth_lu": round(float(of_each.mean() / per_lu), 2),
        "better": int(np.count_nonzero(of_each > 0)),
        "loudness_lu": {
            "mean": round(float(np.mean(trial.loudness_lu)), 2),
            "least": round(min(trial.loudness_lu), 2),
            "most": round(max(trial.loudness_lu), 2),
        },
        "by_snr": [
            {"snr_lu": snr, "flat": round(float(f.mean()), 2), "preset": round(float((f + g).mean()), 2)}
            for snr, f, g in zip(ratios, flat, gains, strict=True)
        ],
    }


def _print_table(result: dict[str, Any]) -> None:
    table = Table("preset", "gain", "95 %", "worth", "better", "loudness", "noise: flat, preset")
    for name, row in result["sites"].items():
        by_snr = (f"{at['snr_lu']:+} LU: {at['flat']:.1f}, {at['preset']:.1f}" for at in row["by_snr"])
        table.add_row(
            name,
            f"{row['gain']:+.1f}",
            "{:+.1f} to {:+.1f}".format(*row["interval"]),
            f"{row['worth_lu']:+.1f} LU",
            f"{row['better']} of {result['recordings']}",
            "{least:+.1f} to {most:+.1f} LU".format(**row["loudness_lu"]),
            "\n".join(by_snr),
        )
    Console().print(table)


if __name__ == "__main__":
    command()
