"""How hot the board is: readings -> level (with hysteresis) -> threads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import IntEnum

from edged.config.schema import ThermalConfig

# What a sensor cannot mean. Unconnected and unprogrammed ones report -273, -128, -127 or -40 °C, broken
# ones 255 °C and more; silicon is specified from -40 to about 125 °C.
_IMPOSSIBLE_COLD_C = -40.0
_IMPOSSIBLE_HOT_C = 150.0
# Exactly 0.0 is what firmware leaves in a zone nobody fills; a running CPU that really is at 0 °C needs
# no limits either, so nothing is lost by ignoring it.
_NEVER_FILLED_C = 0.0


class ThermalLevel(IntEnum):
    """Ordered: a higher level is a hotter board."""

    NOMINAL = 0
    WARM = 1
    HOT = 2
    CRITICAL = 3

    @property
    def label(self) -> str:
        """The name in health, log and status: `nominal`, `warm`, `hot`, `critical`."""
        return self.name.lower()


# Share of the threads that stays. Warm gives up a quarter: power falls by more than that because the
# remaining cores can lower their voltage. Critical keeps one thread: an emergency is spoken slowly
# rather than never.
_THREAD_SHARE = {
    ThermalLevel.NOMINAL: 1.0,
    ThermalLevel.WARM: 0.75,
    ThermalLevel.HOT: 0.5,
    ThermalLevel.CRITICAL: 0.0,
}


def hottest_c(readings: Iterable[float | None]) -> float | None:
    """The hottest believable reading in °C; None when there is none."""
    return max((c for c in readings if c is not None and _is_believable(c)), default=None)


def next_level(config: ThermalConfig, level: ThermalLevel, temperature_c: float | None) -> ThermalLevel:
    """The level after this temperature, coming from `level`.

    Levels rise at once and are left only `hysteresis_c` below their threshold. A missing or nonsensical
    temperature lowers the level by one: a sensor that vanished must neither silence the board for ever
    nor release everything because of one failed read.
    """
    temperature_c = hottest_c([temperature_c])
    if temperature_c is None:
        return ThermalLevel(max(level - 1, ThermalLevel.NOMINAL))
    reached = _highest_level(config, temperature_c)
    held = min(level, _highest_level(config, temperature_c + config.hysteresis_c))
    return max(reached, held)


def threads_at(level: ThermalLevel, threads: int) -> int:
    """Synthesis threads at `level` on a board that uses `threads` when cool; at least one.

    What else a level means, which requests are held back or refused, is the scheduler's.
    """
    return max(1, math.floor(threads * _THREAD_SHARE[level]))


def _is_believable(reading_c: float) -> bool:
    is_possible = _IMPOSSIBLE_COLD_C < reading_c <= _IMPOSSIBLE_HOT_C  # False for NaN
    return is_possible and reading_c != _NEVER_FILLED_C


def _highest_level(config: ThermalConfig, temperature_c: float) -> ThermalLevel:
    thresholds_c = {
        ThermalLevel.CRITICAL: config.critical_c,
        ThermalLevel.HOT: config.hot_c,
        ThermalLevel.WARM: config.warm_c,
    }
    return next(
        (level for level, threshold_c in thresholds_c.items() if temperature_c >= threshold_c),
        ThermalLevel.NOMINAL,
    )
