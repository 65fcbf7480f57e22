"""The files of docs/examples as a reader uses them: copied, with a broker and a device of one's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.integration.broker import Controller
from tests.integration.running_daemon import DEVICE

_ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = _ROOT / "docs" / "examples"
_TOOLS = _ROOT / ".venv-examples"
_INSTALL = "tests/integration/examples/install_toolchains.sh"
CALL: dict[str, Any] = {
    "template": "ticket_call",
    "vars": {"ticket": "A015", "counter": "3"},
    "ttl_ms": 30000,
}


def pasted(name: str, folder: Path, port: int, *, device: str = DEVICE, patience_s: int = 120) -> Path:
    """A copy that talks to 127.0.0.1:port and calls at this device; waits `patience_s` for the result."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for printed, own in (
        ("localhost", "127.0.0.1"),
        ("1883", str(port)),
        ("lobby", device),
        ("120", str(patience_s)),
    ):
        assert printed in text, f"{name} says {printed} nowhere"
        text = text.replace(printed, own)
    copy = folder / name
    copy.write_text(text, encoding="utf-8")
    return copy


def tool(name: str) -> str:
    """A program of `.venv-examples` or of the system; skips the test where it is not installed."""
    program = shutil.which(name, path=f"{_TOOLS}/bin:{_TOOLS}/node_modules/.bin") or shutil.which(name)
    if program is None:
        pytest.skip(f"needs {name}: {_INSTALL}")
    return program


def request_heard(desk: Controller) -> dict[str, Any]:
    """The next message on the topic that `desk` listens to, which must be a request, but for its id."""
    request: dict[str, Any] = json.loads(desk.next().payload)
    assert request.pop("id")
    request["vars"] = {name: str(value) for name, value in request["vars"].items()}
    return request


def publish_again(desk: Controller) -> None:
    """Publish the request that `desk` hears next once more; it is answered with how far it is."""
    message = desk.next()
    assert message.properties is not None
    reply_topic = getattr(message.properties, "ResponseTopic", None)
    desk.publish(message.topic, bytes(message.payload), reply_topic=reply_topic)


def accepted_id(desk: Controller) -> str:
    """Hear events until a request is accepted; its id."""
    while (event := json.loads(desk.next().payload)).get("stage") != "accepted":
        pass
    return str(event["id"])


def spoken_ids(desk: Controller, last: str) -> list[str]:
    """Hear events until `last` is being spoken: the ids of all that were, in their order."""
    ids = []
    while last not in ids:
        event = json.loads(desk.next().payload)
        if event.get("stage") == "speaking":
            ids.append(event["id"])
    return ids
