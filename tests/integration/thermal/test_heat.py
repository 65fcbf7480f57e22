"""Real psutil on a faked sysfs: sensor files change, the level and the limits follow."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .fakesys import FakeSysfs

# A board's governor: one poll per line of input, one line of output per poll.
_BOARD = """
import sys
from edged.config.schema import ThermalConfig
from edged.core.governor import ThermalLevel, next_level, threads_at
from edged.io.thermal import cpu_temperature_c

config = ThermalConfig(warm_c=80, hot_c=90, critical_c=98, hysteresis_c=5)
level = ThermalLevel.NOMINAL
for _ in sys.stdin:
    temperature_c = cpu_temperature_c()
    level = next_level(config, level, temperature_c)
    print(temperature_c, level.label, threads_at(level, 4), flush=True)
"""


class Board:
    """A running governor on a faked board."""

    def __init__(self, process: subprocess.Popen[str], sysfs: FakeSysfs) -> None:
        self._process = process
        self.sysfs = sysfs

    def poll(self) -> str:
        """Read the sensors now: `temperature level threads`."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write("poll\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def poll_at(self, temperature_c: float) -> str:
        """Set every sensor, then read."""
        self.sysfs.set(temperature_c)
        return self.poll()


@contextmanager
def running(sysfs: FakeSysfs) -> Iterator[Board]:
    """Start a governor that sees `sysfs`, end it afterwards."""
    command = sysfs.command(sys.executable, "-c", _BOARD)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Board(process, sysfs)
        assert process.stdin
        process.stdin.close()
        assert process.wait(20) == 0


@pytest.fixture
def sysfs(tmp_path: Path) -> FakeSysfs:
    """A board without sensors, in a folder whose name has a space."""
    folder = tmp_path / "a board"
    folder.mkdir()
    return FakeSysfs(folder)


def test_a_board_heats_up_and_cools_down(sysfs: FakeSysfs) -> None:
    """Through all levels and back, with hysteresis on the way down and fewer threads at each level."""
    sysfs.add_chip("coretemp", 47, 46, 46, 45, 46)
    with running(sysfs) as board:
        assert board.poll() == "47.0 nominal 4"
        assert board.poll_at(79.9) == "79.9 nominal 4"
        assert board.poll_at(80) == "80.0 warm 3"
        assert board.poll_at(91) == "91.0 hot 2"
        assert board.poll_at(98) == "98.0 critical 1"
        assert board.poll_at(94) == "94.0 critical 1"
        assert board.poll_at(92) == "92.0 hot 2"
        assert board.poll_at(84) == "84.0 warm 3"
        assert board.poll_at(76) == "76.0 warm 3"
        assert board.poll_at(70) == "70.0 nominal 4"


def test_one_hot_core_counts(sysfs: FakeSysfs) -> None:
    """The hottest of the CPU's sensors decides."""
    sysfs.add_chip("coretemp", 60, 61, 93.5, 60)
    with running(sysfs) as board:
        assert board.poll() == "93.5 hot 2"


def test_a_hot_disk_is_not_a_hot_cpu(sysfs: FakeSysfs) -> None:
    """Other chips and the firmware's constant are not asked while the CPU's own sensor works."""
    sysfs.add_chip("nvme", 97)
    sysfs.add_chip("acpitz", 100)
    sysfs.add_chip("coretemp", 50)
    with running(sysfs) as board:
        assert board.poll() == "50.0 nominal 4"


def test_thermal_zones_serve_where_hwmon_is_empty(sysfs: FakeSysfs) -> None:
    """Boards without a hwmon driver still have the kernel's zones."""
    sysfs.add_zone("acpitz", 27.8)
    sysfs.add_zone("x86_pkg_temp", 85)
    with running(sysfs) as board:
        assert board.poll() == "85.0 warm 3"


def test_a_board_without_sensors_stays_nominal(sysfs: FakeSysfs) -> None:
    """As in virtual machines."""
    with running(sysfs) as board:
        assert board.poll() == "None nominal 4"


def test_a_sensor_that_talks_nonsense_is_ignored(sysfs: FakeSysfs) -> None:
    """255 °C, 0 and -273 °C are no temperatures of a running CPU."""
    sysfs.add_chip("coretemp", 55)
    with running(sysfs) as board:
        assert [board.poll_at(c) for c in (255, 0, -273.2)] == ["None nominal 4"] * 3
        assert board.poll_at(82) == "82.0 warm 3"


def test_a_sensor_that_vanishes_lets_go_step_by_step(sysfs: FakeSysfs) -> None:
    """A driver that goes away while the board is critical does not silence it for ever."""
    sysfs.add_chip("coretemp", 99)
    with running(sysfs) as board:
        assert board.poll() == "99.0 critical 1"
        sysfs.remove_all()
        assert [board.poll() for _ in range(3)] == ["None hot 2", "None warm 3", "None nominal 4"]
