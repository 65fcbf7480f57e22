"""A call at a bank counter, key tone and words within 2 s: from its publish to its last sample.

Real broker, real daemon, recorded clocked ALSA sink. The words come out of the phrase cache, so the tone
engine stands for any voice.
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
from edged.cli.options import json_option
from edged.errors import EdgedError
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

_WORDS = "abcde fghij klmno pqrst"  # twenty tones of 80 ms: 1.6 s
_SILENCE_FRAMES = 24000  # half a second of 48 kHz: longer than any gap within the call
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
@json_option
def main(rounds: int, quick: bool, chime: str, budget_ms: int, as_json: bool) -> None:
    """Measure publish → last sample of a call of 1.6 s and its tone, said before.

    \b
    Examples:
      .venv/bin/python benchmarks/bank_call.py
      .venv/bin/python benchmarks/bank_call.py --chime ding --rounds 100 --json
    """
    try:
        calls = _measure(1 if quick else rounds, {"chime": chime, "max_duration_ms": budget_ms})
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


def _measure(rounds: int, how: dict[str, object]) -> list[Call]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(Broker(folder))
        sink = stack.enter_context(ClockedSink())
        daemon = stack.enter_context(running_daemon(folder, broker, sink.env))
        daemon.speak(_WORDS, id="first", cache="pin")
        _finished(daemon, "first")
        numbers = track(range(rounds), "calling", console=Console(stderr=True))
        return [_call(daemon, sink, f"call-{number}", how) for number in numbers]


def _call(daemon: RunningDaemon, sink: ClockedSink, request_id: str, how: dict[str, object]) -> Call:
    with sink.record() as recording:
        before = recording.frames
        daemon.speak(_WORDS, id=request_id, **how)
        _finished(daemon, request_id)
        heard = np.flatnonzero(recording.until_silent(_SILENCE_FRAMES, _LONGEST_S).any(axis=1))
    return Call(*((int(frame) - before) * 1000 / sink.rate_hz for frame in (heard[0], heard[-1])))


def _finished(daemon: RunningDaemon, request_id: str) -> None:
    result = daemon.result(request_id)
    if result["status"] != "finished":
        raise TimeoutError(f"{result['status']} {result['code']}: {result['reason']}")


if __name__ == "__main__":
    main()
