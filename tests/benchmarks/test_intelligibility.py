"""What the intelligibility benchmark counts as an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks import intelligibility
from edged.errors import BadInputError
from edged.text.scoring import score

_PROMPTS = Path(intelligibility.__file__).parent / "prompts"


def test_the_default_prompts_are_twenty_of_each_language() -> None:
    """Fewer would make the figures noise."""
    files = sorted(_PROMPTS.glob("*.jsonl"))
    langs = [prompt.lang for prompt in intelligibility.load_prompts(files, quick=False)]
    assert langs.count("zh") >= 20
    assert langs.count("en") >= 20


def test_quick_takes_a_few_of_each_language() -> None:
    """Both languages are still measured."""
    files = sorted(_PROMPTS.glob("*.jsonl"))
    names = {prompt.name for prompt in intelligibility.load_prompts(files, quick=True)}
    assert {"zh-01", "en-01"} <= names
    assert len(names) < 10


def test_a_prompt_without_a_spoken_form_is_read_by_the_front_end(tmp_path: Path) -> None:
    """Own prompt files need text and language only."""
    file = tmp_path / "mine.jsonl"
    file.write_text('{"lang": "en", "text": "Gate 12"}\n\n', encoding="utf-8")
    (prompt,) = intelligibility.load_prompts([file], quick=False)
    assert (prompt.name, prompt.spoken) == ("en-01", "Gate twelve")


@pytest.mark.parametrize(
    "line", ["gate 12", "[]", '{"lang": "fr", "text": "oui"}', '{"lang": "en", "text": ""}']
)
def test_a_bad_prompt_is_reported_with_its_line(tmp_path: Path, line: str) -> None:
    """The error names file and line."""
    file = tmp_path / "mine.jsonl"
    file.write_text(f'{{"lang": "en", "text": "Go"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(BadInputError, match=r"mine\.jsonl:2"):
        intelligibility.load_prompts([file], quick=False)


def test_the_summary_has_one_figure_and_the_count_per_language() -> None:
    """The shape scripts rely on."""
    zh = intelligibility.Prompt("zh-01", "zh", "三号", "三号", "mine")
    en = intelligibility.Prompt("en-01", "en", "go", "go", "mine")
    heard = [
        intelligibility.Heard(zh, "四号", score("三号", "四号", "zh")),
        intelligibility.Heard(en, "go", score("go", "go", "en")),
    ]
    assert intelligibility.summary(heard) == {"zh": {"pinyin_err": 50.0, "n": 1}, "en": {"wer": 0.0, "n": 1}}
    assert "zh" not in intelligibility.summary(heard[1:])


def test_each_file_has_its_figure() -> None:
    """A category that nobody understands shows, however many others there are."""
    heard = [
        intelligibility.Heard(
            intelligibility.Prompt("zh-01", "zh", "三号", "三号", source), text, score("三号", text, "zh")
        )
        for source, text in (("tickets", "三号"), ("dates", "四号"), ("dates", "三号"))
    ]
    assert intelligibility.summary(heard)["zh"]["by_file"] == {"dates": 25.0, "tickets": 0.0}


def test_a_folder_stands_for_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All prompts of a folder, as of the golden texts."""
    peers = _fake_recogniser(tmp_path / "peers", 'echo \'{"text": "3号"}\'')
    monkeypatch.setattr(intelligibility, "_PEERS", peers)
    (tmp_path / "b.jsonl").write_text('{"lang": "zh", "text": "3号"}\n', encoding="utf-8")
    (tmp_path / "zh-01.wav").touch()
    options = ["--prompts", str(tmp_path), "--wav-dir", str(tmp_path), "--json"]
    result = CliRunner().invoke(intelligibility.command, options)
    assert json.loads(result.stdout) == {"zh": {"pinyin_err": 0.0, "n": 1}}


def _fake_recogniser(folder: Path, script: str) -> Path:
    """A peers' environment whose python is a shell script."""
    (folder / "share/whisper-base").mkdir(parents=True)
    (folder / "bin").mkdir()
    python = folder / "bin/python"
    python.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    python.chmod(0o755)
    return folder


def _measure(tmp_path: Path, *options: str) -> Result:
    """Score one empty recording of "三号" with whatever recogniser is set up."""
    (tmp_path / "mine.jsonl").write_text('{"lang": "zh", "text": "3号"}\n', encoding="utf-8")
    (tmp_path / "zh-01.wav").touch()
    files = ["--prompts", str(tmp_path / "mine.jsonl"), "--wav-dir", str(tmp_path)]
    return CliRunner().invoke(intelligibility.command, [*files, *options])


def test_recordings_are_scored_by_the_recogniser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recogniser answers a line per recording, the figures follow from them."""
    peers = _fake_recogniser(tmp_path / "peers here", 'echo \'{"text": "4号"}\'')
    monkeypatch.setattr(intelligibility, "_PEERS", peers)
    result = _measure(tmp_path, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"zh": {"pinyin_err": 50.0, "n": 1}}
    assert "zh: pinyin_err 50.0 %, n = 1" in _measure(tmp_path).stdout


@pytest.mark.parametrize("script", ["exit 3", "exit 0"])
def test_a_recogniser_that_dies_is_no_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """Whatever its own status: exit status 1 and a reason, no figures."""
    monkeypatch.setattr(intelligibility, "_PEERS", _fake_recogniser(tmp_path / "peers", script))
    result = _measure(tmp_path, "--json")
    assert result.exit_code == 1
    assert "recogniser ended unexpectedly" in result.stderr
    assert result.stdout == ""


def test_a_missing_recording_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that lacks one of the prompts' recordings is not scored at all."""
    monkeypatch.setattr(intelligibility, "_PEERS", _fake_recogniser(tmp_path / "peers", "exit 0"))
    (tmp_path / "mine.jsonl").write_text('{"lang": "en", "text": "Go"}\n', encoding="utf-8")
    options = ["--prompts", str(tmp_path / "mine.jsonl"), "--wav-dir", str(tmp_path)]
    result = CliRunner().invoke(intelligibility.command, options)
    assert result.exit_code == 1
    assert "en-01.wav" in result.stderr


def test_a_missing_recogniser_names_the_way_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recogniser is no dependency of edged; the error says what to run."""
    monkeypatch.setattr(intelligibility, "_PEERS", tmp_path / "nowhere")
    result = _measure(tmp_path)
    assert result.exit_code == 1
    assert "benchmarks/setup-peers.sh" in result.stderr


def test_golden_texts_are_prompts(tmp_path: Path) -> None:
    """Their sentences together are what is meant; the language is that of their words."""
    file = tmp_path / "golden.jsonl"
    file.write_text(
        '{"lang": "auto", "text": "■", "spoken": []}\n'
        '{"lang": "auto", "text": "No. 15. Hello", "spoken": ["number fifteen.", "Hello"]}\n'
        '{"lang": "auto", "text": "15号", "spoken": ["十五号"]}\n',
        encoding="utf-8",
    )
    prompts = intelligibility.load_prompts([file], quick=False)
    assert [(p.name, p.spoken) for p in prompts] == [("en-01", "number fifteen. Hello"), ("zh-01", "十五号")]
    assert [p.text for p in intelligibility.load_prompts([file], quick=False, every=3)] == ["15号"]
