"""Does the memory of Qwen3-TTS grow? Speaks utterances of random length and fits a line to the RSS."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
import psutil
from rich.console import Console
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.qwen3 import converted
from benchmarks.qwen3_checkpoint import SIZES, checkpoint
from edged.engine.base import SpeechOptions, SynthJob
from edged.engine.qwen3.engine import Qwen3Engine
from edged.engine.qwen3.precision import Weights
from edged.errors import EdgedError, RunawayError
from edged.text.sentence import Lang, Sentence

_SETTLING_SHARE = 0.2  # of the utterances: buffers reach the size of the longest ones
_FRAMES_PER_CHARACTER = 2.8  # an ordinary pace; random weights do not end by themselves
_ONE_SIDED_95 = 1.645  # of the normal distribution, which hundreds of samples allow


@dataclass(frozen=True, slots=True)
class Growth:
    """RSS over utterances: last value, slope and its 95 % upper bound in bytes per utterance."""

    utterances: int
    seconds_spoken: float
    rss_mb: float
    bytes_per_utterance: float
    bytes_per_utterance_95: float


@click.command()
@click.option("--utterances", type=click.IntRange(20), default=1000, show_default=True)
@click.option("--size", type=click.Choice(SIZES), default="tiny", show_default=True)
@click.option(
    "--weights", type=click.Choice([choice.value for choice in Weights]), default="int8", show_default=True
)
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--longest", type=click.IntRange(1), default=60, show_default=True, help="Characters of the longest text."
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("/var/tmp/edged-qwen3"),
    show_default=True,
    help="Where checkpoints and models are kept.",
)
def command(
    utterances: int, size: str, weights: str, threads: int, longest: int, seed: int, work: Path
) -> None:
    """Print, as JSON, how many bytes an utterance leaves behind.

    \b
    Examples:
      python benchmarks/qwen3_soak.py --utterances 1000
      python benchmarks/qwen3_soak.py --utterances 100 --size 0.6b
    """
    try:
        model = converted(checkpoint(work, size), work / f"{size}-{weights}", Weights(weights))
        engine = Qwen3Engine(model, threads=threads, cache_dir=None)
        engine.warm_up()
        growth = soak(engine, utterances, longest, np.random.default_rng(seed))
    except EdgedError as error:
        click.echo(f"qwen3_soak: {error}", err=True)
        sys.exit(1)
    click.echo(json.dumps(asdict(growth)))


def soak(engine: Qwen3Engine, utterances: int, longest: int, rng: np.random.Generator) -> Growth:
    """Speak so many utterances of up to `longest` characters and look at the RSS after each."""
    process, spoken_s, rss = psutil.Process(), 0.0, []
    for _ in track(range(utterances), "speaking", console=Console(stderr=True)):
        spoken_s += _speak(engine, longest, rng)
        rss.append(process.memory_info().rss)
    settled = rss[int(_SETTLING_SHARE * utterances) :]
    slope, deviation = line(settled)
    return Growth(utterances, spoken_s, rss[-1] / 1e6, slope, slope + _ONE_SIDED_95 * deviation)


def line(values: Sequence[float]) -> tuple[float, float]:
    """Slope of the least-squares line through values at 0, 1, 2..., and its standard deviation."""
    x = np.arange(len(values)) - (len(values) - 1) / 2
    y = np.asarray(values, float) - np.mean(values)
    slope = float(x @ y / (x @ x))
    residual = y - slope * x
    return slope, math.sqrt(float(residual @ residual) / (len(values) - 2) / float(x @ x))


def _speak(engine: Qwen3Engine, longest: int, rng: np.random.Generator) -> float:
    """One utterance of any length, voice and seed. Returns the seconds it lasted."""
    length = int(rng.integers(1, longest + 1))
    text = "".join(chr(rng.integers(0x4E00, 0x9FA5)) for _ in range(length))
    voice = str(rng.choice([voice.name for voice in engine.info.voices]))
    options = SpeechOptions(seed=int(rng.integers(2**32)), max_seconds=length * _FRAMES_PER_CHARACTER / 12.5)
    voices: dict[Lang, str] = {"zh": voice}
    job = SynthJob("soak", (Sentence("zh", text, 0),), voices, options=options)
    samples = 0
    try:
        for chunk in engine.synthesize(job):
            samples += len(chunk.samples)
    except RunawayError:
        pass  # random weights may end too soon; what that costs counts as well
    return samples / engine.info.sample_rate_hz


if __name__ == "__main__":
    command()
