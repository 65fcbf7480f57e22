"""A real `edged run` with a real broker and a real ALSA PCM, and the controller that talks to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks.clocked_sink import poll_until
from tests.integration.broker import WAIT_S, Broker, Controller

EDGED = str(Path(sys.executable).with_name("edged"))
DEVICE = "board"
_READY = ("online", "degraded")


class RunningDaemon:
    """The daemon's process; `start` it (again), `kill` what you like of it, hear what it publishes."""

    def __init__(self, folder: Path, broker: Broker, env: dict[str, str], settings: str = "") -> None:
        self.folder = folder
        self.broker = broker
        self.config = folder / "edged.yaml"
        self.controller = Controller(broker, session="controller")
        self.controller.subscribe(f"edged/{DEVICE}/#")
        self._env = {**os.environ, **env}
        self._process: subprocess.Popen[bytes] | None = None
        self._results: dict[str, dict[str, Any]] = {}
        self._was_killed = False
        self._stages: list[str] = []
        self._reached: set[tuple[str, str]] = set()  # which id told which stage live
        self.states: list[dict[str, Any]] = []
        self.infos: list[dict[str, Any]] = []
        self.write_config(
            f"device: {{id: {DEVICE}}}\n"
            f"mqtt: {{host: {broker.host}, port: {broker.port}}}\n"
            "paths: {models_dir: models, state_dir: state, cache_dir: cache, runtime_dir: run,"
            " clips_dir: clips, templates_dir: templates}\n",
            settings or "speech: {engine: tone}\n",
        )

    def write_config(self, fixed: str, settings: str) -> None:
        """The configuration file: what the harness needs and what the test wants."""
        self._fixed = fixed
        self.config.write_text(fixed + settings)

    def change_settings(self, settings: str) -> None:
        """Other settings, to be read at the next start or SIGHUP."""
        self.config.write_text(self._fixed + settings)

    def start(self) -> None:
        """Start it and wait until it says that it is online or degraded (not what the broker remembers)."""
        started_s = time.time()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [EDGED, "run", "--config", str(self.config)], stderr=log, env=self._env
            )
        self._hear_until(
            lambda: any(s["state"] in _READY and (s["since"] or 0) >= started_s for s in self.states)
        )

    def stop(self) -> int:
        """SIGTERM, as systemd does; gives the exit status."""
        self.terminate()
        return self.wait_ended()

    def terminate(self) -> None:
        """SIGTERM."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    def wait_ended(self) -> int:
        """Until the process has ended; gives its exit status."""
        assert self._process is not None
        status = self._process.wait(WAIT_S)
        self._process = None
        return status

    def kill(self) -> None:
        """SIGKILL to main."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(WAIT_S)
        self._process = None
        self._was_killed = True

    def reload(self) -> None:
        """SIGHUP."""
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def child(self, name: str) -> psutil.Process:
        """The process of synth or player."""
        assert self._process is not None
        children = psutil.Process(self._process.pid).children()
        return next(child for child in children if f"edged.workers.{name}" in child.cmdline())

    @property
    def log(self) -> Path:
        """What it says on standard error."""
        return self.folder / "edged.log"

    def speak(self, text: str, **fields: Any) -> None:
        """Publish a request that is a text."""
        self.request(text=text, **fields)

    def request(self, **fields: Any) -> None:
        """Publish a request."""
        self.controller.publish(f"edged/{DEVICE}/speak", json.dumps(fields))

    def command(self, verb: str, payload: str = "") -> None:
        """Publish a command."""
        self.controller.publish(f"edged/{DEVICE}/cmd/{verb}", payload)

    def result(self, request_id: str) -> dict[str, Any]:
        """The terminal result of this request; a second one of the same id is an error."""
        self._hear_until(lambda: request_id in self._results)
        return self._results[request_id]

    def results(self) -> list[dict[str, Any]]:
        """Every result heard so far."""
        return list(self._results.values())

    def wait_results(self, count: int) -> None:
        """Hear until there are so many results."""
        self._hear_until(lambda: len(self._results) >= count)

    def wait_sounding(self, text: str, request_id: str, **fields: Any) -> None:
        """Until this announcement is heard: a duplicate of its request is answered with its stage."""
        self._stages.clear()
        while "speaking" not in self._stages:
            heard = len(self._stages)
            self.speak(text, id=request_id, **fields)
            self._hear_until(lambda: len(self._stages) > heard)  # noqa: B023 - called before the next turn

    def wait_stage(self, request_id: str, stage: str) -> None:
        """Hear until this announcement has told this stage; once told, it counts for ever."""
        self._hear_until(lambda: (request_id, stage) in self._reached)

    @property
    def is_running(self) -> bool:
        """It was started and not ended by `stop` or `kill`."""
        return self._process is not None

    def wait_reason(self, words: str) -> None:
        """Hear until the device gives a reason for its state that holds these words."""
        self._hear_until(lambda: any(words in state["reason"] for state in self.states))

    def wait_current(self) -> str:
        """Hear until there is a current announcement; gives its id."""
        self._hear_until(lambda: bool(self.states) and self.states[-1]["id"] is not None)
        return str(self.states[-1]["id"])

    def wait_log(self, *words: str) -> None:
        """Until the log has a line with each of these words."""
        poll_until(lambda: all(word in self.log.read_text() for word in words), f"no {words}", WAIT_S)

    def wait_state(self, *states: str) -> dict[str, Any]:
        """Hear until the device has one of these states."""
        self._hear_until(lambda: bool(self.states) and self.states[-1]["state"] in states)
        return self.states[-1]

    def wait_info(self, engine: str) -> dict[str, Any]:
        """Hear until the device says that this engine speaks."""
        self._hear_until(lambda: bool(self.infos) and self.infos[-1]["engine"] == engine)
        return self.infos[-1]

    def wait_speaking(self, request_id: str) -> None:
        """Hear until this announcement is the current one."""
        self._hear_until(lambda: any(state["id"] == request_id for state in self.states))

    def _hear_until(self, is_there: Callable[[], bool]) -> None:
        while not is_there():
            message = self.controller.next()
            tail = message.topic.removeprefix(f"edged/{DEVICE}/")
            if tail == "state":
                self.states.append(json.loads(message.payload))
            elif tail == "info":
                self.infos.append(json.loads(message.payload))
            elif tail == "event":
                told = json.loads(message.payload)
                self._reached.add((told.get("id", ""), told.get("stage", "")))
            elif tail.startswith("result/"):
                result = json.loads(message.payload)
                if "stage" in result:
                    self._stages.append(result["stage"])
                    continue
                # the broker delivers again what was durable but not acknowledged: its result is told again
                is_told_again = self._was_killed and self._results.get(result["id"]) == result
                assert is_told_again or result["id"] not in self._results, "a second terminal result"
                self._results[result["id"]] = result


@contextmanager
def running_daemon(
    folder: Path, broker: Broker, env: dict[str, str], settings: str = ""
) -> Iterator[RunningDaemon]:
    """A daemon that has started; whatever the test did to it, nothing of it is left afterwards."""
    daemon = RunningDaemon(folder, broker, env, settings)
    try:
        daemon.start()
        yield daemon
    finally:
        if daemon._process is not None:
            daemon.kill()
        daemon.controller.close()


def wait_gone(*processes: psutil.Process) -> None:
    """Until the kernel has none of these processes any more."""
    poll_until(lambda: not any(p.is_running() for p in processes), "a process is left over", WAIT_S)
