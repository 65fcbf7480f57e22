"""Calls tickets to counters and waits until each has been said, with paho-mqtt (2.1 or later, MQTT 5).

    pip install 'paho-mqtt>=2.1'
    python3 ticket_call.py A015 3

Exit status: 0 said, 1 not said, 75 no answer.
"""

import json
import sys
import time
import uuid
from queue import Empty, Queue
from threading import Event

from paho.mqtt.client import Client, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

BROKER, PORT = "localhost", 1883
DEVICE = "lobby"
TTL_S = 30  # called later than this is worse than not called
PATIENCE_S = 120  # TTL_S and the time it takes to say it, with what is being said before it


class Caller:
    """One connection for all calls of a terminal; it comes back by itself. `name` is the terminal's own."""

    def __init__(self, name: str) -> None:
        self._answer_topic = f"edged/answer/{name}"
        self._answers: Queue[dict] = Queue()
        self._is_listening = Event()
        self._client = client = Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTv5)
        # client.username_pw_set("kiosk", "secret")
        client.reconnect_delay_set(min_delay=1, max_delay=15)
        client.on_connect = lambda *_: client.subscribe(self._answer_topic, qos=1)
        client.on_subscribe = lambda *_: self._is_listening.set()
        client.on_disconnect = lambda *_: self._is_listening.clear()
        client.on_message = lambda _client, _userdata, message: self._answers.put(json.loads(message.payload))
        session = Properties(PacketTypes.CONNECT)
        session.SessionExpiryInterval = 600  # so long the broker keeps answers for us when we are away
        client.connect_async(BROKER, PORT, keepalive=15, clean_start=False, properties=session)
        client.loop_start()

    def call(self, ticket: str, counter: str) -> dict | None:
        """What became of the call (its `status` is "finished" when it was said); None: nobody answered."""
        request = {
            "id": uuid.uuid4().hex,
            "template": "ticket_call",
            "vars": {"ticket": ticket, "counter": counter},
            "ttl_ms": TTL_S * 1000,
        }
        if not self._is_listening.wait(TTL_S):
            return None
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic = self._answer_topic
        properties.MessageExpiryInterval = TTL_S  # as long as the device is away, the broker counts
        self._client.publish(f"edged/{DEVICE}/speak", json.dumps(request), qos=1, properties=properties)
        return self._wait_for(request["id"])

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()
        self._client.loop_stop()

    def _wait_for(self, request_id: str) -> dict | None:
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, deadline_s - time.monotonic()))
            except Empty:
                return None
            if answer["id"] == request_id and "status" in answer:  # without one it tells how far it is
                return answer


def main(ticket: str, counter: str) -> int:
    """Call one ticket."""
    caller = Caller(f"counter-{counter}")
    result = caller.call(ticket, counter)
    caller.close()
    if result is None:
        print(f"no answer from {DEVICE}", file=sys.stderr)
        return 75
    if result["status"] != "finished":
        print(f"not said: {result['status']} {result['code']} {result['reason']}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
