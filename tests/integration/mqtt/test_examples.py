"""The examples of docs/mqtt.md, pasted into a shell, with a real daemon behind the broker."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.integration.broker import WAIT_S, Broker
from tests.integration.running_daemon import DEVICE, running_daemon

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

DOC = (Path(__file__).parents[3] / "docs" / "mqtt.md").read_text(encoding="utf-8")
EXAMPLES = [block.replace("lobby", DEVICE) for block in re.findall(r"```sh\n(.*?)```", DOC, re.DOTALL)]


def shell_env(folder: Path, broker: Broker) -> dict[str, str]:
    """Where mosquitto's clients find the port, so that the examples are run as they are printed."""
    for name in ("mosquitto_pub", "mosquitto_sub", "mosquitto_rr"):
        (folder / name).write_text(f"-h {broker.host}\n-p {broker.port}\n")
    return {**os.environ, "XDG_CONFIG_HOME": str(folder)}


def test_every_example_works(broker: Broker, tmp_path: Path) -> None:
    """Each command succeeds; those that wait for an answer get it."""
    env = shell_env(tmp_path, broker)
    settings = "audio: {device: 'null'}\nspeech: {engine: tone}\n"
    answers = []
    with running_daemon(tmp_path, broker, {}, settings) as daemon:
        for example in EXAMPLES:
            # the one that listens for ever ends with the three retained topics
            command = example.replace("mosquitto_sub -V mqttv5 -v", "mosquitto_sub -V mqttv5 -v -C 3")
            done = subprocess.run(
                command, shell=True, env=env, capture_output=True, text=True, timeout=WAIT_S * 2, check=True
            )
            answers += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        said = [daemon.result(request_id)["status"] for request_id in ("t-17", "t-18", "story")]
    assert [answer["status"] for answer in answers] == ["finished", "finished"]
    assert said == ["finished"] * 3
