"""`edged say --via mqtt`: have a device on the broker say it, and wait for what became of it."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import asdict, dataclass
from typing import Any

import click
from rich.console import Console
from rich.status import Status as Progress

from edged.config.schema import Config
from edged.daemon.identity import device_name
from edged.engine.base import SpeechOptions
from edged.errors import BrokerError, EdgedError, error_for
from edged.io.visitor import Heard, Visitor
from edged.protocol.topics import Topics

_STATE_S = 2.0  # a retained state comes right behind the subscription
_FAREWELL_S = 3.0  # a stop takes 100 ms
# From one sign of life to the next: half a second a character is twice the slowest voice, and a board that
# has just started needs half a minute to load it.
_LONGEST_SILENCE_S = 60.0
_S_PER_CHAR = 0.5
_EXIT = {"finished": 0, "rejected": 65, "failed": 70}
_TRY_AGAIN = 75  # expired, cancelled, interrupted, muted: nothing is wrong with the request

via_option = click.option(
    "--via", type=click.Choice(["mqtt"]), help="Let the daemon of a board say it, through the broker."
)


@dataclass(frozen=True, slots=True)
class _Topics:
    """Where to ask and where to listen."""

    device: Topics
    request_id: str
    reply: str

    @property
    def result(self) -> str:
        return self.device.result(self.request_id)


def request_fields(
    text: str, lang: str, voice: str | None, how: SpeechOptions, **other: str | int | None
) -> dict[str, Any]:
    """What was asked for on the command line, as fields of a request."""
    options = {name: value for name, value in asdict(how).items() if value is not None}
    instruct = options.pop("instruct", None)
    given = {"voice": voice, "instruct": instruct, "options": options or None, **other}
    return {"text": text, "lang": lang, **{name: value for name, value in given.items() if value is not None}}


def say_via_mqtt(config: Config, device: str | None, fields: dict[str, Any], *, as_json: bool) -> int:
    """Ask `device` (None: this board's own daemon) for `fields`, print the result, give the exit status.

    Raises BrokerError when the broker, the device or the result cannot be reached. Ctrl-C cancels the
    announcement.
    """
    name = device or device_name(config)
    base = config.mqtt.base_topic
    request_id = f"say-{uuid.uuid4().hex[:12]}"
    console = Console(stderr=True)
    with Visitor(config.mqtt, "say") as visitor:
        topics = _Topics(Topics(base, name), request_id, f"{base}/answer/{visitor.client_id}")
        visitor.subscribe(topics.result, topics.reply, topics.device.event, topics.device.state)
        _refuse_absent(visitor, topics, name)
        request = {"id": request_id, **fields}
        visitor.publish(topics.device.speak, json.dumps(request).encode(), reply_topic=topics.reply)
        with console.status(f"{name}: sent") as progress:
            result = _wait(visitor, topics, progress, _longest_silence_s(fields["text"]), name)
    return _report(result, console, name, as_json=as_json)


def _longest_silence_s(text: str) -> float:
    return _LONGEST_SILENCE_S + _S_PER_CHAR * len(text)


def _refuse_absent(visitor: Visitor, topics: _Topics, name: str) -> None:
    """Nobody would answer; the broker would keep the request and have it said at some later time."""
    deadline_s = time.monotonic() + _STATE_S
    while (left_s := deadline_s - time.monotonic()) > 0:
        heard = visitor.next(left_s)
        if heard is None or heard.topic != topics.device.state:
            continue
        state = _read(heard)
        if state.get("state") == "offline":
            raise BrokerError(f"{name} is offline", "edged fleet; systemctl status edged on that board")
        return
    raise BrokerError(f"no device {name!r} is known to the broker", "edged fleet shows their names")


def _wait(
    visitor: Visitor, topics: _Topics, progress: Progress, longest_silence_s: float, name: str
) -> dict[str, Any]:
    try:
        return _follow(visitor, topics, progress, longest_silence_s, name)
    except KeyboardInterrupt:
        progress.update(f"{name}: cancelling")
        cancel = json.dumps({"id": topics.request_id}).encode()
        visitor.publish(topics.device.command("cancel"), cancel)
        deadline_s = time.monotonic() + _FAREWELL_S
        while (left_s := deadline_s - time.monotonic()) > 0:
            heard = visitor.next(left_s)
            if heard is not None and _is_result(heard, topics):
                break
        raise


def _follow(
    visitor: Visitor, topics: _Topics, progress: Progress, longest_silence_s: float, name: str
) -> dict[str, Any]:
    """Until the result; each sign of life of the device gives it its time again."""
    while True:
        heard = visitor.next(longest_silence_s)
        if heard is None:
            raise BrokerError(
                f"{name}: no result, and nothing else, for {longest_silence_s:.0f} s", "edged fleet"
            )
        if _is_result(heard, topics):
            return _read(heard)
        news = _read(heard)
        if heard.topic == topics.device.state and news.get("state") == "offline":
            raise BrokerError(f"{name} went offline before it had a result", "edged fleet")
        if news.get("id") == topics.request_id and "stage" in news:
            progress.update(f"{name}: {news['stage']}")


def _is_result(heard: Heard, topics: _Topics) -> bool:
    return heard.topic in (topics.result, topics.reply) and "status" in _read(heard)


def _read(heard: Heard) -> dict[str, Any]:
    """What others publish can be anything; what is no object says nothing."""
    try:
        value = json.loads(heard.payload)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _report(result: dict[str, Any], console: Console, name: str, *, as_json: bool) -> int:
    for warning in result.get("warnings") or ():
        console.print(f"warning: {warning}", style="yellow", markup=False)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        click.echo(f"{name}: {_in_words(result)}")
    return _exit_status(result)


def _in_words(result: dict[str, Any]) -> str:
    words = str(result["status"])
    if result.get("code"):
        words += f" ({result['code']}): {result.get('reason', '')}"
    if result.get("audio_ms"):
        words += f", {result['audio_ms'] / 1000:.1f} s of {result.get('voice')}"
    return words


def _exit_status(result: dict[str, Any]) -> int:
    if result["status"] == "failed" and result.get("code"):
        try:
            return error_for(result["code"], "").exit_status
        except ValueError:
            return EdgedError.exit_status
    return _EXIT.get(result["status"], _TRY_AGAIN)
