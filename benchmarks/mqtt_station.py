"""One MQTT 5 client that keeps connected, turned by a loop that it shares with others."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

from paho.mqtt.client import Client, ConnectFlags
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

_MISC_S = 1.0  # keep-alive and the like
_RECONNECT_S = 0.1
_SESSION_S = 3600
_MOST_IN_FLIGHT = 1000  # publishing is not what is to be limited

Hear = Callable[[str, bytes], None]


class Station:
    """Connects again whatever happens to the broker; `hear` gets topic and payload of every message."""

    def __init__(self, name: str, port: int, filters: tuple[str, ...], hear: Hear) -> None:
        self._port = port
        self._filters = filters
        self._is_up = False
        self._again_s = self._misc_s = 0.0
        client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTProtocolVersion.MQTTv5)
        client.on_connect = self._on_connect
        client.on_message = lambda _c, _u, message: hear(message.topic, bytes(message.payload))
        client.on_socket_open = _send_at_once
        client.max_inflight_messages_set(_MOST_IN_FLIGHT)
        self._client = client

    @property
    def is_up(self) -> bool:
        """Connected, and hears what is published."""
        return self._is_up and self.socket is not None

    @property
    def socket(self) -> socket.socket | None:
        """To wait on."""
        sock = self._client.socket()
        return sock if isinstance(sock, socket.socket) else None

    @property
    def wants_to_write(self) -> bool:
        """To wait on."""
        return bool(self._client.want_write())

    def publish(self, topic: str, payload: bytes, reply_topic: str | None = None) -> None:
        """Publish with QoS 1, at once."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if reply_topic is not None:
            properties.ResponseTopic = reply_topic
        self._client.publish(topic, payload, qos=1, properties=properties)
        if self.wants_to_write:
            self._client.loop_write()

    def turn(self, is_readable: bool, is_writable: bool, now_s: float) -> None:
        """Do what is due; connect again when the connection is gone."""
        if self.socket is None:
            self._is_up = False
            self._connect(now_s)
            return
        if is_readable:
            _acknowledge_at_once(self.socket)
            self._client.loop_read()
        if is_writable and self.socket is not None:
            self._client.loop_write()
        if now_s >= self._misc_s:
            self._misc_s = now_s + _MISC_S
            self._client.loop_misc()

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()

    def _connect(self, now_s: float) -> None:
        if now_s < self._again_s:
            return
        self._again_s = now_s + _RECONNECT_S
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = _SESSION_S
        with contextlib.suppress(OSError):  # the broker is down: soon again
            self._client.connect("127.0.0.1", self._port, clean_start=False, properties=properties)

    def _on_connect(
        self, client: Client, _u: object, _f: ConnectFlags, _r: ReasonCode, _p: Properties | None
    ) -> None:
        self._is_up = True
        if self._filters:
            client.subscribe([(topic_filter, 1) for topic_filter in self._filters])


def _acknowledge_at_once(sock: socket.socket | None) -> None:
    # a broker with Nagle's algorithm keeps the next message until the kernel has acknowledged this one,
    # for which it would wait 40 ms; it forgets this setting with every read
    if sock is not None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def _send_at_once(_client: Client, _userdata: object, sock: object) -> None:
    # without it the kernel may hold a publish back for 40 ms, and latencies are measured from here
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
