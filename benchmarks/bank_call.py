"""A call at a bank counter, key tone and words within 2 s: from its publish to its last sample.

Real broker, real daemon, recorded clocked ALSA sink. The words come out of the phrase cache. Those of a real
voice are longer than 1.6 s: the budget shortens them as far as it may.
"""

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

# run as a script: the harness lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.clocked_sink import ClockedSink
from edged.audio.chime import CHIMES
from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.errors import EdgedError
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

_WORDS = {
    "tone": "abcde fghij klmno pqrst",  # twenty tones of 80 ms: 1.6 s
    "kokoro": "请15号到3号窗口",
}
_SILENCE_FRAMES = 36000  # 0.75 s of 48 kHz: longer than any gap within the call
_LONGEST_S = 60.0


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it was heard: publish to first and to last sample."""

    first_ms: float
    last_ms: float

    @property
    def heard_ms(self) -> float:
        """How long it was."""
        return self.last_ms - self.first_ms


@click.command()
@click.option("--rounds", type=click.IntRange(1, 1000), default=20, help="How often it is called.")
@click.option("--quick", is_flag=True, help="One round (smoke test).")
@click.option("--chime", type=click.Choice(list(CHIMES)), default="key", show_default=True, help="Its tone.")
@click.option("--budget-ms", type=int, default=2000, show_default=True, help="max_duration_ms.")
@click.option("--engine", type=click.Choice(list(_WORDS)), default="tone", help="Whose speech.")
@config_option
@json_option
def main(
    rounds: int,
    quick: bool,
    chime: str,
    budget_ms: int,
    engine: str,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Measure publish → last sample of a call and its tone, said before.

    \b
    Examples:
      .venv/bin/python benchmarks/bank_call.py
      .venv/bin/python benchmarks/bank_call.py --chime ding --rounds 100 --json
    """
    try:
        models_dir = load_config(config_path).paths.models_dir
        how = {"chime": chime, "max_duration_ms": budget_ms}
        calls = _measure(engine, models_dir, 1 if quick else rounds, how)
    except (EdgedError, TimeoutError, AssertionError, OSError) as error:
        raise click.ClickException(f"could not measure: {error}") from error
    figures = {
        "heard_max_ms": round(max(call.heard_ms for call in calls)),
        "first_p50_ms": round(statistics.median(call.first_ms for call in calls)),
        "last_p50_ms": round(statistics.median(call.last_ms for call in calls)),
        "last_max_ms": round(max(call.last_ms for call in calls)),
        "n": len(calls),
    }
    if as_json:
        click.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        click.echo(f"{name:13} {value:6}")


def _measure(engine: str, models_dir: Path, rounds: int, how: dict[str, object]) -> list[Call]:
    words = _WORDS[engine]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(Broker(folder))
        sink = stack.enter_context(ClockedSink())
        if models_dir.is_dir():
            (folder / "models").symlink_to(models_dir)
        settings = f"speech: {{engine: {engine}}}\n"
        daemon = stack.enter_context(running_daemon(folder, broker, sink.env, settings))
        daemon.speak(words, id="first", cache="pin")
        _finished(daemon, "first")
        numbers = track(range(rounds), "calling", console=Console(stderr=True))
        return [_call(daemon, sink, f"call-{number}", words, how) for number in numbers]


def _call(
    daemon: RunningDaemon, sink: ClockedSink, request_id: str, words: str, how: dict[str, object]
) -> Call:
    with sink.record() as recording:
        before = recording.frames
        daemon.speak(words, id=request_id, **how)
        _finished(daemon, request_id)
        heard = np.flatnonzero(recording.until_silent(_SILENCE_FRAMES, _LONGEST_S).any(axis=1))
    return Call(*((int(frame) - before) * 1000 / sink.rate_hz for frame in (heard[0], heard[-1])))


def _finished(daemon: RunningDaemon, request_id: str) -> None:
    result = daemon.result(request_id)
    if result["status"] != "finished":
        raise TimeoutError(f"{result['status']} {result['code']}: {result['reason']}")


if __name__ == "__main__":
    main()
