"""Space, digests and storage errors on real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.errors import StorageError
from edged.io.disk import require_space, sha256_of, storage_errors


def test_too_little_space_names_both_figures(tmp_path: Path) -> None:
    """The space check says how much is needed and how much there is."""
    with pytest.raises(StorageError, match=r"1000000000 MB needed, \d+ MB free"):
        require_space(tmp_path, 10**15)
    require_space(tmp_path, 1)


def test_full_disk_names_the_place_and_the_way_out() -> None:
    """A write refused for lack of space becomes a storage error that advises to free some."""
    with (
        pytest.raises(StorageError, match="No space left on device") as caught,
        storage_errors(Path("/models")),
    ):
        Path("/dev/full").write_bytes(b"model")
    assert "free some space" in caught.value.hint


def test_digest_is_that_of_the_content(tmp_path: Path) -> None:
    """The digest is plain SHA-256, as `sha256sum` prints it."""
    (tmp_path / "empty").write_bytes(b"")
    assert sha256_of(tmp_path / "empty").startswith("e3b0c44298fc1c14")
