"""TLS with a real mosquitto: whom we trust, who we are, and what is said when either fails."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from edged.errors import BrokerError, ConfigError
from edged.io.mqtt import LinkDown, LinkUp, Message
from edged.io.visitor import check_broker
from tests.fakes.certificates import Authority, Pair
from tests.integration.broker import Broker
from tests.integration.mqtt.conftest import CONNACK, config_for, device, scripted_broker

pytestmark = pytest.mark.broker


@dataclass(frozen=True, slots=True)
class Site:
    """A certificate authority, and a broker with a certificate of it for 127.0.0.1."""

    authority: Authority
    server: Pair
    broker: Broker


@contextmanager
def site(
    folder: Path, *, name: str = "127.0.0.1", lasts_days: int = 1, asks_clients: bool = False
) -> Iterator[Site]:
    authority = Authority(folder / "certificates")
    server = authority.issue("server", alt_names=(name,), lasts=timedelta(days=lasts_days))
    settings = (
        f"cafile {authority.ca}",
        f"certfile {server.cert}",
        f"keyfile {server.key}",
        f"require_certificate {'true' if asks_clients else 'false'}",
    )
    with Broker(folder, settings=settings) as broker:
        yield Site(authority, server, broker)


def refusal(broker: Broker, **fields: object) -> BrokerError:
    """What the session and the check both say of it: the first thing told."""
    config = config_for(broker, **fields)
    with pytest.raises(BrokerError) as caught:
        check_broker(config)
    with device(config) as lobby:
        assert str(lobby.next(LinkDown).error) == str(caught.value)
        assert lobby.client.is_alive()
    return caught.value


@pytest.mark.parametrize("version", ["5", "3.1.1"])
def test_a_trusted_broker_is_connected_to(tmp_path: Path, version: str) -> None:
    """`mqtt.tls` and `mqtt.ca_file` are all it takes."""
    with site(tmp_path) as hall:
        config = config_for(hall.broker, tls=True, ca_file=hall.authority.ca, version=version)
        check_broker(config)
        with device(config) as lobby:
            assert lobby.up() == LinkUp(is_resumed=False)


def test_packets_in_one_tls_record_are_all_read(tmp_path: Path) -> None:
    """Those behind the first are decrypted with it and do not show on the socket."""
    authority = Authority(tmp_path / "certificates")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.issue("server", alt_names=("127.0.0.1",)).both)
    publish = b"\x30\x05\x00\x01t\x00x"  # on t, QoS 0
    with (
        scripted_broker() as server,
        device(config_for(server, tls=True, ca_file=authority.ca)) as lobby,
        context.wrap_socket(server.accept()[0], server_side=True) as connection,
    ):
        connection.recv(4096)
        connection.sendall(CONNACK + 3 * publish)
        lobby.next(LinkUp)
        assert [lobby.next(Message).payload for _ in range(3)] == [b"x"] * 3


def test_a_broker_of_another_authority_is_refused(tmp_path: Path) -> None:
    """With the file that would have to hold its authority; the same with the system's list."""
    stranger = Authority(tmp_path / "stranger")
    with site(tmp_path) as hall:
        error = refusal(hall.broker, tls=True, ca_file=stranger.ca)
        assert "certificate is refused" in error.what
        assert f"mqtt.ca_file = {stranger.ca} must hold" in error.hint
        assert "mqtt.ca_file must hold" in refusal(hall.broker, tls=True).hint


def test_an_expired_certificate_is_told_as_such(tmp_path: Path) -> None:
    """It may as well be our clock."""
    with site(tmp_path, lasts_days=-1) as hall:
        error = refusal(hall.broker, tls=True, ca_file=hall.authority.ca)
    assert "certificate has expired" in error.what
    assert "clock" in error.hint


def test_a_certificate_for_another_host_is_refused(tmp_path: Path) -> None:
    """By name."""
    with site(tmp_path, name="broker.example") as hall:
        error = refusal(hall.broker, tls=True, ca_file=hall.authority.ca)
    assert "127.0.0.1" in error.what
    assert "mqtt.host" in error.hint


