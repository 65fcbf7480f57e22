"""The fleet as a table: from any records, good or not."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from edged.cli.fleet_view import COLUMNS, Fleet
from edged.protocol.result import Code, Status
from edged.protocol.state import AnnouncedLimits, DeviceState, Health, Info, LastResult, MqttCounters, State

LIMITS = AnnouncedLimits(max_text_chars=1, max_waiting=1, max_packet_bytes=1)


def shown(fleet: Fleet) -> str:
    """The table as text, wide enough for everything."""
    console = Console(width=400, force_terminal=False)
    with console.capture() as capture:
        console.print(fleet.table("broker:1883"))
    return capture.get()


def test_the_records_of_a_device_become_one_row() -> None:
    """What edged itself publishes."""
    fleet = Fleet("edged")
    last = LastResult(id="t-17", status=Status.FAILED, code=Code.AUDIO_LOST, ts=1.0)
    state = State(
        state=DeviceState.DEGRADED,
        reason="no card",
        since=5.0,
        version="0.2",
        queue=3,
        voice="a+b",
        last=last,
    )
    info = Info(version="0.2", device="lobby", engine="kokoro", limits=LIMITS)
    health = Health(
        ts=1.0,
        load=0.0,
        rss_mb={},
        temperature_c=61.4,
        thermal="nominal",
        queue=3,
        rtf=None,
        xruns=0,
        mqtt=MqttCounters(),
    )
    for record, payload in (("state", state), ("info", info), ("health", health)):
        assert fleet.hear(f"edged/lobby/{record}", payload.encode()) is None
    assert fleet.rows() == [
        {
            "device": "lobby",
            "state": "degraded",
            "reason": "no card",
            "version": "0.2",
            "engine": "kokoro",
            "voice": "a+b",
            "temperature_c": 61.4,
            "queue": 3,
            "last": "failed audio_lost t-17",
            "since": 5.0,
        }
    ]
    assert "61 °C" in shown(fleet)


def test_devices_are_sorted_and_the_absent_ones_stay() -> None:
    """The last will is a state like any other."""
    fleet = Fleet("a/b")
    fleet.hear("a/b/zoo/state", b'{"state":"online"}')
    fleet.hear("a/b/gate/state", b'{"state":"offline","version":"0.1"}')
    assert [(row["device"], row["state"]) for row in fleet.rows()] == [("gate", "offline"), ("zoo", "online")]


def test_a_device_whose_records_were_cleared_is_gone() -> None:
    """An empty payload is how a retained record is removed."""
    fleet = Fleet("edged")
    fleet.hear("edged/lobby/state", b'{"state":"online"}')
    fleet.hear("edged/lobby/state", b"")
    fleet.hear("edged/other/info", b"")
    assert fleet.rows() == []


@pytest.mark.parametrize(
    ("topic", "payload", "warning"),
    [
        ("edged/lobby/state", b"online", "edged/lobby/state: not JSON"),
        ("edged/lobby/state", b"\xff\xfe", "edged/lobby/state: not JSON"),
        ("edged/lobby/state", b"[" * 100_000, "edged/lobby/state: not JSON"),
        ("edged/lobby/state", b"[1]", "edged/lobby/state: not a JSON object"),
        ("edged/lobby/mood", b"{}", "edged/lobby/mood: not a record of a device"),
        ("other/lobby/state", b"{}", "other/lobby/state: not a record of a device"),
    ],
)
def test_what_is_no_record_is_a_warning(topic: str, payload: bytes, warning: str) -> None:
    """And nothing more."""
    fleet = Fleet("edged")
    assert fleet.hear(topic, payload) == warning
    assert fleet.rows() == []


@pytest.mark.parametrize(
    "value", ["5", "true", "[]", "{}", "NaN", "-1e999", "-7e10", "1" + "0" * 400, '"[red]x[/]"']
)
def test_fields_of_any_kind_are_shown_or_left_out(value: str) -> None:
    """A field that is not what it should be is unknown; the row is there, and no markup is obeyed."""
    fleet = Fleet("edged")
    for record in ("state", "info", "health"):
        keys = ("state", "reason", "version", "engine", "voice", "temperature_c", "queue", "last", "since")
        fields = ",".join(f'"{key}":{value}' for key in keys)
        assert fleet.hear(f"edged/lobby/{record}", f"{{{fields}}}".encode()) is None
    (row,) = fleet.rows()
    assert set(row) == set(COLUMNS)
    json.dumps(row, allow_nan=False)
    assert "lobby" in shown(fleet)
    if "red" in value:
        assert "[red]x[/]" in shown(fleet)


def test_what_would_drive_the_terminal_is_made_harmless() -> None:
    """Escape sequences and lone surrogates, which cannot be printed; and very long reasons are cut."""
    fleet = Fleet("edged")
    fleet.hear("edged/lobby/state", json.dumps({"state": "\x1b[2Jx\ud800", "reason": "y" * 10_000}).encode())
    (row,) = fleet.rows()
    assert row["state"] == "�[2Jx�"
    assert len(row["reason"]) == 300
    shown(fleet).encode()


def test_a_thousand_devices_are_a_table() -> None:
    """Any number."""
    fleet = Fleet("edged")
    for i in range(1000):
        fleet.hear(f"edged/d{i:04}/state", b'{"state":"online"}')
    assert len(fleet.rows()) == 1000
    assert "1000 devices" in shown(fleet)
