"""Are all voices and clips equally loud? Measures each after its gain and the limiter.

A voice speaks prompts; the clips are the built-in chimes and the WAV files of a folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

# run as a script: the prompts' reader lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.intelligibility import Prompt, load_prompts
from edged.audio.chime import CHIMES
from edged.audio.limiter import Limiter
from edged.audio.loudness import gain_db, integrated_lufs
from edged.audio.resample import Resampler
from edged.audio.true_peak import true_peak_dbfs
from edged.cli.options import config_option, json_option
from edged.cli.synth_client import engine_options, with_engine
from edged.config.loader import load_config
from edged.config.schema import Config
from edged.engine.base import Engine, Samples, VoiceInfo
from edged.engine.loudness import speak
from edged.errors import BadInputError, EdgedError, UnknownVoiceError
from edged.workers.clips import Clips
from edged.workers.engines import open_engine
from edged.workers.loudness import known_lufs
from edged.workers.voicing import default_voices

_PROMPTS = Path(__file__).resolve().parent / "prompts"
_OUTPUT_HZ = 48000  # what a sound card runs at; the limiter is the last stage before it


@dataclass(frozen=True, slots=True)
class Recording:
    """One prompt or clip as the device gets it."""

    lufs: float
    true_peak_dbfs: float


@dataclass(frozen=True, slots=True)
class Row:
    """A voice over all its prompts; `known_lufs` is what its gain is made of, None where nothing is known."""

    known_lufs: float | None
    lufs: float
    quietest_lufs: float
    loudest_lufs: float
    true_peak_dbfs: float
    n: int


@click.command()
@click.option("--voices", help="Names with commas between them [default: the default voices], or `all`.")
@click.option(
    "--target", "target_lufs", type=click.FloatRange(-40, -10), help="LUFS [default: audio.loudness_lufs]."
)
@click.option(
    "--clips",
    "clips_dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="WAV files to measure, too [default: the built-in chimes only].",
)
@click.option("--quick", is_flag=True, help="Only the first three prompts of each language.")
@engine_options
@config_option
@json_option
def command(
    voices: str | None,
    target_lufs: float | None,
    clips_dir: Path | None,
    quick: bool,
    engine: str | None,
    model: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Loudness (ITU-R BS.1770, mono) and true peak of voices and clips after their gain and the limiter.

    Exit status 1: nothing could be measured.

    \b
    Examples:
      python benchmarks/loudness.py
      python benchmarks/loudness.py --voices zf_xiaobei,am_puck --json
      python benchmarks/loudness.py --clips /var/lib/edged/clips
      python benchmarks/loudness.py --engine tone --quick
    """
    try:
        prompts = load_prompts(sorted(_PROMPTS.glob("*.jsonl")), quick)
        config = with_engine(load_config(config_path), engine, model)
        target = config.audio.loudness_lufs if target_lufs is None else target_lufs
        rows = measure(config, voices, prompts, target)
        clips = measure_clips(clips_dir, target)
    except EdgedError as error:
        click.echo(f"loudness: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(summary(rows, clips, target)))
    else:
        _print_table(rows, clips, target)


def measure(
    config: Config, names: str | None, prompts: Sequence[Prompt], target_lufs: float
) -> dict[str, Row]:
    """Have each voice speak the prompts of its languages. Raises UnknownVoiceError, what speaking raises."""
    loaded = open_engine(config)
    known = known_lufs(loaded, config.paths.models_dir)
    rows = {}
    with Progress(console=Console(stderr=True)) as progress:
        for voice in progress.track(_chosen(loaded.engine, config, names), description="speaking"):
            lufs = known.get(voice.name)
            recordings = list(_record(loaded.engine, voice, prompts, gain_db(lufs, target_lufs)))
            rows[voice.name] = _row(lufs, recordings)
    loaded.engine.close()
    return rows


def measure_clips(folder: Path | None, target_lufs: float) -> dict[str, Recording]:
    """The built-in chimes and the WAV files of `folder`. Raises BadInputError that names the file."""
    files = sorted(path.name for path in folder.glob("*.wav")) if folder is not None else []
    clips = Clips(folder or Path(), target_lufs)
    return {name: _recorded(clips, name) for name in (*CHIMES, *files)}


def _recorded(clips: Clips, name: str) -> Recording:
    try:
        samples = np.concatenate(list(clips.samples(name, _OUTPUT_HZ)))
    except BadInputError as error:
        raise BadInputError(f"{name}: {error.what}", error.hint) from error
    output = to_device(samples, _OUTPUT_HZ, 0.0)
    lufs = integrated_lufs(output, _OUTPUT_HZ)
    if lufs is None:
        raise BadInputError(f"{name}: silent", "there is no loudness to measure")
    return Recording(round(lufs, 2), round(true_peak_dbfs(output), 2))


def _chosen(engine: Engine, config: Config, names: str | None) -> list[VoiceInfo]:
    voices = {voice.name: voice for voice in engine.info.voices}
    if names == "all":
        return list(voices.values())
    chosen = names.split(",") if names else default_voices(engine.info, config.speech).values()
    for name in chosen:
        if name not in voices:
            raise UnknownVoiceError(f"no voice {name!r}", f"one of: {', '.join(voices)}")
    return [voices[name] for name in dict.fromkeys(chosen)]


def _record(
    engine: Engine, voice: VoiceInfo, prompts: Sequence[Prompt], voice_gain_db: float
) -> Iterator[Recording]:
    for prompt in prompts:
        if prompt.lang in voice.langs:
            samples = speak(engine, voice.name, prompt.lang, prompt.text)
            output = to_device(samples, engine.info.sample_rate_hz, voice_gain_db)
            lufs = integrated_lufs(output, _OUTPUT_HZ)
            if lufs is not None:
                yield Recording(lufs, true_peak_dbfs(output))


def to_device(samples: Samples, rate_hz: int, voice_gain_db: float) -> Samples:
    """Speech [n] with its voice's gain, at the device's rate, limited."""
    amplified = samples * np.float32(10 ** (voice_gain_db / 20))
    converted = Resampler(rate_hz, _OUTPUT_HZ).feed(amplified, last=True)
    limiter = Limiter(_OUTPUT_HZ)
    return np.concatenate((limiter.feed(converted), limiter.flush()))


def _row(lufs: float | None, recordings: Sequence[Recording]) -> Row:
    loudness = [recording.lufs for recording in recordings]
    return Row(
        lufs,
        round(fmean(loudness), 2),
        round(min(loudness), 2),
        round(max(loudness), 2),
        round(max(recording.true_peak_dbfs for recording in recordings), 2),
        len(recordings),
    )


def summary(rows: dict[str, Row], clips: dict[str, Recording], target_lufs: float) -> dict[str, Any]:
    """`spread_lu`: between the loudest and the quietest of all; `off_target_lu`: the worst of them."""
    heard: list[Row | Recording] = [*rows.values(), *clips.values()]
    means = [one.lufs for one in heard]
    return {
        "target_lufs": target_lufs,
        "spread_lu": round(max(means) - min(means), 2),
        "off_target_lu": round(max(abs(mean - target_lufs) for mean in means), 2),
        "true_peak_dbfs": max(one.true_peak_dbfs for one in heard),
        "voices": {name: asdict(row) for name, row in rows.items()},
        "clips": {name: asdict(clip) for name, clip in clips.items()},
    }


def _print_table(rows: dict[str, Row], clips: dict[str, Recording], target_lufs: float) -> None:
    table = Table("voice or clip", "by itself", "at the device", "quietest", "loudest", "true peak dBFS", "n")
    for name, row in rows.items():
        known = "unknown" if row.known_lufs is None else f"{row.known_lufs:.1f}"
        figures = (row.lufs, row.quietest_lufs, row.loudest_lufs, row.true_peak_dbfs)
        table.add_row(name, known, *(f"{figure:.1f}" for figure in figures), str(row.n))
    for name, clip in clips.items():
        table.add_row(name, "", f"{clip.lufs:.1f}", "", "", f"{clip.true_peak_dbfs:.1f}", "1")
    Console().print(table)
    total = summary(rows, clips, target_lufs)
    click.echo(f"spread {total['spread_lu']} LU, off target by {total['off_target_lu']} LU at most")


if __name__ == "__main__":
    command()
