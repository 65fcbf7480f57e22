"""Anything on any topic: a result or one warning, never an exception, never speech of broken JSON."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from random import Random
from typing import Any

import pytest

from edged.io.mqtt import Message
from edged.protocol.command import VERBS
from edged.protocol.request import Priority, Request
from edged.protocol.result import ReplyTo
from edged.protocol.topics import CommandTopic, SpeakTopic, Topics
from tests.fakes.desk import SPEAK, Desk
from tests.fakes.mqtt import message

MESSAGES_PER_SEED = 1500
TOPICS = Topics("edged", "lobby")
STRANGE_TEXTS = (
    *("", " ", "\0", "\ud800", "\u2028", "<speak>", "{", "[1]", "长" * 200, "e\u0301" * 30),
    *("\u202eabc", "\U0001f469\u200d\U0001f469\u200d\U0001f467"),
)
STRANGE_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**63, 10**40, 1e308, float("nan"), float("-inf")),
    *([], {}, [[[]]]),
)
STRANGE_OBJECTS = (b'{"text":' + b"[" * 50_000, b'{"a":' * 3000, b"\xef\xbb\xbf{", b'{"text":"\\ud83d"}')
LONG_TEXT = b'{"id":"long","text":"' + "长".encode() * 21_845 + b'"}'  # 64 KiB
WORDS = ("hello", "all", "on", "40", "emergency", "zh", "whole", "interrupt", "drop", "finished", "call")


def strange_value(random: Random, depth: int = 0) -> Any:
    """Anything JSON can hold, and some that Python adds."""
    kind = random.randrange(8)
    if kind == 0 and depth < 3:
        return [strange_value(random, depth + 1) for _ in range(random.randrange(4))]
    if kind == 1 and depth < 3:
        return {strange_key(random): strange_value(random, depth + 1) for _ in range(random.randrange(4))}
    if kind in (2, 3):
        return random.choice(STRANGE_VALUES)
    if kind == 4:
        return random.choice(STRANGE_TEXTS)
    if kind == 5:
        return random.randint(-5, 120)
    return random.choice(WORDS)


def strange_key(random: Random) -> str:
    """Usually a field that means something somewhere."""
    names = [*Request.model_fields, "scope", "muted", "clip", "pause_ms", "spell", "digits", "n", "x" * 99]
    return random.choice(names)


def strange_object(random: Random) -> bytes:
    """A JSON object, in one case out of three with something sayable in it, and then perhaps damaged."""
    body = {strange_key(random): strange_value(random) for _ in range(random.randrange(5))}
    if random.random() < 0.3:
        body = {"id": f"n-{random.randrange(50)}", "text": random.choice(WORDS), **body}
    elif random.random() < 0.3:
        body = {"id": f"p-{random.randrange(10)}", "part": random.randrange(5), "text": "x"}
    data = json.dumps(body).encode()
    damage = random.randrange(6)
    if damage == 0:
        return data[: random.randrange(len(data))]
    if damage == 1:
        position = random.randrange(len(data))
        return data[:position] + bytes([random.randrange(256)]) + data[position + 1 :]
    return data


def strange_payload(random: Random) -> bytes:
    """What careless, broken and hostile senders publish."""
    match random.randrange(8):
        case 0:
            return random.randbytes(random.randrange(40))
        case 1:
            return random.choice([*STRANGE_TEXTS, *WORDS]).encode("utf-8", "surrogatepass")
        case 2:
            return random.choice(STRANGE_OBJECTS)
        case 3:
            return LONG_TEXT
        case _:
            return strange_object(random)


def strange_message(random: Random) -> Message:
    """On a topic of ours or on none."""
    topics = [SPEAK, "edged/all/speak", *(f"{SPEAK}/{one}" for one in (*Priority, "7", "10", "", "a\u0301"))]
    topics += [f"edged/lobby/cmd/{verb}" for verb in (*VERBS, "", "sing", "x" * 300)]
    topics += ["", "/", "edged/lobby/speak/high/now", "edged/other/speak", "\u0000"]
    topic = SPEAK if random.random() < 0.5 else random.choice(topics)
    return message(
        topic,
        strange_payload(random),
        qos=random.randrange(2),
        is_retained=random.random() < 0.05,
        is_redelivery=random.random() < 0.2,  # of another packet, as every one here has an id of its own
        reply_to=ReplyTo("kiosk") if random.random() < 0.3 else None,
        expiry_s=random.choice([None, 0, 4_294_967_295]),
    )


def is_broken_object(payload: bytes) -> bool:
    """It begins like JSON and is none (NaN and the like included)."""
    text = payload.decode("utf-8-sig", "replace").lstrip()
    if not text.startswith("{"):
        return False
    try:
        json.loads(text, parse_constant=lambda name: 1 / 0)
    except (ValueError, RecursionError, ZeroDivisionError):
        return True
    return False


@pytest.mark.parametrize("seed", range(4))
def test_any_bytes_on_any_topic_are_answered(
    seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A request is accepted, a duplicate, or gets a rejection and one warning; the rest one warning."""
    random, desk = Random(seed), Desk(tmp_path)
    counts = {"spoken": 0, "rejected": 0, "obeyed": 0}
    for _ in range(MESSAGES_PER_SEED):
        sent = strange_message(random)
        desk.forget()
        caplog.clear()
        desk.receive(sent)
        where = f"seed {seed}: {sent.topic!r} {sent.payload[:200]!r}"
        results = [what for topic, what, _ in desk.mqtt.published if topic.startswith("edged/lobby/result/")]
        refusals = [what for what in results if what.get("status") == "rejected"]
        warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
        match TOPICS.read(sent.topic):
            case _ if sent.is_retained and not sent.payload:
                assert [*desk.events, *results, *desk.obeyed, *warnings] == [], where
            case SpeakTopic():
                assert len(desk.events) + len(results) == 1, where
                assert len(warnings) == len(refusals), where
            case CommandTopic():
                assert len(desk.obeyed) == 1, where
            case _:
                assert (len(warnings), desk.events, results) == (1, [], []), where
        assert not (desk.events and (is_broken_object(sent.payload) or sent.is_retained)), where
        counts["spoken"] += len(desk.events)
        counts["rejected"] += len(refusals)
        counts["obeyed"] += len(desk.obeyed)
        if random.random() < 0.5:
            desk.finish(*desk.accepted())
    assert desk.ledger.fault == ""
    assert min(counts.values()) > 100, f"too few of a kind to mean anything: {counts}"
    desk.ledger.close()
