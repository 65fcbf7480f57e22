"""How long from a publish to the first sound: real broker, real daemon, recorded clocked ALSA sink."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

# run as a script: the harness lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.clocked_sink import ClockedSink
from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.errors import EdgedError
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

_PROMPTS = {
    "zh, one sentence": "请A015号到3号窗口办理业务。",
    "en, one sentence": "Ticket A015, please proceed to counter 3.",
    "zh, three sentences": "您好，欢迎光临。请在机器上取号。然后在大厅等候叫号。",
    "en, three sentences": "Welcome. Please take a ticket at the machine. Then wait in the hall.",
}
_SILENCE_FRAMES = 36000  # 0.75 s of 48 kHz: longer than the pause between two sentences
_LONGEST_S = 120.0


@dataclass(frozen=True, slots=True)
class Latency:
    """One prompt: publish to first sample as heard in the recording, and as edged's result says."""

    heard_ms: float
    reported_ms: float


@click.command()
@click.option("--rounds", type=click.IntRange(1, 100), default=5, help="How often each prompt is published.")
@click.option("--quick", is_flag=True, help="One round (smoke test).")
@config_option
@json_option
def main(rounds: int, quick: bool, config_path: Path | None, as_json: bool) -> None:
    """Measure publish → first sample. The voice is the installed one.

    \b
    Examples:
      .venv/bin/python benchmarks/first_sample.py
      .venv/bin/python benchmarks/first_sample.py --rounds 20 --json
    """
    try:
        latencies = _measure(1 if quick else rounds, load_config(config_path).paths.models_dir)
    except (EdgedError, TimeoutError, AssertionError, OSError) as error:
        raise click.ClickException(f"could not measure: {error}") from error
    if as_json:
        click.echo(json.dumps({name: _summary(of) for name, of in latencies.items()}, ensure_ascii=False))
        return
    table = Table("prompt", "heard p50 ms", "heard max ms", "reported p50 ms", "n")
    for name, of in latencies.items():
        row = _summary(of)
        table.add_row(
            name, *(str(row[key]) for key in ("heard_p50_ms", "heard_max_ms", "reported_p50_ms", "n"))
        )
    Console().print(table)


def _measure(rounds: int, models_dir: Path) -> dict[str, list[Latency]]:
    latencies: dict[str, list[Latency]] = {name: [] for name in _PROMPTS}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(Broker(folder))
        sink = stack.enter_context(ClockedSink())
        (folder / "models").symlink_to(models_dir)
        daemon = stack.enter_context(running_daemon(folder, broker, sink.env, "speech: {engine: kokoro}\n"))
        for number in track(range(rounds), "speaking", console=Console(stderr=True)):
            for name, text in _PROMPTS.items():
                latencies[name].append(_say(daemon, sink, text, f"{number}-{name[:2]}-{len(text)}"))
    return latencies


def _say(daemon: RunningDaemon, sink: ClockedSink, text: str, request_id: str) -> Latency:
    with sink.record() as recording:
        before = recording.frames
        daemon.speak(text, id=request_id, cache="bypass")  # each round synthesises
        result = daemon.result(request_id)
        if result["status"] != "finished":
            raise TimeoutError(f"{result['status']} {result['code']}: {result['reason']}")
        heard = recording.until_silent(_SILENCE_FRAMES, _LONGEST_S)
    first = int(np.flatnonzero(heard.any(axis=1))[0])
    return Latency((first - before) / sink.rate_hz * 1000, result["first_audio_ms"])


def _summary(latencies: list[Latency]) -> dict[str, float]:
    heard_ms = [latency.heard_ms for latency in latencies]
    return {
        "heard_p50_ms": round(statistics.median(heard_ms)),
        "heard_max_ms": round(max(heard_ms)),
        "reported_p50_ms": round(statistics.median(latency.reported_ms for latency in latencies)),
        "n": len(latencies),
    }


if __name__ == "__main__":
    main()
