"""Does another client use our name? Pure: the time comes with the news.

A broker lets the newer of two clients with one id in and cuts the older one off. Some say so (MQTT 5,
reason 142), mosquitto 2.0 does not, MQTT 3.1.1 cannot. What gives a rival away then is the state it has
left on our retained topic, which we find there when we come back.
"""

from __future__ import annotations

from collections import deque

_WINDOW_S = 60.0  # once can be a restart that overlaps the old process; twice in a minute is a rival
_SETTLED_S = 120.0  # longer than a rival stays away that slows down as we do
_REMEMBERED = 64  # states published lately: any of them may be what a broker that crashed still has


class Rivals:
    """What was seen of other clients with our client id."""

    def __init__(self, will: bytes) -> None:
        self.is_contested = False
        self._ours: deque[bytes] = deque((will,), maxlen=_REMEMBERED)
        self._will = will
        self._takeovers_s: deque[float] = deque(maxlen=2)
        self._was_cut = False

    def published(self, state: bytes) -> None:
        """This is our state."""
        self._ours.append(state)

    def cut(self, now_s: float, *, is_takeover: bool) -> None:
        """We were connected and are not any more; `is_takeover`: the broker said that a rival did it."""
        if is_takeover:
            self._note(now_s)
        self._was_cut = not is_takeover

    def broker_was_away(self) -> None:
        """That is why we were cut; what a crashed broker has kept may be older than all we remember."""
        self._was_cut = False

    def found(self, state: bytes, now_s: float) -> None:
        """We are back, and this is the retained state of our device."""
        if self._was_cut and state and state != self._will and state not in self._ours:
            self._note(now_s)
        self._was_cut = False

    def passed(self, now_s: float) -> None:
        """Time has passed while we were connected."""
        if self.is_contested and now_s - self._takeovers_s[-1] > _SETTLED_S:
            self.is_contested = False
            self._takeovers_s.clear()

    def _note(self, now_s: float) -> None:
        self._takeovers_s.append(now_s)
        first_s, last_s = self._takeovers_s[0], self._takeovers_s[-1]
        if len(self._takeovers_s) == 2 and last_s - first_s <= _WINDOW_S:
            self.is_contested = True
