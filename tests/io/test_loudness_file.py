"""`loudness.json` beside the models."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.errors import StorageError
from edged.io.loudness_file import LoudnessFile
from edged.io.store import Store

ONE, OTHER = "a" * 64, "b" * 64


def test_figures_are_kept_by_model_and_voice(tmp_path: Path) -> None:
    """What was measured earlier stays; a voice that is measured again has its new figure."""
    folder = tmp_path / "my models"
    LoudnessFile(folder).record(ONE, {"anna": -20.5, "ben": -19.0})
    LoudnessFile(folder).record(OTHER, {"anna": -30.0})
    LoudnessFile(folder).record(ONE, {"ben": -18.0})
    assert LoudnessFile(folder).voices(ONE) == {"anna": -20.5, "ben": -18.0}
    assert LoudnessFile(folder).voices(OTHER) == {"anna": -30.0}


def test_nothing_measured_is_no_error(tmp_path: Path) -> None:
    """There is no file yet, or another model's; reading makes none."""
    assert LoudnessFile(tmp_path).voices(ONE) == {}
    assert list(tmp_path.iterdir()) == []
    LoudnessFile(tmp_path).record(OTHER, {"anna": -20.0})
    assert LoudnessFile(tmp_path).voices(ONE) == {}


def test_it_is_no_model(tmp_path: Path) -> None:
    """The store does not take the file for one."""
    LoudnessFile(tmp_path).record(ONE, {"anna": -20.0})
    assert Store(tmp_path).names() == []


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1}', b"\xff", b'{"a": {"anna": "loud"}}'])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    """With the way out; recording does not silently throw its rest away."""
    path = tmp_path / "loudness.json"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=str(path)) as caught:
        LoudnessFile(tmp_path).voices(ONE)
    assert "edged model loudness" in caught.value.hint
    with pytest.raises(StorageError):
        LoudnessFile(tmp_path).record(ONE, {"anna": -20.0})
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A file is in its place."""
    (tmp_path / "models").write_text("")
    with pytest.raises(StorageError, match="models"):
        LoudnessFile(tmp_path / "models").record(ONE, {"anna": -20.0})
