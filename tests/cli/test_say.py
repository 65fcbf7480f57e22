"""`edged say` and the verbs around it, with the tone engine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from edged.audio import wav
from edged.audio.chime import CHIMES
from edged.cli.main import VERBS, cli
from edged.cli.say_mqtt import request_fields
from edged.cli.synth_client import open_synth, with_engine
from edged.config.schema import Config
from edged.engine.base import SpeechOptions
from edged.errors import (
    AudioUnavailableError,
    BadInputError,
    EdgedError,
    EmptyTextError,
    ModelUnavailableError,
    StorageError,
    TextTooLongError,
    UnknownVoiceError,
)
from edged.workers.messages import SynthEnd


@pytest.fixture(autouse=True)
def no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The defaults but for the folders, whatever this machine has configured."""
    config = tmp_path / "edged.yaml"
    config.write_text("paths: {models_dir: m, state_dir: s, cache_dir: c, runtime_dir: r}\n")
    monkeypatch.setenv("EDGED_CONFIG", str(config))


def run(*arguments: str) -> str:
    """Standard output of the command; an EdgedError comes out as it is."""
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_say_writes_what_it_reports(tmp_path: Path) -> None:
    """The JSON has the keys of the contract and the figures of the file."""
    out = tmp_path / "x.wav"
    told = json.loads(run("say", "Hello there", "--engine", "tone", "--out", str(out), "--json"))
    keys = ["audio_s", "synth_s", "first_chunk_s", "rtf", "sample_rate", "voice", "engine", "sentences"]
    assert list(told) == keys
    sound = wav.decode(out.read_bytes())
    assert (told["sample_rate"], told["voice"], told["sentences"]) == (sound.rate_hz, "tone", 1)
    assert told["audio_s"] == pytest.approx(sound.seconds, abs=0.001)


def test_say_reads_standard_input(tmp_path: Path) -> None:
    """`-` is what shells expect."""
    out = tmp_path / "x.wav"
    result = CliRunner().invoke(cli, ["say", "-", "--engine", "tone", "--out", str(out)], input="Hello")
    assert result.exit_code == 0
    assert out.exists()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["  "], EmptyTextError, "empty"),
        (["☃", "--out", "x.wav"], EmptyTextError, "nothing in the text"),
        (["a" * 10_000], TextTooLongError, "10000 characters"),
        (["Hello", "--voice", "nobody"], UnknownVoiceError, "one of: tone"),
        (["Hello", "--device", "nosuch"], AudioUnavailableError, "nosuch"),
        (["Hello", "--out", "/nosuch/folder/x.wav"], StorageError, "/nosuch/folder/x.wav"),
    ],
    ids=["blank", "symbols", "too long", "voice", "device", "folder"],
)
def test_say_refuses_with_a_reason(arguments: list[str], error: type[EdgedError], words: str) -> None:
    """Where, what, and what to do; each with the exit status of its kind."""
    with pytest.raises(error) as caught:
        run("say", *arguments, "--engine", "tone")
    assert words in str(caught.value)


def test_a_device_is_not_replaced_by_a_file() -> None:
    """`--out /dev/null` is a way to measure."""
    run("say", "Hello", "--engine", "tone", "--out", "/dev/null")
    assert Path("/dev/null").is_char_device()


def test_bytes_that_are_no_text_are_skipped(tmp_path: Path) -> None:
    """A shell can pass any byte; the rest of the text is spoken."""
    out = tmp_path / "x.wav"
    run("say", "\udcff Hello", "--engine", "tone", "--out", str(out))
    assert out.exists()


def test_options_without_a_use_are_told(tmp_path: Path) -> None:
    """On standard error: what is piped on stays clean."""
    out = str(tmp_path / "x.wav")
    arguments = ["--seed", "7", "--instruct", "calm", "--top-k", "5", "--out", out, "--json"]
    result = CliRunner().invoke(cli, ["say", "Hello", "--engine", "tone", *arguments])
    assert json.loads(result.stdout)["voice"] == "tone"
    told = [line for line in result.stderr.splitlines() if "not_active" in line]
    names = ("instruct", "options.top_k", "options.seed")
    assert told == [f"warning: not_active: {name}" for name in names]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--temperature", "3"], "options.temperature: expected less than or equal to 2, got 3.0"),
        (["--top-p", "0"], "options.top_p: expected greater than 0"),
        (["--seed", "-1"], "options.seed"),
        (["--temperature", "nan"], "finite number"),
        (["--max-seconds", "0", "--top-k", "-1"], "options.top_k"),
        (["--instruct", "x" * 1001], "instruct: String should have at most 1000 characters"),
    ],
    ids=["temperature", "top-p", "seed", "nan", "two", "instruct"],
)
def test_options_have_the_ranges_of_the_protocol(arguments: list[str], words: str) -> None:
    """Refused before anything is loaded, with what was expected."""
    with pytest.raises(BadInputError, match=re.escape(words)) as caught:
        run("say", "Hello", "--engine", "tone", *arguments)
    assert caught.value.exit_status == 65


