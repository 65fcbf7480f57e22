"""The load of the MQTT benchmark: its figures, its faults, and a small run of all of it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.cut_proxy import CutProxy
from benchmarks.mqtt_chaos import FAULTS, plan
from benchmarks.mqtt_figures import growth, percentile
from benchmarks.mqtt_orders import Book, make_orders, spread
from edged.protocol.request import Parsed, parse_speak
from edged.protocol.result import Progress, Result, Stage, Status

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "mqtt_load.py"
SEED = 20


@pytest.mark.broker
@pytest.mark.alsa
def test_in_chaos_nothing_is_lost_and_nothing_said_twice(tmp_path: Path) -> None:
    """Real broker, daemon and ALSA; each kind of fault strikes at a random point."""
    print("seed", SEED)
    options = ["--requests", "80", "--chaos", "--seed", str(SEED), "--muted", "0", "--json"]
    command = [sys.executable, str(SCRIPT), *options, "--keep", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    printed = json.loads(done.stdout)
    log = done.stderr + (tmp_path / "edged.log").read_text()
    faults = ("lost", "spoken_twice", "contradictions", "crashes", "queue_full")
    assert {name: printed[name] for name in faults} == dict.fromkeys(faults, 0), log
    assert (printed["accepted"], printed["terminal"]) == (80, 80), log
    assert printed["restarts"] == dict.fromkeys(FAULTS, 1)
    assert done.returncode == 0


def test_a_plan_of_faults_is_its_seed() -> None:
    """The same every time, another for another seed, all kinds evenly, in order."""
    faults = plan(10_000, 100, seed=3)
    assert faults == plan(10_000, 100, seed=3) != plan(10_000, 100, seed=4)
    assert set(Counter(planned.fault for planned in faults).values()) == {20}
    assert [planned.after_requests for planned in faults] == sorted({p.after_requests for p in faults})


def test_every_fault_strikes_even_a_small_load() -> None:
    """Once at least."""
    assert {planned.fault for planned in plan(60, 1000, seed=1)} == set(FAULTS)


def test_orders_are_good_requests_and_their_seed() -> None:
    """Random ids, every one different, and the text is the number."""
    orders = make_orders(range(500), 1, speed=2.0)
    assert orders == make_orders(range(500), 1, speed=2.0)
    assert len({order.id for order in orders}) == 500
    for order in orders:
        parsed = parse_speak(None, order.payload, max_text_chars=100)
        assert isinstance(parsed, Parsed)
        assert (parsed.request.id, parsed.warnings) == (order.id, ())


def test_orders_come_at_a_rate() -> None:
    """One after the other, irregularly, so many in a second."""
    orders = make_orders(range(5000), 1)
    spread(orders, 100.0, 500.0, seed=1)
    gaps_s = {later.due_s - sooner.due_s for sooner, later in pairwise(orders)}
    assert orders[0].due_s > 100.0
    assert orders[-1].due_s == pytest.approx(110.0, rel=0.05)
    assert min(gaps_s) > 0
    assert len(gaps_s) > 4900


def stage(order_id: str, name: Stage) -> bytes:
    return Progress(id=order_id, stage=name, device="d", ts=1.0).encode()


def result(order_id: str, ts: float) -> bytes:
    return Result(id=order_id, status=Status.FINISHED, device="d", ts=ts).encode()


def test_the_book_counts_each_order_once() -> None:
    """However often its stages and its result are heard."""
    book = Book()
    (order,) = make_orders(range(1), 1)
    book.add(order)
    assert book.note_event(stage(order.id, Stage.ACCEPTED), 1.0) is order
    assert book.note_event(stage(order.id, Stage.ACCEPTED), 2.0) is None
    assert book.note_event(stage("somebody", Stage.ACCEPTED), 2.0) is None
    assert book.note_answer(stage(order.id, Stage.ACCEPTED), 3.0) is None
    assert book.note_answer(result(order.id, 1.0), 4.0) is order
    assert book.note_answer(result(order.id, 1.0), 5.0) is None
    assert (order.event_s, order.reply_s, book.ended, book.contradictions) == (1.0, 3.0, 1, [])


def test_two_different_results_contradict_each_other() -> None:
    """One terminal result: a second one is a fault even if it says the same at another time."""
    book = Book()
    (order,) = make_orders(range(1), 1)
    book.add(order)
    book.note_answer(result(order.id, 1.0), 1.0)
    book.note_answer(result(order.id, 2.0), 2.0)
    assert book.contradictions == [order.id]


def test_growth_is_the_slope_and_what_is_not_known_of_it() -> None:
    """10 bytes a request: found exactly without noise, bounded from above with it; not for a few samples."""
    line = [(100 * n, 50_000_000 + 1000 * n) for n in range(200)]
    noisy = [(requests, rss + 8192 * (n % 3)) for n, (requests, rss) in enumerate(line)]
    steps = [(100 * n, 50_000_000 + 4096 * (n // 100)) for n in range(200)]
    assert growth(line) == pytest.approx(10.0)
    assert 10.0 < (growth(noisy) or 0) < 50.0
    assert 0 < (growth(steps) or 0) < 1.0
    assert growth(line[:40]) is None


def test_percentiles_of_nothing_are_unknown() -> None:
    """None, and no made-up figure."""
    assert percentile([], 99) is None
    assert percentile([1.0, 2.0, 3.0], 50) == 2.0


def test_a_cut_connection_is_reset_and_the_next_one_works() -> None:
    """On both sides; the proxy goes on."""
    with socket.create_server(("127.0.0.1", 0)) as server, CutProxy(server.getsockname()[1]) as proxy:
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", proxy.port)) as near:
                far, _ = server.accept()
                with far:
                    near.sendall(b"there")
                    assert far.recv(10) == b"there"
                    far.sendall(b"back")
                    assert near.recv(10) == b"back"
                    proxy.cut()
                    for end in (near, far):
                        with pytest.raises(ConnectionResetError):
                            end.recv(10)
