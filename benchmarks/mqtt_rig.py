"""The set-up of a load from the publishers to the recording, and how requests are driven through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from benchmarks.cut_proxy import CutProxy
from benchmarks.mqtt_board import BASE, RATE_HZ, SPEED, Board, Recorder
from benchmarks.mqtt_chaos import Chaos, Fault, Planned
from benchmarks.mqtt_orders import Book, Order
from benchmarks.mqtt_publishers import Fleet
from benchmarks.tone_codes import Decoder, Heard
from tests.integration.broker import Broker

_UP_S = 60.0
_STALL_S = 120.0  # no result for so long: the rest is lost
_LINGER_S = 1.0  # an answer too many would come within this time
_RSS_EVERY_S = 0.2
# What is saved at a kill is a matter of luck; saving after each change would be slower than speech.
_BROKER = ("autosave_on_changes true", "autosave_interval 50")


class Rig:
    """Context manager: broker, recorder, device and publishers run inside the block.

    `book` knows every request, `rss_bytes` main's memory after so many ended requests. With `faults` the
    device is connected through a proxy.
    """

    def __init__(self, folder: Path, seed: int, faults: list[Planned]) -> None:
        self.book = Book()
        self.rss_bytes: list[tuple[int, int]] = []
        self._folder = folder
        self._seed = seed
        self._faults = faults
        self._stack = ExitStack()
        self._rss_due_s = 0.0
        self._cut_s: float | None = None  # the way to the device is broken since
        self._broker_is_new = False  # and may know nothing of the device yet

    def __enter__(self) -> Rig:
        with ExitStack() as stack:
            broker = stack.enter_context(Broker(self._folder, settings=_BROKER))
            proxy = stack.enter_context(CutProxy(broker.port))
            self._recorder = stack.enter_context(Recorder(self._folder))
            port = proxy.port if self._faults else broker.port
            self._board = stack.enter_context(Board(self._folder, port, self._recorder.fifo))
            self._fleet = Fleet(broker.port, BASE, self.book, self._seed, self._accepted)
            stack.callback(self._fleet.close)
            self._chaos = Chaos(self._faults, broker, proxy, self._board, self._cut)
            self._wait_until_up()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def restarts(self) -> dict[str, int]:
        """How often each fault has struck."""
        return self._chaos.counts()

    @property
    def crashes(self) -> int:
        """How often main has ended by itself."""
        return self._board.crashes

    @property
    def asked_again(self) -> int:
        """How often a request was published once more because the broker may have forgotten it."""
        return self._fleet.asked_again

    def mute(self) -> None:
        """From now on nothing is spoken."""
        while not self._fleet.state.get("muted"):  # the broker may be new, and lose it
            self._fleet.command(f"{BASE}/cmd/mute", b"true")
            self.linger()

    def drive(self, orders: Sequence[Order], window: int, advance: Callable[[int], object]) -> float:
        """Publish these, at most `window` without a result on each publisher, until all have one; in seconds.

        `advance` is told how many have ended since. Gives up when there is no result for two minutes.
        """
        self._fleet.give(orders)
        started_s = progress_s = time.monotonic()
        while not (self._fleet.is_done and self._chaos.is_done) and time.monotonic() - progress_s < _STALL_S:
            before = self.book.ended
            self._turn(window)
            if self.book.ended > before:
                progress_s = time.monotonic()
                advance(self.book.ended - before)
            self._measure_memory()
        return time.monotonic() - started_s

    def linger(self) -> None:
        """Hear for a moment what should not come any more."""
        end_s = time.monotonic() + _LINGER_S
        while time.monotonic() < end_s:
            self._fleet.turn()
            self._board.tend()

    def heard(self) -> list[Heard]:
        """Everything that was played; after the block."""
        return Decoder(RATE_HZ, SPEED).decode(self._recorder.samples())

    def _wait_until_up(self) -> None:
        deadline_s = time.monotonic() + _UP_S
        while not self._fleet.is_up:
            self._fleet.turn()
            if time.monotonic() > deadline_s:
                raise click.ClickException(f"the device does not come up: {self._board.log.read_text()}")

    def _turn(self, window: int) -> None:
        self._fleet.turn()
        for order in self._fleet.send(window):
            order.is_disturbed = self._cut_s is not None
            order.is_forgettable = self._broker_is_new
        self._board.tend()
        self._chaos.turn(self.book.ended)

    def _measure_memory(self) -> None:
        now_s = time.monotonic()
        if now_s >= self._rss_due_s and (rss := self._board.main_rss_bytes()):
            self._rss_due_s = now_s + _RSS_EVERY_S
            self.rss_bytes.append((self.book.ended, rss))

    def _cut(self, fault: Fault) -> None:
        self._cut_s = time.monotonic()
        self._broker_is_new |= fault == "broker"
        for order in self._fleet.open_orders():
            order.is_disturbed |= order.event_s is None
            order.is_forgettable |= fault == "broker"

    def _accepted(self, order: Order) -> None:
        if self._cut_s is not None and order.published_s > self._cut_s:
            self._cut_s = None
            self._broker_is_new = False
