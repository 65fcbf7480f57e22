"""The list of trusted checkpoints."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import ValidationError

from edged.errors import StorageError
from edged.install.pins import Checkpoint, HubFile, Pins

FILE = HubFile(bytes=2, sha256="0" * 64)


def checkpoint(revision: str, commit: str = "c0", repo: str = "Qwen/Tiny") -> Checkpoint:
    return Checkpoint(
        hub="huggingface", repo=repo, revision=revision, commit=commit, files={"config.json": FILE}
    )


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    return Pins(tmp_path / "models")


def test_a_recorded_checkpoint_is_found_by_its_names(pins: Pins) -> None:
    """By repository alone, by hub, by what was asked for and by the commit that was; by nothing else."""
    pins.record(checkpoint("main"))
    pins.record(checkpoint("main", repo="Qwen/Other"))
    found = [checkpoint("main")]
    assert pins.matching("Qwen/Tiny", None, None) == found
    assert pins.matching("Qwen/Tiny", "huggingface", "main") == found
    assert pins.matching("Qwen/Tiny", None, "c0") == found
    assert pins.matching("Qwen/Tiny", "modelscope", None) == []
    assert pins.matching("Qwen/Tiny", None, "v1") == []


def test_the_last_recorded_comes_last(pins: Pins) -> None:
    """The order is that of recording: who names no revision gets the last."""
    for revision in ("main", "v2"):
        pins.record(checkpoint(revision, commit=revision))
    assert [pin.revision for pin in pins.matching("Qwen/Tiny", None, None)] == ["main", "v2"]


def test_two_installs_lose_no_record(pins: Pins) -> None:
    """Installs of two models that end at the same moment are both recorded."""
    repos = {f"Qwen/{index}" for index in range(8)}
    with ThreadPoolExecutor(len(repos)) as installs:
        for done in [installs.submit(pins.record, checkpoint("main", repo=repo)) for repo in repos]:
            done.result()
    assert {pin["repo"] for pin in json.loads(pins.path.read_text())} == repos


@pytest.mark.parametrize("content", ["", "[{}]", "{"])
def test_a_damaged_list_is_not_an_empty_one(pins: Pins, content: str) -> None:
    """Trust is not lost in silence: the file is named, with what happens without it."""
    pins.path.parent.mkdir()
    pins.path.write_text(content)
    with pytest.raises(StorageError, match=r"pins\.json") as caught:
        pins.matching("Qwen/Tiny", None, None)
    assert "trusted anew" in caught.value.hint


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.json", "a/../x.json", ".git/config", "a//b", "a\nb"])
def test_no_name_leads_elsewhere(path: str) -> None:
    """A published file name that is no plain path below the folder is refused."""
    with pytest.raises(ValidationError):
        Checkpoint(hub="huggingface", repo="a/b", revision="main", commit="c", files={path: FILE})
