"""Does a device under load keep its promises, and how fast is it: real broker, real daemon, real ALSA.

Every request says its number. What was really played is recorded, decoded and compared with the results.
Then the device is muted, and what remains is measured: taking requests in and answering them.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

# run as a script: the harness lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.mqtt_board import SPEED
from benchmarks.mqtt_chaos import FAULTS, plan
from benchmarks.mqtt_figures import growth, percentile
from benchmarks.mqtt_orders import Order, make_orders, spread
from benchmarks.mqtt_rig import Rig
from benchmarks.spoken_check import Verdict, judge
from edged.cli.options import json_option

_FAULT_EVERY = 150  # requests: 60 or so faults among 10 000
_SPEAK_WINDOW = 2  # of each of 20 publishers: 40 of the 100 that may wait
_RATE_WINDOW = 3  # always something to do, and never more than may wait
_OFFERED_PER_S = 500.0  # what the device must bear; latencies at full load would be the harness's own
_PACED_WINDOW = 50
_MOST = 40_000  # of muted requests; together with the spoken ones they fit the numbers there are
_FAULTS_TOLD = 50


@dataclass(slots=True)
class Run:
    """What was asked, and what came of it."""

    spoken: list[Order]
    flooded: list[Order]
    paced: list[Order]
    spoken_s: float = 0.0
    flooded_s: float = 0.0


@click.command()
@click.option("--requests", type=click.IntRange(len(FAULTS), 50_000), default=10_000, show_default=True)
@click.option("--chaos", is_flag=True, help="Kill broker, main and its children, and cut connections.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of ids, duplicates and faults.")
@click.option(
    "--muted",
    type=click.IntRange(0, _MOST),
    default=10_000,
    show_default=True,
    help="Requests for the accept figures.",
)
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for the recording and the logs.")
@json_option
def main(requests: int, chaos: bool, seed: int, muted: int, keep: Path | None, as_json: bool) -> None:
    """Load the device with requests; exit status 1 when one was lost or spoken twice.

    \b
    Examples:
      .venv/bin/python benchmarks/mqtt_load.py --requests 10000 --chaos --seed 7 --json
      .venv/bin/python benchmarks/mqtt_load.py --requests 50000
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # leave no process behind
    faults = plan(requests, _FAULT_EVERY, seed) if chaos else []
    # under /tmp: ALSA_CONFIG_PATH takes a space for the end of a name
    with tempfile.TemporaryDirectory(prefix="edged-load-", dir="/tmp") as name:
        rig = Rig(Path(name), seed, faults)
        try:
            with rig:
                run = _run(rig, requests, muted, seed)
            verdict = judge({order.number: order.answer for order in rig.book.orders.values()}, rig.heard())
        finally:
            if keep is not None:
                _keep(Path(name), keep)
    report = {**_report(rig, run, verdict), "seed": seed}
    if as_json:
        click.echo(json.dumps(report))
    else:
        _print(report)
    broken = [*verdict.lost, *verdict.spoken_twice, *rig.book.contradictions]
    for fault in broken[:_FAULTS_TOLD]:
        click.echo(fault, err=True)
    sys.exit(1 if broken or rig.crashes else 0)


def _run(rig: Rig, requests: int, muted: int, seed: int) -> Run:
    numbers = range(requests + muted)
    orders = make_orders(numbers, seed, speed=SPEED, ack="accepted")
    half = requests + muted // 2
    run = Run(orders[:requests], orders[requests:half], orders[half:])
    with Progress(console=Console(stderr=True)) as progress:

        def drive(name: str, orders: Sequence[Order], window: int) -> float:
            task = progress.add_task(f"seed {seed}: {name}", total=len(orders))
            return rig.drive(orders, window, lambda ended: progress.advance(task, ended))

        run.spoken_s = drive("spoken", run.spoken, _SPEAK_WINDOW)
        rig.linger()
        if not muted:
            return run
        rig.mute()
        run.flooded_s = drive("as fast as it goes", run.flooded, _RATE_WINDOW)
        spread(run.paced, time.monotonic(), _OFFERED_PER_S, seed)
        drive(f"{_OFFERED_PER_S:.0f} a second", run.paced, _PACED_WINDOW)
        rig.linger()
    return run


def _report(rig: Rig, run: Run, verdict: Verdict) -> dict[str, Any]:
    answers = [answer for order in run.spoken if (answer := order.answer) is not None]
    speaking = [(requests, rss) for requests, rss in rig.rss_bytes if requests <= len(run.spoken)]
    by_status = Counter(" ".join(filter(None, (answer.status, answer.code))) for answer in answers)
    return {
        "accepted": sum(order.was_accepted for order in run.spoken),
        "terminal": len(answers),
        "lost": len(verdict.lost),
        "spoken_twice": len(verdict.spoken_twice),
        "contradictions": len(rig.book.contradictions),
        "asked_again": rig.asked_again,
        "cut_off": verdict.cut_off,
        "unconfirmed": verdict.unconfirmed,
        "restarts": rig.restarts,
        "crashes": rig.crashes,
        "queue_full": by_status["rejected queue_full"],
        "by_status": dict(by_status),
        "spoken_per_s": round(len(run.spoken) / run.spoken_s, 1),
        "accept_rate": round(len(run.flooded) / run.flooded_s, 1) if run.flooded else None,
        "accept_p50_ms": percentile(_latencies_ms(run.paced, lambda order: order.event_s), 50),
        "accept_p99_ms": percentile(_latencies_ms(run.paced, lambda order: order.event_s), 99),
        "reply_p50_ms": percentile(_latencies_ms(run.paced, lambda order: order.reply_s), 50),
        "reply_p99_ms": percentile(_latencies_ms(run.paced, lambda order: order.reply_s), 99),
        "speaking_accept_p99_ms": percentile(_latencies_ms(run.spoken, lambda order: order.event_s), 99),
        "main_rss_mb": round(max(rss for _, rss in rig.rss_bytes) / 1e6, 1),
        "bytes_per_request": None if any(rig.restarts.values()) else growth(speaking),
    }


def _latencies_ms(orders: Sequence[Order], moment: Callable[[Order], float | None]) -> list[float]:
    """Of those that nothing disturbed: what an outage takes is not the accept path's."""
    return [
        (at_s - order.published_s) * 1000
        for order in orders
        if not order.is_disturbed and (at_s := moment(order)) is not None
    ]


def _print(report: dict[str, Any]) -> None:
    table = Table("figure", "value")
    for name, value in report.items():
        table.add_row(name, str(value))
    Console().print(table)


def _keep(folder: Path, keep: Path) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    for name in ("played.s16", "edged.log", "broker/mosquitto.log", "state/journal.sqlite"):
        if (folder / name).exists():
            shutil.copy(folder / name, keep)


if __name__ == "__main__":
    main()
