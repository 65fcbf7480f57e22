"""How long to wait before the next try to connect. Pure, but for the dice."""

from __future__ import annotations

import random

_BACK_OFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
_STABLE_S = 10.0  # two clients that take one session from each other in turn never get there
# Somebody has to change something first: a password, an access list, the name that two boards share.
_SLOW_S = 30.0


class BackOff:
    """Longer with every failure in a row; a connection that was stable begins a new row."""

    def __init__(self) -> None:
        self._failures = 0

    def failed(self, up_s: float) -> None:
        """A try, or a connection that had been up so long, has ended."""
        self._failures = 1 if up_s > _STABLE_S else self._failures + 1

    def pause_s(self, *, is_slow: bool) -> float:
        """Half to one and a half of the step: a hall full of boards must not come back in one second."""
        step_s = _SLOW_S if is_slow else _BACK_OFF_S[min(self._failures, len(_BACK_OFF_S)) - 1]
        return step_s * random.uniform(0.5, 1.5)
