"""The CPU's temperature, as the kernel's sensors tell it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import psutil

from edged.core.governor import hottest_c

log = logging.getLogger(__name__)

# hwmon and thermal zone names of sensors inside the CPU ...
CPU_CHIPS = ("coretemp", "x86_pkg_temp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "soc_thermal")
# ... and of the board's firmware, asked only when the CPU's own are silent: often it is a constant.
BOARD_CHIPS = ("acpitz",)
_COUNTED = ("core", "package")

CPUS = Path("/sys/devices/system/cpu")

Sensors = Mapping[str, Iterable[Any]]


def cpu_temperature_c() -> float | None:
    """The hottest believable CPU sensor in °C; None on boards without one. Never raises."""
    return pick_temperature_c(_read_sensors(getattr(psutil, "sensors_temperatures", None)))


def throttle_counts(cpus: Path = CPUS) -> tuple[int, int] | None:
    """How often the CPU has slowed down for heat since the boot: (its worst core, the package).

    None where the kernel does not count it.
    """
    counts = [_highest(cpus.glob(f"cpu*/thermal_throttle/{name}_throttle_count")) for name in _COUNTED]
    core, package = counts
    return None if core is None or package is None else (core, package)


def _highest(files: Iterable[Path]) -> int | None:
    try:
        return max((int(file.read_text()) for file in files), default=None)
    except (OSError, ValueError) as error:  # a CPU that is taken offline just now, a container
        _warn_once(f"throttle counters: {error}")
        return None


def pick_temperature_c(sensors: Sensors) -> float | None:
    """The hottest CPU sensor of `sensors` (chip name -> entries with `.current` in °C)."""
    for chips in (CPU_CHIPS, BOARD_CHIPS):
        entries = (entry for chip in chips for entry in sensors.get(chip, ()))
        if (temperature_c := hottest_c(entry.current for entry in entries)) is not None:
            return temperature_c
    return None


def _read_sensors(read: Callable[[], Sensors | None] | None) -> Sensors:
    if read is None:  # psutil leaves the function out where it sees no sensor interface
        return {}
    try:
        return read() or {}
    except Exception as error:  # drivers and containers fail in many ways; heat is advice, speech the job
        _warn_once(f"{type(error).__name__}: {error}")
        return {}


@lru_cache(maxsize=16)  # sensors are polled for ever; a broken one is worth one line
def _warn_once(reason: str) -> None:
    log.warning("cannot read the sensors (%s): the board counts as cool", reason)
