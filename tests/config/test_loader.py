"""Configuration files: all problems at once, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.config.loader import find_config, load_config
from edged.config.schema import Config
from edged.errors import ConfigError


def problems(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.exit_status == 78
    return [problem.replace(str(path.parent), "DIR") for problem in caught.value.problems]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "edged.yaml"


def test_every_problem_is_reported_with_its_line(file: Path) -> None:
    """A technician fixes the file in one go, not one error a restart."""
    file.write_text(
        "audio:\n  rate: 5\n  buffer_ms: 10\nmqtt:\n  port: abc\n  prot: 1\nthermal: {warm_c: 99}\nfoo: 1\n"
    )
    assert sorted(problems(file)) == [
        "DIR/edged.yaml:2 audio.rate: unknown key, did you mean `rate_hz`?",
        "DIR/edged.yaml:3 audio.buffer_ms = 10: input should be greater than or equal to 20",
        "DIR/edged.yaml:5 mqtt.port = 'abc': input should be a valid integer, "
        "unable to parse string as an integer",
        "DIR/edged.yaml:6 mqtt.prot: unknown key, did you mean `port`?",
        "DIR/edged.yaml:7 thermal: levels must rise: warm_c 99.0, hot_c 90.0, critical_c 98.0",
        "DIR/edged.yaml:8 foo: unknown key; known here: "
        "device, mqtt, audio, outputs, speech, text, queue, threads, thermal, paths, homeassistant, log",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("audio: {rate_hz: 44100\n", "DIR/edged.yaml:2: expected ',' or '}', but got '<stream end>'"),
        ("- a\n- b\n", "DIR/edged.yaml:1: expected sections like `audio:`"),
        ("audio:\n  device: a\n  device: b\n", "DIR/edged.yaml:3 audio.device: given twice in this file"),
        ("audio: &a {device: x, deeper: *a}\n", "DIR/edged.yaml: nested too deeply, or a section contains"),
        ("audio: " + "[" * 5000, "DIR/edged.yaml: nested too deeply"),
        ("device: {id: all}\n", "DIR/edged.yaml:1 device: id = 'all' addresses many devices"),
        ("audio: 5\n", "DIR/edged.yaml:1 audio = 5: input should be a valid dictionary or instance"),
        ("mqtt:\n  host: !!python/object:os.system x\n", "DIR/edged.yaml:2: could not determine"),
    ],
    ids=[
        "broken yaml",
        "a list",
        "duplicate key",
        "cycle",
        "depth",
        "reserved name",
        "scalar section",
        "python tag",
    ],
)
def test_a_broken_file_is_named_with_its_line(file: Path, text: str, problem: str) -> None:
    """Whatever is in the file: a message with a place, no traceback, no code run."""
    file.write_text(text)
    assert problems(file)[0].startswith(problem)


def test_missing_and_unreadable_files_are_named(file: Path) -> None:
    """A wrong --config is said, not replaced by defaults."""
    assert problems(file) == ["DIR/edged.yaml: No such file or directory"]
    file.write_bytes(b"\xff\xfe")
    assert problems(file) == ["DIR/edged.yaml: not UTF-8 (byte 0)"]


def test_conf_d_is_merged_over_the_file_in_name_order(file: Path) -> None:
    """One setting can be added without editing the file, and its mistakes name the right file."""
    file.write_text("audio: {device: a, rate_hz: 44100}\n")
    drop_ins = file.parent / "conf.d"
    drop_ins.mkdir()
    (drop_ins / "20-b.yaml").write_text("audio: {device: c}\n")
    (drop_ins / "10-a.yaml").write_text("audio: {device: b}\nmqtt: {port: 1884}\n")
    config = load_config(file)
    assert (config.audio.device, config.audio.rate_hz, config.mqtt.port) == ("c", 44100, 1884)
    (drop_ins / "10-a.yaml").write_text("\naudio: {devise: b}\n")
    assert problems(file) == ["DIR/conf.d/10-a.yaml:2 audio.devise: unknown key, did you mean `device`?"]


def test_relative_paths_start_at_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file means the same folders wherever edged is started; absolute paths stay."""
    file.write_text("paths: {models_dir: m, state_dir: /s}\nmqtt: {password_file: pw}\n")
    monkeypatch.chdir("/")
    config = load_config(file)
    assert config.paths.models_dir == file.parent / "m"
    assert config.paths.state_dir == Path("/s")
    assert config.mqtt.password_file == file.parent / "pw"


def test_an_empty_file_means_defaults(file: Path) -> None:
    """Deleting every key is a valid configuration; so is a section without keys."""
    file.write_text("# nothing\n")
    assert load_config(file) == Config()
    file.write_text("audio:\nmqtt:\n")
    assert load_config(file) == Config()


def test_the_environment_names_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EDGED_CONFIG wins over the well-known places."""
    monkeypatch.setenv("EDGED_CONFIG", str(file))
    assert find_config() == file
