"""Which sensor is the CPU's, and what happens when there is none."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from edged.io.thermal import cpu_temperature_c, pick_temperature_c, throttle_counts


@dataclass(frozen=True)
class Entry:
    """Like psutil's shwtemp."""

    current: float | None


def entries(*readings_c: float | None) -> list[Entry]:
    """One entry per reading."""
    return [Entry(reading_c) for reading_c in readings_c]


@pytest.mark.parametrize(
    "chip", ["coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "x86_pkg_temp", "acpitz"]
)
def test_known_cpu_sensors_are_read(chip: str) -> None:
    """Intel, AMD, ARM and firmware names."""
    assert pick_temperature_c({chip: entries(41.0, 63.5, 40.0)}) == 63.5


def test_other_devices_are_not_the_cpu() -> None:
    """A hot disk or radio does not slow speech down."""
    assert pick_temperature_c({"nvme": entries(95.0), "iwlwifi_1": entries(99.0)}) is None


def test_the_cpus_own_sensor_wins_over_the_boards() -> None:
    """The firmware's zone is often a constant, and not always a cool one."""
    assert pick_temperature_c({"acpitz": entries(100.0), "coretemp": entries(47.0)}) == 47.0


def test_the_board_is_asked_when_the_cpu_talks_nonsense() -> None:
    """A chip that reads 0 or nothing is as good as missing."""
    assert pick_temperature_c({"coretemp": entries(0.0, None), "acpitz": entries(52.0)}) == 52.0


def test_no_sensors_no_temperature() -> None:
    """Virtual machines have an empty list."""
    assert pick_temperature_c({}) is None
    assert pick_temperature_c({"coretemp": []}) is None


def raising(error: Exception) -> Any:
    """A psutil whose sensors fail."""

    def read() -> dict[str, list[Entry]]:
        raise error

    return read


def test_a_failing_sensor_interface_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken driver costs one log line, not the daemon and not a line per poll."""
    monkeypatch.setattr(psutil, "sensors_temperatures", raising(OSError(5, "driver says no")), raising=False)
    with caplog.at_level(logging.WARNING):
        assert [cpu_temperature_c(), cpu_temperature_c()] == [None, None]
    assert [record.message for record in caplog.records if "driver says no" in record.message] == [
        caplog.records[0].message
    ]


def test_a_psutil_without_sensors_is_a_board_without_sensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """psutil leaves the function out where it knows no interface."""
    monkeypatch.delattr(psutil, "sensors_temperatures", raising=False)
    assert cpu_temperature_c() is None


def test_a_psutil_that_answers_nothing_is_a_board_without_sensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """None instead of a dictionary is no crash."""
    monkeypatch.setattr(psutil, "sensors_temperatures", lambda: None, raising=False)
    assert cpu_temperature_c() is None


def write_counts(cpus: Path, *counts: tuple[str, str]) -> Path:
    """A /sys/devices/system/cpu with these (core, package) counters."""
    for number, (core, package) in enumerate(counts):
        folder = cpus / f"cpu{number}" / "thermal_throttle"
        folder.mkdir(parents=True)
        (folder / "core_throttle_count").write_text(f"{core}\n")
        (folder / "package_throttle_count").write_text(f"{package}\n")
    return cpus


def test_the_worst_core_and_the_package_are_counted(tmp_path: Path) -> None:
    """Every CPU repeats its package's counter, so they are not added up."""
    assert throttle_counts(write_counts(tmp_path, ("3", "9"), ("12", "9"), ("0", "9"))) == (12, 9)


def test_a_kernel_that_does_not_count_is_no_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A virtual machine has no such files: nothing is known, and nothing is logged."""
    (tmp_path / "cpu0").mkdir()
    assert throttle_counts(tmp_path) is None
    assert not caplog.records


def test_counters_that_are_none_are_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They are polled for ever; a broken one costs one line."""
    cpus = write_counts(tmp_path, ("many", "9"))
    assert throttle_counts(cpus) is None
    assert throttle_counts(cpus) is None
    assert len(caplog.records) == 1
