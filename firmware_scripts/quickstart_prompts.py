"""The controller's side of quickstart.sh: waits for the daemon, publishes two prompts, reports both."""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import time
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

PROMPTS = {
    "zh": "请A015号到3号窗口办理业务。",
    "en": "Ticket A015, please proceed to counter 3.",
}
BROKER_S = 5.0
READY_S = 300.0  # the first start compiles the voice
SPOKEN_S = 120.0
POLL_S = 0.5  # how soon a daemon that died is noticed


class Controller:
    """One MQTT client: the state of the device and the results of what it was asked to say."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._topic = f"edged/{args.device_id}"
        self._daemon_pid: int = args.daemon_pid
        self._messages: queue.SimpleQueue[tuple[str, dict[str, Any]]] = queue.SimpleQueue()
        self._client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._client.on_connect = lambda *_: self._client.subscribe(
            [(f"{self._topic}/state", 1), (f"{self._topic}/result/+", 1)]
        )
        self._client.on_message = self._on_message
        self._connect(args.host, args.port)
        self._client.loop_start()

    def wait_ready(self) -> None:
        """Until the daemon says `online`; a fault it reports instead ends this program."""
        state = self._wait("/state", READY_S, lambda m: m["state"] in ("online", "degraded"))
        if state["state"] != "online":
            raise SystemExit(f"the daemon is degraded: {state['reason']}")

    def say(self, prompt_id: str, text: str) -> dict[str, Any]:
        """Publish one prompt and wait for its result."""
        request = json.dumps({"id": prompt_id, "text": text}, ensure_ascii=False)
        self._client.publish(f"{self._topic}/speak", request, qos=1)
        return self._wait(f"/result/{prompt_id}", SPOKEN_S, lambda m: "status" in m)

    def _connect(self, host: str, port: int) -> None:
        """A broker that was just started needs a moment until it listens."""
        deadline_s = time.monotonic() + BROKER_S
        while True:
            try:
                self._client.connect(host, port)
            except OSError as error:
                if time.monotonic() > deadline_s:
                    raise SystemExit(f"no broker at {host}:{port}: {error.strerror or error}") from None
                time.sleep(POLL_S)
            else:
                return

    def _on_message(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        self._messages.put((message.topic.removeprefix(self._topic), json.loads(message.payload)))

    def _wait(self, tail: str, limit_s: float, wanted: Any) -> dict[str, Any]:
        for _ in range(int(limit_s / POLL_S)):
            try:
                topic, message = self._messages.get(timeout=POLL_S)
            except queue.Empty:
                if not Path(f"/proc/{self._daemon_pid}").exists():
                    raise SystemExit("the daemon ended") from None
                continue
            if topic == tail and wanted(message):
                return message
        raise SystemExit(f"nothing on {self._topic}{tail} within {limit_s:.0f} s")


def keep_recording(recording: Path, target: Path) -> None:
    """Give the WAV that the last announcement went into its own name; drop what else was opened."""
    written = sorted(recording.parent.glob(f"{recording.name}*"), key=lambda path: path.stat().st_mtime_ns)
    written[-1].replace(target)
    target.chmod(0o644)  # ALSA makes it for its owner alone
    for empty in written[:-1]:
        empty.unlink()


def report(lang: str, text: str, result: dict[str, Any], where: str) -> str:
    """One line for one prompt."""
    if result["status"] != "finished":
        return f"{lang}  {text}  {result['status']}: {result['code']} {result['reason']}"
    first_s, audio_s = result["first_audio_ms"] / 1000, result["audio_ms"] / 1000
    return (
        f"{lang}  {text}  voice {result['voice']}  publish → first sample {first_s:.2f} s  "
        f"audio {audio_s:.2f} s  real-time factor {result['rtf']:.2f}  → {where}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--device-id", required=True)
    parser.add_argument("--daemon-pid", type=int, required=True)
    parser.add_argument("--daemon-log", type=Path, required=True)
    parser.add_argument("--pcm", required=True)
    parser.add_argument("--recording", type=Path, help="where ALSA's file plugin writes")
    args = parser.parse_args()
    try:
        controller = Controller(args)
        controller.wait_ready()
        results = {}
        for lang, text in PROMPTS.items():
            where = f"ALSA {args.pcm}"
            results[lang] = controller.say(f"quickstart-{lang}-{os.getpid()}", text)
            if args.recording is not None and results[lang]["status"] == "finished":
                target = args.recording.with_name(f"quickstart-{lang}.wav")
                keep_recording(args.recording, target)
                where = os.path.relpath(target)
            print(report(lang, text, results[lang], where))
    except SystemExit as error:
        print(f"{error}; its log, {args.daemon_log}:", file=sys.stderr)
        print(args.daemon_log.read_text(encoding="utf-8"), file=sys.stderr)
        sys.exit(1)
    sys.exit(any(result["status"] != "finished" for result in results.values()))


if __name__ == "__main__":
    main()
