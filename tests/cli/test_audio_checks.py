"""What `edged doctor` says of cards, outputs and what is set there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from edged.cli import audio_checks
from edged.cli.audio_checks import check_outputs, examine_audio
from edged.cli.findings import Finding, Section, Severity
from edged.cli.main import cli
from edged.config.schema import Config
from edged.io.mixer import MixerState

pytestmark = pytest.mark.alsa

PCMS = "pcm.nothing { type null }\npcm.hall { type null }\n"
PLAYING = {
    "output": "main",
    "device": "nothing",
    "rate_hz": 44100,
    "channels": 2,
    "format": "S16_LE",
    "period_ms": 20.0,
    "buffer_ms": 100.0,
}


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two PCMs that take everything at once, two cards, no daemon, and no mixer."""
    (tmp_path / "asound.conf").write_text(PCMS)
    # ALSA_CONFIG_PATH takes a space for the end of a name, but not one in the working folder
    monkeypatch.setenv("ALSA_CONFIG_PATH", "asound.conf")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(audio_checks, "read_cards", lambda: {0: "PCH", 1: "Hall"})
    monkeypatch.setattr(audio_checks, "holders", lambda: ("aplay (process 812)",))


def config(device: str = "nothing", **other: Any) -> Config:
    paths = {"runtime_dir": Path("run").absolute()}
    return Config.model_validate({"audio": {"device": device, "mixer": "none", **other}, "paths": paths})


def with_daemon(monkeypatch: pytest.MonkeyPatch, playing: dict[str, Any] | None) -> None:
    monkeypatch.setattr(audio_checks, "read_status", lambda runtime_dir: {"audio": playing})


def whats(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.what for finding in findings]


def section(sections: list[Section], name: str) -> Section:
    return next(section for section in sections if section.name == name)


def test_cards_and_their_holders_are_listed() -> None:
    """By the name that stays theirs."""
    cards = section(list(examine_audio(config(), tone=False)), "cards")
    assert cards.severity is Severity.OK
    assert whats(cards.findings) == [
        "card 0: PCH, as in plughw:CARD=PCH",
        "card 1: Hall, as in plughw:CARD=Hall",
        "aplay (process 812) has a card open",
    ]


def test_no_card_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a failure: sound may go to a server."""
    monkeypatch.setattr(audio_checks, "read_cards", dict)
    assert section(list(examine_audio(config(), tone=False)), "cards").severity is Severity.WARN


def test_every_output_has_a_section_with_what_it_was_granted() -> None:
    """In the order of the configuration; without a tone nothing is played."""
    both = config().model_copy(update={"outputs": {"hall": config("hall").audio}})
    sections = list(examine_audio(both, tone=False))
    assert [section.name for section in sections] == ["cards", "pcms", "realtime", "main", "hall"]
    for name, device in (("main", "nothing"), ("hall", "hall")):
        told = whats(section(sections, name).findings)
        assert any(what.startswith(f"{device}: 48000 Hz, 2 channels, S16_LE, period 20 ms") for what in told)
        assert not any("tone" in what for what in told)


def test_a_tone_is_played_on_each_output() -> None:
    """And it is asked whether it was heard."""
    findings = section(list(examine_audio(config(), tone=True)), "main").findings
    assert findings[-1].what.startswith("a tone of ")
    assert "not heard?" in findings[-1].fix
    assert findings[-1].severity is Severity.OK


def test_an_output_that_cannot_be_opened_fails_and_the_next_one_is_looked_at() -> None:
    """With the device's own words."""
    both = config("no_such").model_copy(update={"outputs": {"hall": config("hall").audio}})
    sections = list(examine_audio(both, tone=True))
    assert section(sections, "main").severity is Severity.FAIL
    assert "no_such" in section(sections, "main").findings[-1].what
    assert section(sections, "main").findings[-1].why == "nothing can be heard"
    assert section(sections, "hall").severity is Severity.OK


