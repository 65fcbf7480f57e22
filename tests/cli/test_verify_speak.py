"""`edged model verify --speak`: what a recording is judged by, and the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from edged.audio import wav
from edged.cli.main import cli
from edged.cli.model.speak_check import Prompt, Report, Spoken, judge, speak_all, with_text
from edged.cli.model.speak_prompts import PROMPTS
from edged.cli.recogniser import Recogniser
from edged.config.schema import Config
from edged.engine.base import Samples
from edged.engine.qwen3.runaway import Fault
from edged.errors import BadInputError, EngineError, ModelUnavailableError
from edged.io.store import Store
from tests.fakes.installed_model import install_files
from tests.fakes.tiny_model import silent

RATE_HZ = 24000
GREETING = Spoken("zh-01", "zh", "你好，欢迎光临。")  # six characters
TONE = Config.model_validate({"speech": {"engine": "tone"}})


def hum(seconds: float, amplitude: float = 0.1) -> Samples:
    samples: Samples = amplitude * np.sin(np.arange(int(seconds * RATE_HZ), dtype=np.float32) * 0.05)
    return samples


def test_a_good_recording_has_figures_and_no_problem() -> None:
    """Length, pace, level and speed of six characters in 1.5 s."""
    spoken = judge(GREETING, hum(1.5), RATE_HZ, synth_s=0.75)
    assert (spoken.audio_s, spoken.rtf, spoken.seconds_per_char) == (1.5, 0.5, 0.25)
    assert (spoken.level_dbfs, spoken.peak_dbfs) == (-23.0, -20.0)
    assert spoken.problems == ()


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        (hum(0.2), "too short: 0.033 s a character"),
        (hum(9.0), "too long: 1.5 s a character"),
        (hum(1.5, amplitude=0.001), "too quiet: level -63.0 dBFS"),
        (np.sign(hum(1.5)), "too loud: level -0.0 dBFS"),
        (np.zeros(RATE_HZ, np.float32), "too quiet: level -120.0 dBFS"),
        (np.zeros(0, np.float32), "too short: 0.0 s a character"),
    ],
    ids=["too short", "too long", "too quiet", "noise", "silence", "nothing"],
)
def test_what_cannot_be_the_text_is_a_problem(samples: Samples, words: str) -> None:
    """Far outside of what anybody speaks, with the figure and what speech has."""
    problems = judge(GREETING, samples, RATE_HZ, synth_s=1.0).problems
    assert any(problem.startswith(words) for problem in problems)


def test_other_words_are_a_problem() -> None:
    """A recogniser errs here and there; it does not make up another sentence."""
    spoken = judge(GREETING, hum(1.5), RATE_HZ, synth_s=1.0)
    good = with_text(spoken, "你好欢迎光临")
    assert (good.error_percent, good.problems) == (0.0, ())
    assert with_text(spoken, "你好欢迎观林").problems == ()
    bad = with_text(spoken, "大江东去浪淘尽")
    assert (bad.heard, bad.problems) == ("大江东去浪淘尽", ("not understood: '大江东去浪淘尽'",))


def test_the_prompts_are_ten_of_each_language() -> None:
    """Each of them once."""
    assert [lang for lang, _ in PROMPTS] == ["zh"] * 10 + ["en"] * 10
    assert len(set(PROMPTS)) == 20


def test_a_prompt_that_fails_is_part_of_the_report(tmp_path: Path) -> None:
    """The others are spoken all the same, and each has its recording."""
    prompts: tuple[Prompt, ...] = (("zh", "你好"), ("zh", "☃"), ("en", "Good morning"))
    nobody = Recogniser(tmp_path, tmp_path)
    report = speak_all(TONE, prompts, tmp_path, nobody, silent)
    assert [(spoken.name, bool(spoken.problems)) for spoken in report.prompts] == [
        ("zh-01", False),
        ("zh-02", True),
        ("en-01", False),
    ]
    assert report.failed[0].problems[0].startswith("empty: nothing in the text")
    assert (report.engine, report.is_heard) == ("tone", False)
    recorded = wav.decode((tmp_path / "en-01.wav").read_bytes())
    assert recorded.seconds == pytest.approx(report.prompts[2].audio_s, abs=0.01)


def test_an_installed_recogniser_is_asked(tmp_path: Path) -> None:
    """One line a recording, only for those that there are."""
    (tmp_path / "share/whisper-base").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").write_text('#!/bin/sh\nshift 2\nfor _; do echo \'{"text": "你好"}\'; done\n')
    (tmp_path / "bin/python").chmod(0o755)
    (tmp_path / "recognise.py").touch()
    recogniser = Recogniser(tmp_path, tmp_path / "recognise.py")
    prompts: tuple[Prompt, ...] = (("zh", "你好"), ("zh", "☃"), ("en", "Go"))
    report = speak_all(TONE, prompts, tmp_path, recogniser, silent)
    assert report.is_heard
    assert [spoken.error_percent for spoken in report.prompts] == [0.0, None, 100.0]
    assert [spoken.name for spoken in report.failed] == ["zh-02", "en-01"]


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a model of the tone engine, which needs none."""
    monkeypatch.setenv("EDGED_CONFIG", str(tmp_path / "edged.yaml"))
    (tmp_path / "edged.yaml").write_text("paths: {cache_dir: c}\n")
    store = Store(tmp_path / "models")
    for name in ("tone", "banjo"):
        install_files(store, name, {"model.bin": b"x"})
    return store.models_dir


