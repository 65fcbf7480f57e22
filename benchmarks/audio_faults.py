"""Does speech survive its sound device? Every fault at random moments, before, in and after announcements.

Real broker, real daemon with the tone engine, a recorded ALSA sink that keeps time, and a shim in front
of libasound that makes it fail (tests/integration/alsa/alsa_faults.c). When a fault ends, a second
announcement is published: speech works again when anything is heard.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import click
import numpy as np
import psutil
from rich.console import Console
from rich.progress import track

# run as a script: the harness lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.clocked_sink import ClockedSink, Recording, poll_until
from benchmarks.fault_shim import FAULTS, Fault, FaultShim
from edged.cli.options import json_option
from edged.errors import DaemonUnreachableError, EdgedError
from edged.io.status_socket import read_status
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

# the device is opened again for most of the announcements, which is when it can be busy
_SETTINGS = "speech: {engine: tone}\naudio: {close_after_s: 0.1}\n"
_TEXT = "One two three."  # 1.2 s of tones
_PROBE = "Next."
# A fault begins so long after an announcement was published: from before its first sample to after its
# last one, and while the device is kept open after it.
_LATEST_S = 1.8
_SHORTEST_S, _LONGEST_S = 0.02, 1.5  # a device that stands still hangs after 1 s
# So many of the faults are there already when the announcement comes, and the device has been let go of.
_BEFORE = 0.3
_REST_S = 0.5
_HANG_S = 1.0  # main answers in milliseconds
_POLL_S = 0.1
_DEADLINE_S = 30.0


@dataclass(slots=True)
class Tally:
    """What came of the faults."""

    recovered_s: dict[Fault, list[float]] = field(default_factory=dict)
    results: Counter[str] = field(default_factory=Counter)
    missing: int = 0  # announcements without result, or with two
    hangs: int = 0
    slowest_answer_s: float = 0.0  # of main
    left_behind: int = 0


@click.command()
@click.option("--points", type=click.IntRange(1, 1000), default=50, help="How often each fault strikes.")
@click.option(
    "--fault", "faults", type=click.Choice(FAULTS), multiple=True, help="Only this one [repeatable]."
)
@click.option("--seed", type=int, default=1, help="Of the random moments.")
@click.option("--quick", is_flag=True, help="Each fault once (smoke test).")
@json_option
def main(points: int, faults: tuple[str, ...], seed: int, quick: bool, as_json: bool) -> None:
    """Inject every fault of a sound device into a speaking daemon.

    \b
    Examples:
      .venv/bin/python benchmarks/audio_faults.py
      .venv/bin/python benchmarks/audio_faults.py --points 10 --fault away --fault hang --json
    """
    chosen = cast("Sequence[Fault]", faults or FAULTS)
    try:
        tally = _measure(list(chosen) * (1 if quick else points), random.Random(seed))
    except (EdgedError, TimeoutError, OSError) as error:
        raise click.ClickException(f"could not measure: {error}") from error
    summary = _summary(tally)
    click.echo(json.dumps(summary) if as_json else "\n".join(f"{k:18} {v}" for k, v in summary.items()))


def _measure(faults: list[Fault], chance: random.Random) -> Tally:
    tally = Tally()
    chance.shuffle(faults)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(Broker(folder))
        sink = stack.enter_context(ClockedSink())
        shim = FaultShim(folder)
        stack.callback(shim.end)
        env = {**sink.env, **shim.env}
        daemon = stack.enter_context(running_daemon(folder, broker, env, _SETTINGS))
        with _Watch(folder / "run") as watch:
            for number, fault in enumerate(track(faults, "failing", console=Console(stderr=True))):
                point = _Point(daemon, sink, shim, chance, str(number))
                tally.recovered_s.setdefault(fault, []).append(point.strike(fault))
                point.settle(tally)
        tally.hangs, tally.slowest_answer_s = watch.hangs, watch.slowest_s
        children = [daemon.child("synth"), daemon.child("player")]
        daemon.stop()
        tally.left_behind = len(psutil.wait_procs(children, timeout=_DEADLINE_S)[1])
    return tally


class _Point:
    """One fault at one moment, and the two announcements that meet it."""

    def __init__(
        self, daemon: RunningDaemon, sink: ClockedSink, shim: FaultShim, chance: random.Random, name: str
    ) -> None:
        self._daemon = daemon
        self._sink = sink
        self._shim = shim
        self._chance = chance
        self._ids = (f"a{name}", f"b{name}")

    def strike(self, fault: Fault) -> float:
        """Speak, fail, speak again: seconds from the end of the fault to the first sound after it."""
        first, probe = self._ids
        with self._sink.record() as recording:
            if self._chance.random() < _BEFORE:
                time.sleep(_REST_S)
                self._shim.begin(fault)
            self._daemon.speak(_TEXT, id=first)
            time.sleep(self._chance.uniform(0, _LATEST_S))
            self._shim.begin(fault)
            time.sleep(self._chance.uniform(_SHORTEST_S, _LONGEST_S))
            self._shim.end()
            ended_s = time.monotonic()
            self._daemon.speak(_PROBE, id=probe)
            poll_until(lambda: _sound_after(recording, ended_s) is not None, fault, _DEADLINE_S)
            return cast("float", _sound_after(recording, ended_s))

    def settle(self, tally: Tally) -> None:
        """Both have their result."""
        for request_id in self._ids:
            try:
                result = self._daemon.result(request_id)
            except AssertionError:  # none came, or a second one did
                tally.missing += 1
            else:
                tally.results[":".join(filter(None, (result["status"], result["code"])))] += 1


def _sound_after(recording: Recording, moment_s: float) -> float | None:
    """How long after this moment the first sound is heard that does not come before it."""
    begin = max(0, round((moment_s - recording.heard_at_s(0)) * recording.rate_hz))
    heard = np.flatnonzero(recording.samples()[begin:].any(axis=1))
    return recording.heard_at_s(begin + int(heard[0])) - moment_s if len(heard) else None


class _Watch:
    """Context manager: asks main for its status ten times a second; counts the answers that took too long."""

    def __init__(self, runtime_dir: Path) -> None:
        self.hangs = 0
        self.slowest_s = 0.0
        self._runtime_dir = runtime_dir
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _poll(self) -> None:
        while not self._is_over.wait(_POLL_S):
            asked_s = time.monotonic()
            try:
                read_status(self._runtime_dir)
            except DaemonUnreachableError as error:
                click.echo(f"main does not answer: {error}", err=True)
                self.hangs += 1
            else:
                self.hangs += time.monotonic() - asked_s > _HANG_S
            self.slowest_s = max(self.slowest_s, time.monotonic() - asked_s)


def _summary(tally: Tally) -> dict[str, Any]:
    all_s = [each_s for fault_s in tally.recovered_s.values() for each_s in fault_s]
    return {
        "injected": len(all_s),
        "one_result_each": tally.missing == 0,
        "recovered_p95_s": round(float(np.percentile(all_s, 95)), 2),
        "recovered_worst_s": round(max(all_s), 2),
        "hangs": tally.hangs,
        "slowest_answer_s": round(tally.slowest_answer_s, 2),
        "left_behind": tally.left_behind,
        "results": dict(sorted(tally.results.items())),
        "worst_s": {fault: round(max(each_s), 2) for fault, each_s in sorted(tally.recovered_s.items())},
    }


if __name__ == "__main__":
    main()