@pytest.mark.parametrize(
    ("device", "fix"),
    [
        ("plughw:1", "device: plughw:CARD=Hall"),
        ("hw:CARD=0,DEV=3", "device: hw:CARD=PCH,DEV=3"),
        ("hw:7", "a stable name such as plughw:CARD=PCH (aplay -L)"),
    ],
)
def test_a_card_by_its_number_is_warned_about(device: str, fix: str) -> None:
    """With the name to use instead."""
    found = next(
        finding for finding in section(list(examine_audio(config(device), tone=False)), "main").findings
    )
    assert (found.severity, found.fix) == (Severity.WARN, fix)
    assert device in found.what


def test_a_running_daemon_keeps_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked, nothing is opened, and no tone is played; what it was granted is compared all the same."""
    with_daemon(monkeypatch, PLAYING)
    monkeypatch.setenv("ALSA_CONFIG_PATH", "missing.conf")  # opening anything would fail
    findings = section(list(examine_audio(config(), tone=True)), "main").findings
    assert max(finding.severity for finding in findings) is Severity.OK
    told = whats(findings)[1:]
    assert told == [
        "nothing: 44100 Hz, 2 channels, S16_LE, period 20 ms, buffer 100 ms",
        "48000 Hz and 2 channels were asked for",
        "a buffer of 240 ms was asked for",
        "no tone: the running daemon has the device",
    ]
    assert findings[-1].fix == "edged say test --via mqtt"


def test_a_running_daemon_without_sound_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device is still its own."""
    with_daemon(monkeypatch, None)
    assert max(finding.severity for finding in check_outputs(config())) is Severity.FAIL


@pytest.mark.parametrize(
    ("state", "severity", "what"),
    [
        (MixerState("Master", -12.5, 60, False), Severity.OK, "mixer Master: -12.5 dB, not muted"),
        (MixerState("PCM", None, 60, False), Severity.OK, "mixer PCM: 60 %, not muted"),
        (MixerState("Master", 0.0, 100, True), Severity.WARN, "mixer Master: 0.0 dB, muted"),
        (MixerState("PCM", None, 0, False), Severity.WARN, "mixer PCM: 0 %, muted"),
    ],
    ids=["decibels", "percent", "muted", "zero"],
)
def test_the_mixer_is_told(
    monkeypatch: pytest.MonkeyPatch, state: MixerState, severity: Severity, what: str
) -> None:
    """A card that is muted looks as if it worked."""
    monkeypatch.setattr("edged.io.mixer.read_mixer", lambda output: state)
    found = next(finding for finding in check_outputs(config()) if finding.what.startswith("mixer"))
    assert (found.what, found.severity) == (what, severity)


def doctor(*arguments: str) -> tuple[int, str]:
    Path("edged.yaml").write_text(
        "audio: {device: nothing, mixer: none}\npaths: {runtime_dir: run, models_dir: m, state_dir: s}\n"
    )
    result = CliRunner().invoke(cli, ["doctor", "--config", "edged.yaml", *arguments])
    return result.exit_code, result.stdout


def test_doctor_audio_says_it_to_people_and_programs() -> None:
    """The exit status is that of the worst finding, in both."""
    status, told = doctor("--audio", "--no-tone", "--json")
    report = json.loads(told)
    assert status == report["exit"] == max(Severity[s["status"].upper()] for s in report["sections"])
    names = [section["name"] for section in report["sections"]]
    assert names == ["cards", "pcms", "realtime", "main"]
    assert doctor("--audio", "--no-tone")[0] == status
    assert "a tone of" not in told
    assert "a tone of" in doctor("--audio")[1]


@pytest.mark.parametrize("option", ["--tone", "--no-tone"])
def test_a_tone_is_part_of_audio(option: str) -> None:
    """Alone it is a usage error."""
    result = CliRunner().invoke(cli, ["doctor", option])
    assert result.exit_code == 2
    assert "go with --audio" in result.output
