"""`edged model convert --checkpoint` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from edged.cli.model import command
from edged.errors import ConversionError
from edged.io.model_folder import open_model
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return write_tiny_checkpoint(tmp_path / "a checkpoint")


def run(*args: str) -> Result:
    """Runs `edged model convert ARGS`; EdgedError comes out as it is."""
    done = CliRunner().invoke(command, ["convert", *args])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_convert_says_what_it_made_and_shows_its_steps(checkpoint: Path, tmp_path: Path) -> None:
    """Name, size and precision on standard output, the steps on standard error."""
    out = tmp_path / "my voice"
    done = run("--checkpoint", str(checkpoint), "--out", str(out), "--weights", "fp32", "--talker", "fp16")
    assert done.stdout.startswith(f"{out}: qwen3-tts-tiny-customvoice ")
    assert "talker fp16, predictor fp32, vocoder fp32" in done.stdout
    assert "\ntalker\n" in done.stderr
    assert open_model(out).manifest.precision == "talker fp16, predictor fp32, vocoder fp32"


def test_spoilt_checkpoint_is_named(checkpoint: Path, tmp_path: Path) -> None:
    """The error names the file, and nothing is left behind."""
    (checkpoint / "merges.txt").unlink()
    with pytest.raises(ConversionError, match=r"missing merges\.txt"):
        run("--checkpoint", str(checkpoint), "--out", str(tmp_path / "out"))
    assert [path.name for path in tmp_path.iterdir()] == ["a checkpoint"]


@pytest.mark.parametrize(
    "args",
    [
        ["--out", "x"],
        ["kokoro", "--out", "x"],
        ["kokoro", "--checkpoint", ".", "--out", "x"],
        ["--from", ".", "--checkpoint", ".", "--out", "x"],
        ["--checkpoint", ".", "--out", "x", "--vocoder", "int8"],
        ["kokoro", "--from", ".", "--out", "x", "--talker", "int8"],
    ],
)
def test_what_does_not_go_together_is_a_usage_error(
    args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either a model by name from its artefacts or a checkpoint; parts only of a checkpoint."""
    monkeypatch.chdir(tmp_path)
    assert run(*args).exit_code == 2