def verify(models: Path, *arguments: str) -> str:
    command = ["model", "verify", *arguments, "--models-dir", str(models)]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_report_is_kept_with_the_recordings(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To be looked at and listened to later; the same as what --json prints."""
    nobody = Recogniser(tmp_path, tmp_path)
    monkeypatch.setattr(Recogniser, "of_this_clone", lambda: nobody)
    out = tmp_path / "new/recordings"
    told = json.loads(verify(models, "tone", "--speak", "--out", str(out), "--json"))
    assert told == json.loads((out / "report.json").read_text())
    assert (told["ok"], told["engine"], len(told["prompts"])) == (True, "tone", 20)
    assert len(list(out.glob("*.wav"))) == 20
    table = verify(models, "tone", "--speak")
    assert table.count(" ok ") == 20
    assert "no recogniser" in table


def test_a_failed_prompt_is_an_exit_status(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """70, with the names of the prompts and the way to the recordings."""
    bad = replace(GREETING, problems=("too long",))
    report = Report("tone", "tone 1", None, False, (bad, replace(bad, name="zh-02", problems=())))
    monkeypatch.setattr("edged.cli.model.speak_verb.speak_all", lambda *_: report)
    with pytest.raises(EngineError, match="tone 1: 1 of 2 prompts failed: zh-01") as caught:
        verify(models, "tone", "--speak")
    assert caught.value.exit_status == 70
    assert "--out DIR" in caught.value.hint
    with pytest.raises(EngineError) as caught:
        verify(models, "tone", "--speak", "--out", str(tmp_path / "heard"))
    assert caught.value.hint == f"listen to them: {tmp_path / 'heard'}, also with report.json"


@pytest.mark.parametrize(
    ("problem", "cell"),
    [
        *(
            (f"runaway: speech was given up: {fault}", "no end")
            for fault in Fault
            if fault != Fault.TOO_SHORT
        ),
        (f"runaway: speech was given up: {Fault.TOO_SHORT}", "too short"),
        ("not understood: 'a: b'", "not understood"),
    ],
)
def test_a_row_of_the_table_is_a_line(
    models: Path, monkeypatch: pytest.MonkeyPatch, problem: str, cell: str
) -> None:
    """What failed in two words; the details are in the report as JSON."""
    report = Report("tone", "tone 1", None, False, (replace(GREETING, problems=(problem,)),))
    monkeypatch.setattr("edged.cli.model.speak_verb.speak_all", lambda *_: report)
    command = ["model", "verify", "tone", "--speak", "--models-dir", str(models)]
    shown = CliRunner().invoke(cli, command).stdout
    (row,) = [line for line in shown.splitlines() if "zh-01" in line]
    assert row.rstrip(" │").endswith(cell)
    assert json.loads(CliRunner().invoke(cli, [*command, "--json"]).stdout)["prompts"][0]["problems"] == [
        problem
    ]


def test_a_damaged_model_is_not_spoken_with(models: Path) -> None:
    """The file is named, as without --speak."""
    file = next(models.glob("tone/1-*/model.bin"))
    file.chmod(0o644)
    file.write_bytes(b"y")
    with pytest.raises(ModelUnavailableError, match=r"model\.bin"):
        verify(models, "tone", "--speak")


def test_a_model_of_no_engine_is_refused(models: Path) -> None:
    """Whatever somebody has put there."""
    with pytest.raises(BadInputError, match="no engine speaks with this model"):
        verify(models, "banjo", "--speak")


@pytest.mark.parametrize("arguments", [["--speak"], ["tone", "--out", "x"]])
def test_options_that_make_no_sense_are_usage_errors(models: Path, arguments: list[str]) -> None:
    """--speak needs a name, --out needs --speak."""
    command = ["model", "verify", *arguments, "--models-dir", str(models)]
    assert CliRunner().invoke(cli, command).exit_code == 2
