"""When only an emergency may be spoken."""

from __future__ import annotations

import pytest

from edged.core.quiet_hours import is_quiet


@pytest.mark.parametrize(
    ("hours", "time", "quiet"),
    [
        ("", "03:00", False),
        ("13:00-14:30", "12:59", False),
        ("13:00-14:30", "13:00", True),
        ("13:00-14:30", "14:29", True),
        ("13:00-14:30", "14:30", False),
        ("22:00-06:30", "21:59", False),
        ("22:00-06:30", "22:00", True),
        ("22:00-06:30", "00:00", True),
        ("22:00-06:30", "06:29", True),
        ("22:00-06:30", "06:30", False),
        ("00:00-00:00", "12:00", True),
        ("23:59-00:00", "23:59", True),
        ("23:59-00:00", "00:00", False),
    ],
)
def test_hours_of_the_local_day(hours: str, time: str, quiet: bool) -> None:
    """The first minute counts, the last one does not, and midnight is a minute like any other."""
    hour, minute = map(int, time.split(":"))
    assert is_quiet(hours, 60 * hour + minute) is quiet
