"""The stop command."""

from __future__ import annotations

import pytest

from edged.protocol.command import Stop, parse_stop
from edged.protocol.request import Rejected
from edged.protocol.result import Code


@pytest.mark.parametrize(
    ("payload", "stop"),
    [
        (b"", Stop()),
        (b"{}", Stop()),
        (b"current", Stop()),
        (b'{"scope":"current"}', Stop()),
        (b" all\n", Stop(everything=True)),
        (b'{"scope":"all"}', Stop(everything=True)),
        (b'{"id":"t-1"}', Stop(id="t-1")),
        (b'{"id":"t-1","scope":"all"}', Stop(id="t-1")),
    ],
)
def test_what_is_stopped(payload: bytes, stop: Stop) -> None:
    """The current one by default, everything on request, or one by its id, which is never widened."""
    assert parse_stop(payload) == stop


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"everything", Code.BAD_FIELD),
        (b'{"scope":"every"}', Code.BAD_FIELD),
        (b'{"id":7}', Code.BAD_FIELD),
        (b'{"scope":"al', Code.BAD_JSON),
        (b"\xff", Code.BAD_UTF8),
    ],
)
def test_what_cannot_be_understood_stops_nothing(payload: bytes, code: Code) -> None:
    """A broken command is refused, not taken for `current`."""
    rejected = parse_stop(payload)
    assert isinstance(rejected, Rejected)
    assert rejected.code is code


def test_a_retained_stop_is_refused() -> None:
    """It would silence the device at every reconnect."""
    rejected = parse_stop(b"all", retained=True)
    assert isinstance(rejected, Rejected)
    assert rejected.code is Code.RETAINED
