"""What `edged doctor` says of a model on a CPU, and of the daemon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edged.cli import checks
from edged.cli.checks import examine
from edged.cli.findings import Finding, Severity
from edged.config.schema import Config
from edged.io.cpu import Cpu
from edged.io.store import Store
from tests.fakes.installed_model import install_files
from tests.fakes.qwen3_checkpoint import tiny_config

PARTS = ("talker", "predictor", "vocoder")
NAME = "qwen3-tts-0.6b-customvoice"
N100 = Cpu("N100", frozenset({"avx2", "avx_vnni"}))
JASPER_LAKE = Cpu("N5105", frozenset({"sse4_2"}))


def install(models: Path, precision: str, model_type: str = "custom_voice") -> Config:
    """A store with the large voice in this precision, and a configuration that speaks with it."""
    spec = {"format": 1, "name": NAME, "sample_rate_hz": 24000, "precision": precision, "converter": "1"}
    files = {
        "talker.bin": bytes(1_000_000),
        "config.json": json.dumps(tiny_config(model_type)).encode(),
        "generation_config.json": b"{}",
        "model.json": json.dumps({**spec, "parts": dict.fromkeys(PARTS, "int8")}).encode(),
    }
    install_files(Store(models), NAME, files, precision)
    paths = {"models_dir": models, "runtime_dir": models / "run", "voices_dir": models / "voices"}
    return Config.model_validate({"speech": {"engine": "qwen3"}, "paths": paths})


def findings(config: Config, section: str) -> tuple[Finding, ...]:
    return next(found.findings for found in examine(config) if found.name == section)


@pytest.mark.parametrize(
    ("precision", "cpu", "severity", "advice"),
    [
        ("talker int8, predictor int8, vocoder fp16", N100, Severity.OK, None),
        ("talker int8, predictor int8, vocoder fp16", JASPER_LAKE, Severity.WARN, "--weights w8a8"),
        ("talker w8a8, predictor w8a8, vocoder fp16", JASPER_LAKE, Severity.OK, None),
        ("talker w8a8, predictor w8a8, vocoder fp16", N100, Severity.OK, "--weights int8"),
    ],
    ids=["int8 on N100", "int8 on Jasper Lake", "w8a8 on Jasper Lake", "w8a8 on N100"],
)
def test_the_artefact_for_this_cpu_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    precision: str,
    cpu: Cpu,
    severity: Severity,
    advice: str | None,
) -> None:
    """Weight-only INT8 with AVX2, 8-bit arithmetic without; the other one is a warning or an advice."""
    monkeypatch.setattr(checks, "read_cpu", lambda: cpu)
    found = findings(install(tmp_path, precision), "model")
    assert max(finding.severity for finding in found) is severity
    fixes = [finding.fix for finding in found if finding.fix]
    assert fixes == ([f"edged model install {NAME} {advice}"] if advice else [])


def test_a_model_too_large_for_the_board_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its weights and the memory there is."""
    monkeypatch.setattr(checks, "read_cpu", lambda: N100)
    monkeypatch.setattr(checks, "_LARGEST_SHARE", 1e-6)
    found = findings(install(tmp_path, "talker int8, predictor int8, vocoder fp16"), "model")
    warned = [finding for finding in found if finding.severity is Severity.WARN]
    assert [finding.what.startswith("its weights take 1 of ") for finding in warned] == [True]


def test_a_missing_large_voice_is_a_failure_with_its_consequence(tmp_path: Path) -> None:
    """The board is not silent, and the doctor does not say that it were."""
    paths = {"models_dir": tmp_path, "runtime_dir": tmp_path}
    config = Config.model_validate({"speech": {"engine": "qwen3"}, "paths": paths})
    (finding,) = findings(config, "model")
    assert (finding.severity, finding.fix) == (Severity.FAIL, f"edged model install {NAME}")
    assert "speaks with the small voice" in finding.why
    assert findings(config, "daemon") == (Finding("not running"),)


def test_a_base_model_without_a_voice_is_a_failure(tmp_path: Path) -> None:
    """A whole folder that cannot speak all the same, and where its voices belong."""
    found = findings(install(tmp_path, "talker int8, predictor int8, vocoder fp16", "base"), "model")
    failed = [finding.what for finding in found if finding.severity is Severity.FAIL]
    assert len(failed) == 1
    assert failed[0].startswith(f"{tmp_path / 'voices'}: a Base model speaks with cloned voices only")


def test_a_wrong_word_of_the_lexicon_is_a_warning_with_its_line(tmp_path: Path) -> None:
    """The others are counted, and the finding says which file, line and word to mend."""
    file = tmp_path / "lexicon.yaml"
    file.write_text("words:\n  重庆: chong2\n  KFC: 肯德基\n", encoding="utf-8")
    paths = {"lexicon": file, "models_dir": tmp_path, "runtime_dir": tmp_path}
    config = Config.model_validate({"speech": {"engine": "tone"}, "paths": paths})
    counted, wrong = findings(config, "text")
    assert counted.what.endswith("lexicon.yaml: 1 words")
    assert "lexicon.yaml:2 words.重庆" in wrong.what
    assert wrong.severity == Severity.WARN
