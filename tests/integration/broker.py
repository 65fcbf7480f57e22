"""A private, real mosquitto for tests: free loopback port, own folder, can be killed and restarted."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

WAIT_S = 30.0  # generous: the tests share small machines


def find_mosquitto() -> str | None:
    """The broker's program; Debian puts it where users have no PATH to."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """A loopback port nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


class Broker:
    """Context manager: a mosquitto that runs inside the block.

    `users` (name -> password) turns anonymous access off; `settings` are further lines of its
    configuration. With `is_persistent` sessions and retained messages survive `stop` and `start`; what
    it had saved before a `kill` is a matter of luck.
    """

    def __init__(
        self,
        folder: Path,
        *,
        users: dict[str, str] | None = None,
        is_persistent: bool = True,
        port: int | None = None,
        settings: tuple[str, ...] = (),
    ) -> None:
        self.host = "127.0.0.1"
        self.login: tuple[str, str] | None = None  # of a Controller that names none
        self.port = port or free_port()
        self._folder = folder / "broker"
        self._folder.mkdir(parents=True)
        self._config = self._folder / "mosquitto.conf"
        self._process: subprocess.Popen[bytes] | None = None
        self._write_config(users or {}, is_persistent, settings)

    def __enter__(self) -> Broker:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self.stop()

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        program = find_mosquitto()
        assert program, "mosquitto is not installed"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([program, "-c", str(self._config)], stdout=log, stderr=log)
        deadline_s = time.monotonic() + WAIT_S
        while not self._answers():
            assert self._process.poll() is None, self.log.read_text(errors="replace")
            assert time.monotonic() < deadline_s, "mosquitto does not listen"

    def stop(self) -> None:
        """Ask it to end, and wait."""
        self._end(is_killed=False)

    def pause(self) -> None:
        """SIGSTOP: it keeps its connections and says nothing, until `kill`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        """SIGKILL, and wait."""
        self._end(is_killed=True)

    @property
    def log(self) -> Path:
        """What it says."""
        return self._folder / "mosquitto.log"

    def _end(self, *, is_killed: bool) -> None:
        assert self._process is not None
        if is_killed:
            self._process.kill()
        else:
            self._process.terminate()
        self._process.wait(WAIT_S)
        self._process = None

    def _answers(self) -> bool:
        with socket.socket() as sock:
            sock.settimeout(1.0)
            return sock.connect_ex((self.host, self.port)) == 0

    def _write_config(self, users: dict[str, str], is_persistent: bool, settings: tuple[str, ...]) -> None:
        lines = [
            f"listener {self.port} {self.host}",
            f"allow_anonymous {'false' if users else 'true'}",
            "connection_messages true",
            "user root",  # ignored unless root starts it: then it can write into the test's folder
            *settings,
        ]
        if is_persistent:
            lines += ["persistence true", f"persistence_location {self._folder}/"]
        if users:
            passwords = self._folder / "passwords"
            passwords.touch(mode=0o600)
            for name, password in users.items():
                subprocess.run(["mosquitto_passwd", "-b", str(passwords), name, password], check=True)
            lines.append(f"password_file {passwords}")
        self._config.write_text("\n".join(lines) + "\n")


class Controller:
    """The other side: a plain MQTT 5 client that publishes, and keeps what it hears.

    With `session` (a client id) the broker remembers it, so nothing is missed while it reconnects.
    `login` is a user and the password; the broker's own choice if it has one.
    """

    def __init__(self, broker: Broker, session: str = "", login: tuple[str, str] | None = None) -> None:
        self.heard: Queue[MQTTMessage] = Queue()
        self._client = Client(
            CallbackAPIVersion.VERSION2, client_id=session, protocol=MQTTProtocolVersion.MQTTv5
        )
        self._client.on_message = lambda _client, _userdata, message: self.heard.put(message)
        self._client.on_socket_open = _send_at_once
        if login := login or broker.login:
            self._client.username_pw_set(*login)
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        if session:
            properties.SessionExpiryInterval = 3600
        self._client.connect(broker.host, broker.port, clean_start=not session, properties=properties)
        self._client.loop_start()

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()
        self._client.loop_stop()

    def subscribe(self, topic_filter: str) -> None:
        """Hear this from now on; returns when the broker has agreed."""
        agreed: Queue[None] = Queue()
        self._client.on_subscribe = lambda *_: agreed.put(None)
        self._client.subscribe(topic_filter, qos=1)
        agreed.get(timeout=WAIT_S)

    def publish(
        self,
        topic: str,
        payload: bytes | str,
        *,
        qos: int = 1,
        is_retained: bool = False,
        reply_topic: str | None = None,
        correlation: bytes | None = None,
        expiry_s: int | None = None,
    ) -> None:
        """Publish and wait until the broker has it."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if reply_topic is not None:
            properties.ResponseTopic = reply_topic
        if correlation is not None:
            properties.CorrelationData = correlation
        if expiry_s is not None:
            properties.MessageExpiryInterval = expiry_s
        info = self._client.publish(topic, payload, qos=qos, retain=is_retained, properties=properties)
        info.wait_for_publish(WAIT_S)

    def may_publish(self, topic: str) -> bool:
        """Does the broker let us? It says so in its acknowledgement."""
        answers: Queue[ReasonCode] = Queue()
        self._client.on_publish = lambda _c, _u, _mid, reason, _p: answers.put(reason)
        self._client.publish(topic, b"{}", qos=1)
        return not answers.get(timeout=WAIT_S).is_failure

    def next(self) -> MQTTMessage:
        """The next message heard. Fails when none comes."""
        try:
            return self.heard.get(timeout=WAIT_S)
        except Empty:
            raise AssertionError("no message came") from None


def _send_at_once(_client: Client, _userdata: object, sock: object) -> None:
    # without it the kernel may hold a publish back for 40 ms, and tests measure from here
    assert isinstance(sock, socket.socket)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@contextmanager
def controller(
    broker: Broker, session: str = "", login: tuple[str, str] | None = None
) -> Iterator[Controller]:
    """A Controller that leaves at the end of the block."""
    client = Controller(broker, session, login)
    try:
        yield client
    finally:
        client.close()
