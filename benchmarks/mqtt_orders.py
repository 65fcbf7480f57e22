"""What was asked of the device and what it answered, order by order; pure book-keeping."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.spoken_check import Answer
from benchmarks.tone_codes import encode
from edged.protocol.result import Code, Status

_ID_ALPHABET = string.ascii_letters + string.digits + "._:-"
_LONGEST_ID = 64
# As much of it as makes two equal ones among a million improbable.
_SHORTEST_ID = 12


@dataclass(slots=True)
class Order:
    """One request: its number is its text. Moments are of the monotonic clock.

    It is not published before `due_s`. `is_disturbed`: the device was, or went, out of reach before it was
    accepted. `is_forgettable`: the broker was killed while it had the request or its result.
    """

    number: int
    id: str
    payload: bytes
    due_s: float = 0.0
    published_s: float = 0.0
    sent_s: float = 0.0  # the last time
    event_s: float | None = None  # `accepted` on .../event
    reply_s: float | None = None  # `accepted` on the Response Topic
    is_disturbed: bool = False
    is_forgettable: bool = False
    result: dict[str, Any] | None = None

    @property
    def was_accepted(self) -> bool:
        """As far as it was heard: events are lost with connections."""
        is_refused = self.result is None or self.result["status"] == Status.REJECTED
        return self.event_s is not None or self.reply_s is not None or not is_refused

    @property
    def answer(self) -> Answer | None:
        """Its result as far as it says what may have been heard."""
        if self.result is None:
            return None
        code = self.result["code"]
        return Answer(Status(self.result["status"]), None if code is None else Code(code))


def make_orders(numbers: range, seed: int, **fields: Any) -> list[Order]:
    """Requests with random ids; `fields` are those of every request."""
    return [_make(number, seed, fields) for number in numbers]


def spread(orders: Sequence[Order], begin_s: float, per_s: float, seed: int) -> None:
    """Make them due as customers come: independent of each other, so many in a second on average."""
    rng = random.Random(seed)
    due_s = begin_s
    for order in orders:
        due_s += rng.expovariate(per_s)
        order.due_s = due_s


def _make(number: int, seed: int, fields: dict[str, Any]) -> Order:
    rng = random.Random(f"{seed} {number}")
    order_id = "".join(rng.choices(_ID_ALPHABET, k=rng.randint(_SHORTEST_ID, _LONGEST_ID)))
    return Order(number, order_id, json.dumps({"id": order_id, "text": encode(number), **fields}).encode())


@dataclass(slots=True)
class Book:
    """All orders, and what has been heard about them.

    `contradictions`: ids whose results did not agree with each other.
    """

    orders: dict[str, Order] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    accepted: int = 0
    ended: int = 0

    def add(self, order: Order) -> None:
        """One more, not published yet."""
        self.orders[order.id] = order

    def note_event(self, payload: bytes, now_s: float) -> Order | None:
        """A stage as heard on .../event; gives the order it accepts for the first time."""
        progress = json.loads(payload)
        order = self.orders.get(progress.get("id", ""))
        if order is None or progress.get("stage") != "accepted" or order.event_s is not None:
            return None
        order.event_s = now_s
        self.accepted += 1
        return order

    def note_answer(self, payload: bytes, now_s: float) -> Order | None:
        """A stage or a result, as heard on a Response Topic; gives the order that it ends."""
        answer = json.loads(payload)
        order = self.orders[answer["id"]]
        if "stage" in answer:
            if answer["stage"] == "accepted" and order.reply_s is None:
                order.reply_s = now_s
            return None
        if order.result is None:
            order.result = answer
            self.ended += 1
            return order
        if answer != order.result:
            self.contradictions.append(order.id)
        return None
