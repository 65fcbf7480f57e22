"""How long after a stop silence is heard, while a hundred announcements wait.

Real broker, real daemon, a recorded ALSA sink that keeps time. Measured from just before the stop is
published to the last sample that is not zero; both are times of the same monotonic clock, because the
sink runs on it and the recording tells when each sample was due. What a real sound card adds behind its
buffer (a millisecond or two of converter) is not in it.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.progress import track

# run as a script: the harness lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.clocked_sink import ClockedSink
from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.errors import EdgedError
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

_WAITING = 100
# a minute of tones or of speech: no run comes near its end
_TEXT = "Ladies and gentlemen, the counters on the ground floor are open again. " * 12
# the next announcement begins with silence, which tells it from the one that was stopped
_LEAD_MS = 1500
_SILENCE_S = 1.0
_LATEST_S = 1.5  # a stop comes so long after the first sound at most
_SOUNDING_MS = 20  # sound this close to the stop: in a pause between sentences there is nothing to stop
_DEADLINE_S = 60.0


@click.command()
@click.option("--runs", type=click.IntRange(2, 1000), default=50, help="How many stops.")
@click.option("--engine", type=click.Choice(["tone", "kokoro"]), default="tone", help="Whose speech.")
@click.option("--seed", type=int, default=1, help="Of the random moments.")
@click.option("--quick", is_flag=True, help="Three stops (smoke test).")
@config_option
@json_option
def main(runs: int, engine: str, seed: int, quick: bool, config_path: Path | None, as_json: bool) -> None:
    """Measure stop → silence on a clocked sink.

    \b
    Examples:
      .venv/bin/python benchmarks/stop_latency.py
      .venv/bin/python benchmarks/stop_latency.py --engine kokoro --runs 20 --json
    """
    try:
        models_dir = load_config(config_path).paths.models_dir
        latencies_ms = _measure(3 if quick else runs, engine, models_dir, random.Random(seed))
    except (EdgedError, TimeoutError, AssertionError, OSError) as error:
        raise click.ClickException(f"could not measure: {error}") from error
    summary = _summary(latencies_ms)
    click.echo(json.dumps(summary) if as_json else "  ".join(f"{k} {v}" for k, v in summary.items()))


def _measure(runs: int, engine: str, models_dir: Path, chance: random.Random) -> list[float]:
    latencies_ms: list[float] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(Broker(folder))
        sink = stack.enter_context(ClockedSink())
        if models_dir.is_dir():
            (folder / "models").symlink_to(models_dir)
        settings = f"speech: {{engine: {engine}}}\nqueue: {{max_waiting: {_WAITING + 1}}}\n"
        daemon = stack.enter_context(running_daemon(folder, broker, sink.env, settings))
        stopping = _Stopping(daemon, sink, chance)
        for _ in track(range(runs), "stopping", console=Console(stderr=True)):
            while (latency_ms := stopping.stop()) is None:
                pass
            latencies_ms.append(latency_ms)
    return latencies_ms


class _Stopping:
    """Announcements in their order; a hundred always wait behind the one that is spoken."""

    def __init__(self, daemon: RunningDaemon, sink: ClockedSink, chance: random.Random) -> None:
        self._daemon = daemon
        self._sink = sink
        self._chance = chance
        self._published = self._ended = 0

    def stop(self) -> float | None:
        """Stop the current one at a random moment: milliseconds to silence, None if it was silent then."""
        while self._published <= self._ended + _WAITING:
            segments = [{"pause_ms": _LEAD_MS}, {"text": _TEXT}]
            self._daemon.request(id=f"a{self._published}", segments=segments)
            self._published += 1
        with self._sink.record() as recording:
            at = self._chance.uniform(0.1, _LATEST_S)
            recording.until_heard(round(at * self._sink.rate_hz), _DEADLINE_S)
            stopped_s = time.monotonic()
            self._daemon.command("stop")
            heard = recording.until_silent(round(_SILENCE_S * self._sink.rate_hz), _DEADLINE_S)
        result = self._daemon.result(f"a{self._ended}")
        assert result["status"] == "cancelled", f"{result['status']}: {result['reason']}"
        self._ended += 1
        # milliseconds from the stop to each frame of sound
        first_ms = (recording.heard_at_s(0) - stopped_s) * 1000
        sound_ms = first_ms + np.flatnonzero(heard.any(axis=1)) * 1000 / self._sink.rate_hz
        is_fair = bool((np.abs(sound_ms) < _SOUNDING_MS).any())
        return float(sound_ms[-1]) if is_fair else None


def _summary(latencies_ms: list[float]) -> dict[str, float]:
    return {
        "p95_ms": round(float(np.percentile(latencies_ms, 95)), 1),
        "median_ms": round(statistics.median(latencies_ms), 1),
        "worst_ms": round(max(latencies_ms), 1),
        "runs": len(latencies_ms),
    }


if __name__ == "__main__":
    main()
