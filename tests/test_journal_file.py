"""The journal's file below the journal."""

from __future__ import annotations

from edged.journal_file import read_boot_id


def test_the_boot_has_a_name() -> None:
    """The same one each time it is asked for."""
    assert read_boot_id() == read_boot_id() != ""
