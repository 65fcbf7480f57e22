"""When only an emergency may be spoken."""

from __future__ import annotations


def is_quiet(hours: str, minute_of_day: int) -> bool:
    """Is this minute of the local day within `hours` ("22:00-06:30", which may go over midnight)?

    The first minute counts, the last one does not; hours that end where they begin are the whole day, and
    empty ones are none.
    """
    if not hours:
        return False
    begin, end = (_minute_of_day(time) for time in hours.split("-"))
    if begin < end:
        return begin <= minute_of_day < end
    return minute_of_day >= begin or minute_of_day < end


def _minute_of_day(time: str) -> int:
    hour, minute = time.split(":")
    return int(hour) * 60 + int(minute)
