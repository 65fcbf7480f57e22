"""What every client of the broker needs: credentials and a paho client that is set up."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from edged.config.schema import MqttConfig
from edged.errors import ConfigError
from edged.io.systemd import ServiceManager
from edged.io.tls import renewed_context

if TYPE_CHECKING:
    from paho.mqtt.client import SocketLike

CONNECT_TIMEOUT_S = 5.0  # a TCP connect on a site network takes milliseconds; one retransmission 1-3 s
_CREDENTIAL = "mqtt-password"


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


def new_client(config: MqttConfig, client_id: str, *, keeps_session: bool = False) -> Client:
    """A paho client of the configured version that leaves acknowledging to us.

    Raises ConfigError when the password or a certificate cannot be read.
    """
    is_v5 = config.version == "5"
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=client_id,
        protocol=MQTTProtocolVersion.MQTTv5 if is_v5 else MQTTProtocolVersion.MQTTv311,
        clean_session=None if is_v5 else not keeps_session,  # MQTT 5 says it at the connect
        manual_ack=True,
        reconnect_on_failure=False,  # it is our loop that connects, and not with MQTT 3.1
    )
    client.connect_timeout = CONNECT_TIMEOUT_S
    client.on_socket_open = _send_at_once
    if config.tls:
        client.tls_set_context(renewed_context(config))
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