def test_capitals_of_a_voice_do_not_matter(tmp_path: Path) -> None:
    """The model's documentation writes Vivian, its files vivian."""
    run("say", "Hello", "--engine", "tone", "--speaker", "TONE", "--out", str(tmp_path / "x.wav"))


@pytest.mark.parametrize("verb", [["say", "Hello"], ["voices"], ["bench"]])
def test_the_large_voice_is_named_when_it_is_missing(verb: list[str]) -> None:
    """Whoever asks for an engine by name gets that one or the reason, never another one."""
    with pytest.raises(ModelUnavailableError, match=r"edged model install qwen3-tts-0\.6b-customvoice"):
        run(*verb, "--engine", "qwen3")


def test_another_engine_has_another_model(tmp_path: Path) -> None:
    """The folder in the configuration is for the engine in the configuration."""
    config = Config.model_validate({"speech": {"model": tmp_path}})
    assert with_engine(config, None, None) == config
    assert with_engine(config, "kokoro", None) == config
    assert with_engine(config, "qwen3", None).speech.model is None
    assert with_engine(config, "qwen3", Path("x")).speech.model == Path("x")


def test_without_a_model_the_installation_is_named() -> None:
    """The first thing a new user meets."""
    with pytest.raises(ModelUnavailableError, match="edged model install kokoro"):
        run("say", "Hello", "--out", "x.wav")


def test_voices_and_bench_speak_json() -> None:
    """The keys of the contract."""
    voices = json.loads(run("voices", "--engine", "tone", "--json"))
    assert [voice["name"] for voice in voices["voices"]] == ["tone"]
    bench = json.loads(run("bench", "--engine", "tone", "--rounds", "1", "--json"))
    assert list(bench) == ["engine", "voice", "rtf", "first_chunk_s", "rss_mb", "n"]
    assert list(bench["first_chunk_s"]) == ["p50", "p95"]
    assert bench["rss_mb"] > 10


def test_doctor_finds_what_is_missing() -> None:
    """No model, no broker on this port, no card: each with what to do; the worst gives the exit status."""
    result = CliRunner().invoke(cli, ["doctor", "--json"])
    report = json.loads(result.stdout)
    status = {section["name"]: section["status"] for section in report["sections"]}
    assert list(status) == ["cpu", "openvino", "model", "text", "audio", "realtime", "mqtt", "daemon"]
    assert status["openvino"] == "ok"
    assert status["model"] == "fail"
    model = next(section for section in report["sections"] if section["name"] == "model")
    assert model["findings"][0]["fix"] == "edged model install kokoro"
    assert result.exit_code == report["exit"] == 2


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb: str) -> None:
    """The first place to look."""
    assert "Examples:" in run(verb, "--help")


def test_config_check_and_show(tmp_path: Path) -> None:
    """A good file is ok; what is shown is what is in effect."""
    assert run("config", "check").endswith("edged.yaml: ok\n")
    shown = json.loads(run("config", "show", "--json"))
    assert shown["paths"]["models_dir"] == str(tmp_path / "m")


@pytest.mark.parametrize(
    ("arguments", "tones"),
    [
        ([], ["double-beep", None]),
        (["--chime", "none"], [None, None]),
        (["--chime", "beep", "--chime-end", "key"], ["beep", "key"]),
    ],
    ids=["configured", "none", "both"],
)
def test_the_chimes_are_the_configured_one_or_those_asked_for(
    tmp_path: Path, arguments: list[str], tones: list[str | None]
) -> None:
    """Before and after the words, a gap between."""
    config = tmp_path / "chime.yaml"
    config.write_text("speech: {engine: tone, chime: double-beep}\n")
    out = tmp_path / "x.wav"
    run("say", "Hi", "--config", str(config), "--out", str(out), *arguments)
    around_ms = sum(CHIMES[name].length_ms + 250 for name in tones if name)
    assert wav.decode(out.read_bytes()).seconds * 1000 == pytest.approx(160 + around_ms, abs=1)


def test_a_chime_that_is_not_there_is_told(tmp_path: Path) -> None:
    """And the words are spoken."""
    out = tmp_path / "x.wav"
    arguments = ["say", "Hi", "--engine", "tone", "--chime", "dingdong", "--out", str(out)]
    result = CliRunner().invoke(cli, arguments)
    assert "warning: clip_skipped: dingdong: " in result.stderr
    assert wav.decode(out.read_bytes()).seconds == pytest.approx(0.16, abs=0.001)


def test_what_is_asked_of_a_device_is_what_was_given() -> None:
    """What was not given is left to the device."""
    fields = request_fields("Hi", "auto", None, SpeechOptions(seed=7), chime="ding", chime_end=None)
    assert fields == {"text": "Hi", "lang": "auto", "options": {"seed": 7}, "chime": "ding"}


def test_what_measures_a_voice_hears_no_chime() -> None:
    """The configured chime is for announcements; `edged bench` is for the engine."""
    speech = Config.model_validate({"speech": {"engine": "tone", "chime": "ding"}})
    with open_synth(speech) as synth:
        *_, end = synth.speak("Hi", "auto", None)
    assert isinstance(end, SynthEnd)
    assert end.audio_ms == pytest.approx(160)
