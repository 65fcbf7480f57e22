"""Is the voice understood? Speaks prompts, has a speech recogniser write them down, and counts the errors."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from edged.audio import wav
from edged.cli.options import config_option, json_option
from edged.cli.recogniser import Recogniser
from edged.cli.synth_client import SpokenChunk, engine_options, open_synth, with_engine
from edged.config.loader import load_config
from edged.config.schema import Config
from edged.errors import BadInputError, EdgedError
from edged.text.language import sentence_langs
from edged.text.scoring import Score, score, spoken_form, total
from edged.text.sentence import Lang

_HERE = Path(__file__).resolve().parent
_PEERS = _HERE.parent / ".venv-peers"
_METRIC: dict[Lang, str] = {"zh": "pinyin_err", "en": "wer"}
_QUICK_PROMPTS = 3  # per language: enough to notice a broken voice, half a minute on two cores
_WORST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text to speak, how it is meant to be read out, the name of its recording and the file it is from."""

    name: str
    lang: Lang
    text: str
    spoken: str
    source: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What the recogniser made of a prompt."""

    prompt: Prompt
    text: str
    score: Score


@click.command()
@click.option(
    "--prompts",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help='JSON lines: {"lang": "zh", "text": "..."}, optionally "spoken": how it is read out. '
    "Of a folder all its files [default: benchmarks/prompts].",
)
@click.option(
    "--wav-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Score recordings zh-01.wav, en-01.wav, ... of the prompts instead of speaking.",
)
@click.option(
    "--every",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Only every so manieth line that has words, as of the many golden texts.",
)
@click.option("--quick", is_flag=True, help=f"Only the first {_QUICK_PROMPTS} prompts of each language.")
@engine_options
@config_option
@json_option
def command(
    sources: tuple[Path, ...],
    wav_dir: Path | None,
    every: int,
    quick: bool,
    engine: str | None,
    model: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Measure intelligibility: error of toneless pinyin (zh) and of words (en), in percent.

    Needs the recogniser of benchmarks/setup-peers.sh. Exit status 1: nothing could be measured.

    \b
    Examples:
      python benchmarks/intelligibility.py
      python benchmarks/intelligibility.py --quick --json
      python benchmarks/intelligibility.py --prompts tests/golden/text --every 25
      python benchmarks/intelligibility.py --prompts mine.jsonl --model models/kokoro
      python benchmarks/intelligibility.py --wav-dir recordings/
    """
    try:
        prompts = load_prompts(_files(sources or (_HERE / "prompts",)), quick, every)
        with tempfile.TemporaryDirectory() as scratch, Progress(console=Console(stderr=True)) as progress:
            folder = wav_dir or Path(scratch)
            if wav_dir is None:
                config = with_engine(load_config(config_path), engine, model)
                for _ in progress.track(speak(config, prompts, folder), len(prompts), description="speaking"):
                    pass
            listening = progress.track(listen(prompts, folder), len(prompts), description="listening")
            heard = list(listening)
    except EdgedError as error:
        click.echo(f"intelligibility: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(summary(heard)))
    else:
        _print_table(heard)


def _files(sources: Sequence[Path]) -> list[Path]:
    """The prompt files of folders and files."""
    return [
        file
        for source in sources
        for file in (sorted(source.glob("*.jsonl")) if source.is_dir() else [source])
    ]


def load_prompts(files: Sequence[Path], quick: bool, every: int = 1) -> list[Prompt]:
    """The prompts of all files, numbered per language. Raises BadInputError for a bad line."""
    prompts: list[Prompt] = []
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and number % every == 0:
                prompts += _prompts(line, file, number, prompts)
    if not prompts:
        raise BadInputError("no prompts", "a --prompts file with at least one line")
    if quick:
        return [p for p in prompts if int(p.name.split("-")[1]) <= _QUICK_PROMPTS]
    return prompts


def _prompts(line: str, file: Path, line_number: int, earlier: Sequence[Prompt]) -> list[Prompt]:
    """The prompt of a line; none for a golden text of which nothing is said."""
    where = f"{file}:{line_number}"
    hint = '{"lang": "zh" or "en", "text": "..."}'
    try:
        fields = json.loads(line)
        text = fields["text"]
        spoken = fields.get("spoken")
        if spoken == []:
            return []
        if isinstance(spoken, list):
            spoken = " ".join(spoken)
        lang: Lang = fields["lang"]
        if fields["lang"] == "auto":
            lang = sentence_langs([spoken])[0]
        spoken = spoken or spoken_form(text, lang)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{where}: not a prompt: {error!r}", hint) from error
    if lang not in _METRIC or not spoken:
        raise BadInputError(f"{where}: lang is {lang!r}, spoken form {spoken!r}", hint)
    number = 1 + sum(p.lang == lang for p in earlier)
    return [Prompt(f"{lang}-{number:02}", lang, text, spoken, file.stem)]


def speak(config: Config, prompts: Sequence[Prompt], folder: Path) -> Iterator[Prompt]:
    """Speak each prompt with the configured voice into `folder`; yields it when its recording is there."""
    with open_synth(config) as synth:
        for prompt in prompts:
            spoken = synth.speak(prompt.text, prompt.lang, None)
            chunks = [item.samples for item in spoken if isinstance(item, SpokenChunk)]
            samples = np.concatenate(chunks) if chunks else np.zeros(0, np.float32)
            (folder / f"{prompt.name}.wav").write_bytes(wav.encode(samples, synth.ready.sample_rate_hz))
            yield prompt


def listen(prompts: Sequence[Prompt], folder: Path) -> Iterator[Heard]:
    """Recognise the recordings one after the other.

    Raises EngineError when the recogniser is not set up or fails, BadInputError for a missing recording.
    """
    recordings = [(prompt.lang, _recording(prompt, folder)) for prompt in prompts]
    texts = Recogniser(_PEERS, _HERE / "recognise.py").listen(recordings)
    for prompt, text in zip(prompts, texts, strict=True):
        yield Heard(prompt, text, score(prompt.spoken, text, prompt.lang))


def _recording(prompt: Prompt, folder: Path) -> Path:
    path = folder / f"{prompt.name}.wav"
    if not path.is_file():
        raise BadInputError(f"{path}: no such recording", f"record {prompt.text!r} into it")
    return path


def summary(heard: Sequence[Heard]) -> dict[Lang, dict[str, Any]]:
    """{"zh": {"pinyin_err": percent, "n": prompts}, "en": {"wer": ...}}; only languages heard.

    With prompts of several files, such as a category each, `by_file` has the percent of each.
    """
    result: dict[Lang, dict[str, Any]] = {}
    for lang, metric in _METRIC.items():
        of_lang = [h for h in heard if h.prompt.lang == lang]
        if not of_lang:
            continue
        result[lang] = {metric: _percent(of_lang), "n": len(of_lang)}
        sources = sorted({h.prompt.source for h in of_lang})
        if len(sources) > 1:
            by_file = {
                source: _percent([h for h in of_lang if h.prompt.source == source]) for source in sources
            }
            result[lang]["by_file"] = by_file
    return result


def _percent(heard: Sequence[Heard]) -> float:
    return round(total([h.score for h in heard]).percent, 2)


def _print_table(heard: Sequence[Heard]) -> None:
    for lang, figures in summary(heard).items():
        click.echo(f"{lang}: {_METRIC[lang]} {figures[_METRIC[lang]]} %, n = {figures['n']}")
        for source, percent in sorted(figures.get("by_file", {}).items(), key=lambda item: -item[1]):
            click.echo(f"  {source:28} {percent:5.1f} %")
    worst = sorted((h for h in heard if h.score.errors), key=lambda h: -h.score.percent)[:_WORST_SHOWN]
    if not worst:
        return
    table = Table(
        "%", Column("said", overflow="fold"), Column("heard", overflow="fold"), title="worst prompts"
    )
    for h in worst:
        table.add_row(f"{h.score.percent:.0f}", h.prompt.spoken, h.text)
    Console().print(table)


if __name__ == "__main__":
    command()
