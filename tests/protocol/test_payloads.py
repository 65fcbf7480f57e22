"""What edged publishes, as the bytes on the wire."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from edged.protocol.result import Code, Progress, Result, Stage, Status
from edged.protocol.state import (
    AnnouncedLimits,
    DeviceState,
    Health,
    Info,
    LastResult,
    MqttCounters,
    State,
    ThrottleCounters,
    VoiceEntry,
)

# The contract. A change here breaks controllers in the field.
STATUSES = {"finished", "cancelled", "interrupted", "expired", "rejected", "failed", "muted"}
CODES = {
    *("bad_json", "bad_utf8", "bad_field", "empty", "too_long", "unknown_voice", "queue_full", "retained"),
    *("expired", "rate_limited", "over_budget", "id_reuse", "audio_unavailable", "audio_lost"),
    *("model_unavailable", "engine_crashed", "runaway", "interrupted_by_restart", "busy", "replaced"),
    "overheated",
}
RESULT_FIELDS = {
    *("id", "status", "reason", "code", "queued_ms", "synth_ms", "first_audio_ms", "audio_ms", "rtf"),
    *("cache", "voice", "xruns", "warnings", "device", "ts"),
}


def test_statuses_and_codes_are_stable() -> None:
    """Programs compare these words."""
    assert set(Status) == STATUSES
    assert set(Code) == CODES


def test_a_result_has_every_field_always() -> None:
    """What was not measured is null, not missing."""
    sent = json.loads(Result(id="a", status=Status.FINISHED, device="lobby", ts=1.5).encode())
    assert set(sent) == RESULT_FIELDS
    assert (sent["status"], sent["code"], sent["synth_ms"], sent["warnings"]) == ("finished", None, None, [])


def test_progress_cannot_be_taken_for_a_result() -> None:
    """It has a stage and no status."""
    sent = json.loads(Progress(id="a", stage=Stage.SPEAKING, device="lobby", ts=1.5).encode())
    assert sent == {"id": "a", "stage": "speaking", "device": "lobby", "ts": 1.5}


def test_a_state_says_what_and_why() -> None:
    """The five states are those of the contract."""
    last = LastResult(id="a", status=Status.FAILED, code=Code.AUDIO_LOST, ts=1.5)
    state = State(
        state=DeviceState.DEGRADED,
        reason="disk full",
        version="1",
        queue=3,
        volume=70,
        muted=False,
        last=last,
    )
    assert json.loads(state.encode()) == {
        "state": "degraded", "reason": "disk full", "since": None, "version": "1", "id": None, "queue": 3,
        "paused": False, "volume": 70, "muted": False, "voice": None,
        "last": {"id": "a", "status": "failed", "code": "audio_lost", "ts": 1.5},
    }  # fmt: skip
    assert set(DeviceState) == {"online", "warming", "degraded", "stopping", "offline"}


def test_the_last_will_claims_nothing() -> None:
    """Who is offline has no volume and no voice."""
    sent = json.loads(State(state=DeviceState.OFFLINE, version="1").encode())
    assert {sent[name] for name in ("volume", "muted", "voice", "last")} == {None}


def test_health_tells_how_often_the_cpu_slowed_down() -> None:
    """Core and package apart: the package's limit is the board's cooling."""
    health = Health(
        ts=1.0, load=0.5, rss_mb={"main": 40.0}, temperature_c=99.0, thermal="hot", queue=0, rtf=None,
        xruns=0, mqtt=MqttCounters(), throttled=ThrottleCounters(core=7, package=9),
    )  # fmt: skip
    assert json.loads(health.encode())["throttled"] == {"core": 7, "package": 9}


def test_health_without_sensors() -> None:
    """A board without a temperature sensor says null."""
    health = Health(
        ts=1.0, load=0.5, rss_mb={"main": 40.0}, temperature_c=None, thermal="nominal",
        queue=0, rtf=None, xruns=0, mqtt=MqttCounters(connects=1),
    )  # fmt: skip
    sent = json.loads(health.encode())
    assert sent["temperature_c"] is None
    assert sent["mqtt"]["connects"] == 1


def test_info_of_a_device_that_is_still_warming() -> None:
    """It announces itself before the voice is loaded."""
    limits = AnnouncedLimits(max_text_chars=4000, max_waiting=100, max_packet_bytes=262144)
    sent = json.loads(Info(version="1", device="lobby", limits=limits).encode())
    assert (sent["protocol"], sent["engine"], sent["voices"]) == (1, None, [])
    voices = (VoiceEntry(name="zf", langs=("zh",)),)
    assert json.loads(Info(version="1", device="d", limits=limits, voices=voices).encode())["voices"] == [
        {"name": "zf", "langs": ["zh"], "description": ""}
    ]


def test_payloads_refuse_what_is_not_theirs() -> None:
    """A typing error in our own code does not reach the broker."""
    with pytest.raises(ValidationError):
        State(state=DeviceState.ONLINE, version="1", colour="red")  # type: ignore[call-arg]
