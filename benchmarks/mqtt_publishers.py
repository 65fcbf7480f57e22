"""Twenty counters that call tickets over one broker: MQTT 5, QoS 1, all of them in one thread.

Each waits for results before it publishes more. It asks again, with the same id, only for what a broker
that was killed may have forgotten: what the device has acknowledged must not get lost by itself.
"""

from __future__ import annotations

import json
import random
import select
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.mqtt_orders import Book, Order
from benchmarks.mqtt_station import Station

PUBLISHERS = 20
_TURN_S = 0.002  # how late an order that is due may be published
_DUPLICATES = 0.05  # the share of what is sent twice
_ASK_AGAIN_S = 4.0  # a restart of the broker or of the device takes less


class Publisher:
    """A sender of requests: keeps at most `window` of them without a result.

    Now and then it sends one twice: at once, and again after its result.
    """

    def __init__(self, number: int, port: int, topic: str, book: Book, rng: random.Random) -> None:
        self._topic = topic
        self._reply_topic = f"load/{number}"
        self._book = book
        self._rng = rng
        self.asked_again = 0
        self._open: dict[str, Order] = {}
        self._waiting: deque[Order] = deque()
        self.station = Station(f"publisher-{number}", port, (self._reply_topic,), self._hear)

    @property
    def is_done(self) -> bool:
        """Everything it had to say has a result."""
        return not self._waiting and not self._open

    @property
    def open_orders(self) -> Iterable[Order]:
        """Published, without a result."""
        return self._open.values()

    def give(self, order: Order) -> None:
        """One more request to send."""
        self._waiting.append(order)

    def send(self, window: int, now_s: float) -> list[Order]:
        """Publish what the window allows, and again what may be forgotten; gives the new ones."""
        if not self.station.is_up:
            return []
        for order in self._open.values():
            if order.is_forgettable and now_s - order.sent_s > _ASK_AGAIN_S:
                self._send(order)
                self.asked_again += 1
        fresh: list[Order] = []
        while self._waiting and self._waiting[0].due_s <= now_s and len(self._open) < window:
            order = self._waiting.popleft()
            self._open[order.id] = order
            fresh.append(order)
            self._send(order)
            order.published_s = order.sent_s
            if self._rng.random() < _DUPLICATES:
                self._send(order)
        return fresh

    def _send(self, order: Order) -> None:
        order.sent_s = time.monotonic()
        self.station.publish(self._topic, order.payload, self._reply_topic)

    def _hear(self, _topic: str, payload: bytes) -> None:
        ended = self._book.note_answer(payload, time.monotonic())
        if ended is None:
            return
        del self._open[ended.id]
        if self._rng.random() < _DUPLICATES:
            self._send(ended)


class Fleet:
    """All publishers and one observer of the device's events and state, in one loop.

    `on_accepted` is called for each order when the device says for the first time that it has it.
    """

    def __init__(
        self, port: int, base: str, book: Book, seed: int, on_accepted: Callable[[Order], None]
    ) -> None:
        rng = random.Random(seed)
        self._book = book
        self._on_accepted = on_accepted
        self._publishers = [
            Publisher(number, port, f"{base}/speak", book, random.Random(rng.random()))
            for number in range(PUBLISHERS)
        ]
        self._state_topic = f"{base}/state"
        self.state: dict[str, Any] = {}  # of the device, as it last said
        self._observer = Station("observer", port, (f"{base}/event", self._state_topic), self._observe)
        self._stations = [self._observer, *(publisher.station for publisher in self._publishers)]

    def give(self, orders: Iterable[Order]) -> None:
        """Requests, dealt out in turn."""
        for index, order in enumerate(orders):
            self._book.add(order)
            self._publishers[index % PUBLISHERS].give(order)

    @property
    def is_done(self) -> bool:
        """Every request has a result."""
        return all(publisher.is_done for publisher in self._publishers)

    @property
    def is_up(self) -> bool:
        """All are connected, and the device too."""
        return self.state.get("state") == "online" and all(station.is_up for station in self._stations)

    @property
    def asked_again(self) -> int:
        """How often a request was published once more because the broker may have forgotten it."""
        return sum(publisher.asked_again for publisher in self._publishers)

    def open_orders(self) -> Iterable[Order]:
        """Published, without a result."""
        return (order for publisher in self._publishers for order in publisher.open_orders)

    def turn(self) -> None:
        """Wait for news, a moment at most, and take it."""
        sockets = {sock: station for station in self._stations if (sock := station.socket) is not None}
        writers = [sock for sock, station in sockets.items() if station.wants_to_write]
        readable, writable, _ = select.select(sockets, writers, [], _TURN_S)
        now_s = time.monotonic()
        for station in self._stations:
            sock = station.socket
            station.turn(sock in readable, sock in writable, now_s)

    def send(self, window: int) -> list[Order]:
        """Let every publisher send; gives the new requests."""
        now_s = time.monotonic()
        return [order for publisher in self._publishers for order in publisher.send(window, now_s)]

    def command(self, topic: str, payload: bytes) -> None:
        """A command to the device."""
        self._observer.publish(topic, payload)

    def close(self) -> None:
        """All leave the broker."""
        for station in self._stations:
            station.close()

    def _observe(self, topic: str, payload: bytes) -> None:
        if topic == self._state_topic:
            self.state = json.loads(payload)
            return
        order = self._book.note_event(payload, time.monotonic())
        if order is not None:
            self._on_accepted(order)
