"""TLS towards the broker: whom we trust, and who we say we are."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

from edged.config.schema import MqttConfig
from edged.errors import ConfigError
from edged.io.systemd import ServiceManager

_CERT_CREDENTIAL = "mqtt-cert"
_KEY_CREDENTIAL = "mqtt-key"


class RenewedContext(ssl.SSLContext):
    """Reads the certificates again for each connection: a renewed one is used without a restart."""

    config: MqttConfig

    def wrap_socket(self, *args: Any, **kwargs: Any) -> ssl.SSLSocket:
        """A connection with the certificates as they are now."""
        return open_context(self.config).wrap_socket(*args, **kwargs)


def renewed_context(config: MqttConfig) -> RenewedContext:
    """For paho, which takes one context for all its connections.

    Raises ConfigError when the files are not good as they are now.
    """
    open_context(config)
    context = RenewedContext(ssl.PROTOCOL_TLS_CLIENT)
    context.config = config
    return context


def open_context(config: MqttConfig) -> ssl.SSLContext:
    """Trusts `ca_file`, else the system; shows our certificate if there is one.

    Certificate and key come from `cert_file` and `key_file`, else from the systemd credentials mqtt-cert
    and mqtt-key; without a key of its own the certificate's file must hold it. Raises ConfigError when one
    of them cannot be used.
    """
    ca_file = config.ca_file
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # an SSLError is one
        raise ConfigError([f"mqtt.ca_file = {ca_file}: {_words(error, 'certificate')}"]) from error
    service = ServiceManager.from_environ()
    cert = config.cert_file or service.credential_file(_CERT_CREDENTIAL)
    key = config.key_file or service.credential_file(_KEY_CREDENTIAL)
    if cert is not None:
        _show_certificate(context, cert, key)
    elif config.key_file is not None:
        raise ConfigError([f"mqtt.key_file = {config.key_file}: there is no mqtt.cert_file to go with it"])
    return context


def _show_certificate(context: ssl.SSLContext, cert: Path, key: Path | None) -> None:
    names = f"mqtt.cert_file = {cert}" + (f", mqtt.key_file = {key}" if key else "")
    try:
        # an encrypted key is an error; OpenSSL would ask the terminal for its password
        context.load_cert_chain(cert, key, password=lambda: "")
    except OSError as error:
        raise ConfigError([f"{names}: {_words(error, 'certificate and key')}"]) from error


def _words(error: OSError, expected: str) -> str:
    if not isinstance(error, ssl.SSLError):
        return error.strerror or str(error)
    if error.reason == "KEY_VALUES_MISMATCH":
        return "the key does not belong to the certificate"
    return f"not a readable PEM {expected} ({error.reason or 'no certificate in it'})"
