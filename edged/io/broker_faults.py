"""Why there is no session with the broker, in words: where, what, what to do."""

from __future__ import annotations

import ssl

from paho.mqtt.reasoncodes import ReasonCode

from edged.config.schema import MqttConfig
from edged.errors import BrokerError

# Reason codes of MQTT 5; those of MQTT 3.1.1 arrive translated to them.
_UNSUPPORTED_VERSION = 132
_BAD_CREDENTIALS = {134, 135}
TAKEN_OVER = 142
# Trying again soon will not change these: somebody has to change a password, a list or a name first.
_SLOW = {*_BAD_CREDENTIALS, _UNSUPPORTED_VERSION, 133, 138, 140}

_TLS_PORT = "is it a TLS port (usually 8883)?"
_OWN_NAMES = "give each board its own device.id (two boards cloned from one image?)"

# What OpenSSL finds wrong with the broker's certificate (X509_V_ERR_...).
_NOT_YET_VALID, _EXPIRED, _NAME_MISMATCH, _ADDRESS_MISMATCH = 9, 10, 62, 64
_CERTIFICATE_HINTS = {
    _NOT_YET_VALID: "set the clock (timedatectl)",
    _EXPIRED: "renew the broker's certificate, or set the clock (timedatectl)",
    _NAME_MISMATCH: "mqtt.host must be a name the broker's certificate is made out to",
    _ADDRESS_MISMATCH: "mqtt.host must be a name or an address the broker's certificate is made out to",
}


def is_refusal(reason: ReasonCode) -> bool:
    """Somebody has to act before another try can succeed."""
    return reason.value in _SLOW


def refused(config: MqttConfig, reason: ReasonCode, client_id: str) -> BrokerError:
    """What the broker said, and what to do about it."""
    where = f"{config.host}:{config.port}: {reason}"
    if reason.value in _BAD_CREDENTIALS:
        user = repr(config.username) if config.username else "anonymous"
        hint = "check mqtt.username and mqtt.password_file"
        return BrokerError(f"{where} (user: {user})", f"{hint}, mqtt.cert_file" if config.tls else hint)
    if reason.value == TAKEN_OVER:
        return BrokerError(f"{where}: another client connected as {client_id!r}", _OWN_NAMES)
    if reason.value == _UNSUPPORTED_VERSION:
        return BrokerError(where, 'mqtt.version: "3.1.1"')
    return BrokerError(where, "look into the broker's log")


def shared(config: MqttConfig, client_id: str) -> BrokerError:
    """The session is taken from us again and again."""
    return BrokerError(
        f"{config.host}:{config.port}: another client connects as {client_id!r}: "
        "two boards share one device.id",
        _OWN_NAMES,
    )


def broken(config: MqttConfig, client_id: str) -> BrokerError:
    """The connection ended without a word."""
    return BrokerError(
        f"{config.host}:{config.port}: the connection broke",
        f"if it repeats: does another client connect as {client_id!r}? Each board needs its own device.id",
    )


def unanswered(config: MqttConfig) -> BrokerError:
    """The connection ended before the broker had accepted us."""
    if config.tls:
        hint = "does it ask for a client certificate (mqtt.cert_file, signed by the CA it trusts)?"
    else:
        hint = f"is it a TLS port (mqtt.tls), or a broker that knows no MQTT {config.version} (mqtt.version)?"
    return BrokerError(f"{config.host}:{config.port}: closed the connection before it answered", hint)


def silent(config: MqttConfig) -> BrokerError:
    """Something accepts connections and says nothing."""
    return BrokerError(
        f"{config.host}:{config.port}: accepts connections but is silent",
        "is it a broker, with TLS or without it as mqtt.tls says, and of mqtt.version?",
    )


def unreachable(config: MqttConfig, error: OSError) -> BrokerError:
    """There is no connection to the broker, or no trust in it."""
    where = f"{config.host}:{config.port}"
    if isinstance(error, ssl.SSLCertVerificationError):
        trusted = f"mqtt.ca_file = {config.ca_file}" if config.ca_file else "mqtt.ca_file"
        hint = f"{trusted} must hold the certificate of the CA that signed the broker's"
        hint = _CERTIFICATE_HINTS.get(error.verify_code, hint)
        return BrokerError(f"{where}: the broker's certificate is refused: {error.verify_message}", hint)
    if isinstance(error, ssl.SSLError):
        return BrokerError(f"{where}: no TLS: {error.reason or error}", _TLS_PORT)
    if config.tls and isinstance(error, ConnectionResetError):
        return BrokerError(f"{where}: the TLS handshake was cut off", _TLS_PORT)
    hint = "check mqtt.host and mqtt.port, and that the broker runs"
    return BrokerError(f"{where}: {error.strerror or error}", hint)
