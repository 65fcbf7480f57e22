"""Speed and memory of edged's Kokoro against OpenVINO and onnxruntime on the published ONNX file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from edged.config.loader import load_config
from edged.engine.kokoro.model_files import ModelFiles
from edged.engine.kokoro.phonemes import Phonemizer
from edged.errors import EdgedError, EngineError
from edged.io.store import Store
from edged.text.sentence import Sentence

_HERE = Path(__file__).resolve().parent
_PEERS = _HERE.parent / ".venv-peers"
_QUICK_PROMPTS = 3  # of each language: about half a minute with the peers, on two cores
_VOICES = {"zh": "zf_xiaobei", "en": "af_heart"}
_SAMPLE_RATE_HZ = 24_000
_EDGED, _DIRECT, _ORT = "edged", "OpenVINO, ONNX directly", "onnxruntime, ONNX"


@dataclass(slots=True)
class Total:
    """What one engine did over all sentences."""

    seconds: float = 0.0
    audio_seconds: float = 0.0
    peak_rss_mb: float = 0.0

    @property
    def rtf(self) -> float:
        """Seconds of work per second of audio."""
        return self.seconds / self.audio_seconds


class Child:
    """An engine in its own process, so that its peak memory is its own."""

    def __init__(self, name: str, command: Sequence[str | Path]) -> None:
        self.name = name
        self.total = Total()
        environment = {**os.environ, "PYTHONPATH": str(_HERE.parent)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._answer()  # ready

    def speak(self, sentence: dict[str, Any]) -> dict[str, float]:
        """Speak one sentence and report on it."""
        stdin = self._process.stdin
        assert stdin is not None
        print(json.dumps(sentence), file=stdin, flush=True)
        return self._answer()

    def measure(self, sentence: dict[str, Any]) -> None:
        """Speak one sentence and add it to the total."""
        answer = self.speak(sentence)
        self.total.seconds += answer["seconds"]
        self.total.audio_seconds += answer["samples"] / _SAMPLE_RATE_HZ
        self.total.peak_rss_mb = answer["peak_rss_mb"]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> dict[str, float]:
        stdout = self._process.stdout
        assert stdout is not None
        line = stdout.readline()
        if not line:
            raise EngineError(
                f"{self.name} ended with status {self._process.wait()}", "see its message above"
            )
        answer: dict[str, float] = json.loads(line)
        return answer


@click.command()
@click.option(
    "--model",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Model folder [default: the active model].",
)
@click.option(
    "--threads", type=click.IntRange(1), default=2, show_default=True, help="CPU threads of each engine."
)
@click.option("--quick", is_flag=True, help=f"Only the first {_QUICK_PROMPTS} prompts of each language.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(model: Path | None, threads: int, quick: bool, as_json: bool) -> None:
    """Real-time factor (text to samples, G2P included) and peak memory, edged and its peers in turn.

    Needs benchmarks/setup-peers.sh once. Exit status 1: could not measure.

    \b
    Examples:
      python benchmarks/kokoro.py
      python benchmarks/kokoro.py --json --threads 4
      python benchmarks/kokoro.py --quick --model models/kokoro
    """
    try:
        model = model or Store(load_config().paths.models_dir).open_active("kokoro").path
        sentences = load_sentences(model, quick)
        totals = measure(engines(model, threads), sentences)
    except EdgedError as error:
        click.echo(f"kokoro: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(summary(totals)))
    else:
        Console().print(table(totals))


def load_sentences(model: Path, quick: bool) -> list[dict[str, Any]]:
    """The prompts as requests: language, spoken text, voice, and the tokens that edged makes of them."""
    vocabulary = ModelFiles(model).vocabulary
    phonemizer = Phonemizer(model)
    sentences = []
    for file in sorted((_HERE / "prompts").glob("*.jsonl")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for line in lines[: _QUICK_PROMPTS if quick else None]:
            prompt = json.loads(line)
            lang, spoken = prompt["lang"], prompt.get("spoken") or prompt["text"]
            phonemes = phonemizer.phonemes(Sentence(lang, spoken, 0))
            tokens = [vocabulary[symbol] for symbol in phonemes if symbol in vocabulary]
            sentences.append({"lang": lang, "spoken": spoken, "voice": _VOICES[lang], "tokens": tokens})
    return sentences


def engines(model: Path, threads: int) -> dict[str, list[str | Path]]:
    """The command of each child."""
    onnx, peer_python = _PEERS / "share/kokoro.onnx", _PEERS / "bin/python"
    if not (onnx.is_file() and peer_python.exists()):
        raise EngineError(f"{_PEERS}: the engines to compare with are missing", "benchmarks/setup-peers.sh")
    return {
        _EDGED: [sys.executable, _HERE / "kokoro_edged.py", model, str(threads)],
        _DIRECT: [sys.executable, _HERE / "kokoro_openvino.py", onnx, model, str(threads)],
        _ORT: [peer_python, _HERE / "kokoro_onnxruntime.py", onnx, model, str(threads)],
    }


def measure(commands: dict[str, list[str | Path]], sentences: Sequence[dict[str, Any]]) -> dict[str, Total]:
    """Every engine speaks every sentence, in turn: what else the machine does meets them all alike."""
    with ExitStack() as stack:
        children = []
        for name, command_line in commands.items():
            children.append(Child(name, command_line))
            stack.callback(children[-1].close)
        for child in children:
            child.speak(sentences[0])  # the first call of any engine is slow
        for sentence in track(sentences, "speaking", console=Console(stderr=True)):
            for child in children:
                child.measure(sentence)
        return {child.name: child.total for child in children}


def summary(totals: dict[str, Total]) -> dict[str, float]:
    """Ratios are the peer's figure over edged's for the same sentences: above 1, edged is better."""
    edged, direct, ort = totals[_EDGED], totals[_DIRECT], totals[_ORT]
    figures = {
        "rtf": edged.rtf,
        "rss_mb": edged.peak_rss_mb,
        "vs_onnx_direct": direct.seconds / edged.seconds,
        "vs_onnxruntime": ort.seconds / edged.seconds,
        "rss_vs_onnx_direct": direct.peak_rss_mb / edged.peak_rss_mb,
        "rss_vs_onnxruntime": ort.peak_rss_mb / edged.peak_rss_mb,
    }
    return {name: round(value, 3) for name, value in figures.items()}


def table(totals: dict[str, Total]) -> Table:
    """The same for people; peers synthesise the silence around a sentence as well, so compare seconds."""
    result = Table("engine", "seconds", "audio s", "RTF", "peak RSS MB", "times edged's seconds")
    edged = totals[_EDGED]
    for name, total in totals.items():
        result.add_row(
            name,
            f"{total.seconds:.1f}",
            f"{total.audio_seconds:.1f}",
            f"{total.rtf:.3f}",
            f"{total.peak_rss_mb:.0f}",
            f"{total.seconds / edged.seconds:.2f}",
        )
    return result


if __name__ == "__main__":
    command()
