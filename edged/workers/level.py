"""How much is kept between the stream and the loudspeaker while something plays."""

from __future__ import annotations

from edged.audio.sink import Granted

# A stop or a pause is heard after what is queued, the fade and a wake: 65 + 10 + 10 of the 100 ms it may
# take, and 80 + 10 + 10 with long periods. Of the 65 the limiter holds 4.3, the device the rest.
LEVEL_MS = 65.0
LARGEST_LEVEL_MS = 80.0
LEVEL_PERIODS = 3  # devices take whole periods: one leaves, one is due while we sleep, one is in hand
LEAST_PERIODS = 2  # ... without the one in hand a late wake is heard; with only one of them every wake


def level_frames(granted: Granted) -> int:
    """The level of this device, with what the limiter holds."""
    wanted = max(granted.frames(LEVEL_MS), LEVEL_PERIODS * granted.period_frames)
    stoppable = min(wanted, granted.frames(LARGEST_LEVEL_MS))
    return min(max(stoppable, LEAST_PERIODS * granted.period_frames), granted.buffer_frames)