def test_tls_towards_a_port_without_it(broker: Broker, tmp_path: Path) -> None:
    """The usual mistake is the port."""
    error = refusal(broker, tls=True, ca_file=Authority(tmp_path / "any").ca)
    assert "8883" in error.hint


def test_no_tls_towards_a_port_with_it(tmp_path: Path) -> None:
    """The other way round."""
    with site(tmp_path) as hall:
        assert "mqtt.tls" in refusal(hall.broker).hint


def test_our_certificate_is_shown(tmp_path: Path) -> None:
    """As two files, as one, and from systemd's credentials."""
    with site(tmp_path, asks_clients=True) as hall:
        lobby = hall.authority.issue("lobby")
        trusted = {"tls": True, "ca_file": hall.authority.ca}
        check_broker(config_for(hall.broker, **trusted, cert_file=lobby.cert, key_file=lobby.key))
        check_broker(config_for(hall.broker, **trusted, cert_file=lobby.both))


def test_our_certificate_comes_from_the_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """systemd's LoadCredential of mqtt-cert and mqtt-key; empty stand-ins are none."""
    with site(tmp_path, asks_clients=True) as hall:
        lobby = hall.authority.issue("lobby")
        monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
        (tmp_path / "mqtt-cert").write_bytes(lobby.cert.read_bytes())
        (tmp_path / "mqtt-key").write_bytes(lobby.key.read_bytes())
        check_broker(config_for(hall.broker, tls=True, ca_file=hall.authority.ca))
        (tmp_path / "mqtt-cert").write_text("\n")
        (tmp_path / "mqtt-key").write_text("\n")
        assert "mqtt.cert_file" in refusal(hall.broker, tls=True, ca_file=hall.authority.ca).hint


def test_a_client_certificate_that_is_missing_or_strange_is_refused_with_words(tmp_path: Path) -> None:
    """TLS 1.3 lets us in first and cuts us off then."""
    with site(tmp_path, asks_clients=True) as hall:
        trusted = {"tls": True, "ca_file": hall.authority.ca}
        assert "mqtt.cert_file" in refusal(hall.broker, **trusted).hint
        stranger = Authority(tmp_path / "stranger", "stranger").issue("lobby")
        assert "mqtt.cert_file" in refusal(hall.broker, **trusted, cert_file=stranger.both).hint


def test_a_renewed_certificate_is_used_without_a_restart(tmp_path: Path) -> None:
    """The files are read at each connect: the authority we trust, and our own certificate."""
    with site(tmp_path, asks_clients=True) as hall:
        lobby = hall.authority.issue("lobby")
        ca_file = tmp_path / "trusted.crt"
        good_ca = hall.authority.ca.read_bytes()
        ca_file.write_bytes(Authority(tmp_path / "old").ca.read_bytes())
        config = config_for(hall.broker, tls=True, ca_file=ca_file, cert_file=lobby.cert, key_file=lobby.key)
        with device(config) as running:
            assert "mqtt.ca_file" in running.next(LinkDown).error.hint
            lobby.key.write_text("half written")
            ca_file.write_bytes(good_ca)
            assert "mqtt.key_file" in running.next(LinkDown).error.what
            hall.authority.issue("lobby")
            running.up()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ("missing", "No such file"),
        ("nonsense", "not a readable PEM"),
        ("other key", "the key does not belong to the certificate"),
    ],
)
def test_certificate_files_that_cannot_be_used_are_configuration_errors(
    broker: Broker, tmp_path: Path, spoil: str, words: str
) -> None:
    """With the key and the path, before any connection is tried."""
    authority = Authority(tmp_path / "certificates")
    pair, other = authority.issue("lobby"), authority.issue("other")
    if spoil == "missing":
        pair.key.unlink()
    if spoil == "nonsense":
        pair.key.write_text("nonsense")
    key = other.key if spoil == "other key" else pair.key
    with pytest.raises(ConfigError, match=words) as caught:
        check_broker(config_for(broker, tls=True, cert_file=pair.cert, key_file=key))
    assert str(key) in caught.value.what
    with pytest.raises(ConfigError, match=r"mqtt\.ca_file = .*nowhere"):
        check_broker(config_for(broker, tls=True, ca_file=tmp_path / "nowhere"))
