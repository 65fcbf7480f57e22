"""The broker as seen from outside a session: password, paho client, words for refusals, a check."""

from __future__ import annotations

import socket
import time
import uuid
from typing import TYPE_CHECKING

from paho.mqtt.client import Client, ConnectFlags
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from edged.config.schema import MqttConfig
from edged.errors import BrokerError, ConfigError
from edged.io.systemd import ServiceManager

if TYPE_CHECKING:
    from paho.mqtt.client import SocketLike

CONNECT_TIMEOUT_S = 5.0  # a TCP connect on a site network takes milliseconds; one retransmission 1-3 s
CHECK_TIMEOUT_S = 3.0
_CREDENTIAL = "mqtt-password"

# Reason codes of MQTT 5 that trying again soon will not change.
_BAD_CREDENTIALS = {134, 135}
_TAKEN_OVER = 142
_SLOW = {*_BAD_CREDENTIALS, 133, 138, 140, _TAKEN_OVER}


def read_password(config: MqttConfig) -> str | None:
    """From `password_file`, else from the systemd credential `mqtt-password`, else None.

    Raises ConfigError when either is there and cannot be read.
    """
    path = config.password_file
    if path is None:
        return ServiceManager.from_environ().credential(_CREDENTIAL)
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"mqtt.password_file = {path}: {error}"]) from error


def new_client(config: MqttConfig, client_id: str) -> Client:
    """A paho client for MQTT 5 that leaves acknowledging to us."""
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=client_id,
        protocol=MQTTProtocolVersion.MQTTv5,
        manual_ack=True,
    )
    client.connect_timeout = CONNECT_TIMEOUT_S
    client.on_socket_open = _send_at_once
    set_credentials(client, config)
    return client


def set_credentials(client: Client, config: MqttConfig) -> None:
    """For the next connect: a password that has been corrected meanwhile is used without a restart.

    Raises ConfigError when the password file cannot be read.
    """
    if config.username:
        client.username_pw_set(config.username, read_password(config))


def _send_at_once(_client: Client, _userdata: object, sock: SocketLike) -> None:
    # a result must not wait 40 ms for the acknowledgement of the packet before it
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def send_tcp_ack_at_once(sock: SocketLike) -> None:
    """Call before each read: the kernel forgets it.

    A broker that leaves Nagle's algorithm on (most do) holds the next message back until our TCP
    acknowledgement, which the kernel would delay by 40 ms.
    """
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def is_refusal(reason: ReasonCode) -> bool:
    """Trying again soon will not help: somebody has to change a password, a list or a name first."""
    return reason.value in _SLOW


def refused(config: MqttConfig, reason: ReasonCode, client_id: str) -> BrokerError:
    """What the broker said, and what to do about it."""
    where = f"{config.host}:{config.port}: {reason}"
    if reason.value in _BAD_CREDENTIALS:
        user = repr(config.username) if config.username else "anonymous"
        return BrokerError(f"{where} (user: {user})", "check mqtt.username and mqtt.password_file")
    if reason.value == _TAKEN_OVER:
        return BrokerError(
            f"{where}: another client connected as {client_id!r}",
            "give each board its own device.id (two boards cloned from one image?)",
        )
    return BrokerError(where, "look into the broker's log")


def broken(config: MqttConfig, client_id: str) -> BrokerError:
    """The connection ended without a word."""
    return BrokerError(
        f"{config.host}:{config.port}: the connection broke",
        f"if it repeats: does another client connect as {client_id!r}? Each board needs its own device.id",
    )


def unreachable(config: MqttConfig, error: OSError) -> BrokerError:
    """There is no connection to the broker."""
    return BrokerError(
        f"{config.host}:{config.port}: {error.strerror or error}",
        "check mqtt.host and mqtt.port, and that the broker runs",
    )


def check_broker(config: MqttConfig) -> None:
    """Connect once, as nobody in particular, and leave. Raises BrokerError within CHECK_TIMEOUT_S.

    Raises ConfigError when the password file cannot be read.
    """
    client_id = f"edged-check-{uuid.uuid4().hex[:8]}"
    client = new_client(config, client_id)
    client.connect_timeout = CHECK_TIMEOUT_S
    answers: list[ReasonCode] = []

    def on_connect(
        _c: Client, _u: object, _f: ConnectFlags, reason: ReasonCode, _p: Properties | None
    ) -> None:
        answers.append(reason)

    client.on_connect = on_connect
    deadline_s = time.monotonic() + CHECK_TIMEOUT_S
    try:
        client.connect(config.host, config.port)
    except OSError as error:
        raise unreachable(config, error) from error
    while not answers and client.socket() is not None and time.monotonic() < deadline_s:
        client.loop(timeout=0.1)
    client.disconnect()
    if not answers:
        raise BrokerError(f"{config.host}:{config.port}: accepts connections but is silent", "is it MQTT 5?")
    if answers[0].is_failure:
        raise refused(config, answers[0], client_id)
