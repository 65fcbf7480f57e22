"""A board's sensors as plain files, put over /sys/class in a private mount namespace and changed live."""

from __future__ import annotations

import os
from pathlib import Path

# $1 is the folder of fake classes, the rest the command. Nothing outside this process tree sees it.
_OVER_SYS_CLASS = r"""
classes=$1; shift
mount -t tmpfs tmpfs /sys/class
for class in "$classes"/*; do
    mkdir "/sys/class/${class##*/}"
    mount --bind "$class" "/sys/class/${class##*/}"
done
exec "$@"
"""


class FakeSysfs:
    """`hwmon` and `thermal` of a small Intel board below `folder`; no sensor until one is added."""

    def __init__(self, folder: Path) -> None:
        self._classes = folder / "class"
        for name in ("hwmon", "thermal"):
            (self._classes / name).mkdir(parents=True)

    def add_chip(self, name: str, *temperatures_c: float) -> None:
        """A hwmon chip such as `coretemp`, one input per temperature."""
        chip = self._classes / "hwmon" / f"hwmon{len(list((self._classes / 'hwmon').iterdir()))}"
        chip.mkdir()
        _put(chip / "name", name)
        for index, temperature_c in enumerate(temperatures_c, start=1):
            _put(chip / f"temp{index}_label", f"sensor {index}")
            _put(chip / f"temp{index}_input", _millidegrees(temperature_c))
            _put(chip / f"temp{index}_crit", _millidegrees(105))

    def add_zone(self, name: str, temperature_c: float) -> None:
        """A thermal zone such as `x86_pkg_temp`; psutil reads these where hwmon is empty."""
        zone = self._classes / "thermal" / f"thermal_zone{len(list((self._classes / 'thermal').iterdir()))}"
        zone.mkdir()
        _put(zone / "type", name)
        _put(zone / "temp", _millidegrees(temperature_c))

    def set(self, temperature_c: float) -> None:
        """Every input of every sensor, at once visible to running programs."""
        for pattern in ("hwmon/*/temp*_input", "thermal/*/temp"):
            for file in self._classes.glob(pattern):
                _put(file, _millidegrees(temperature_c))

    def remove_all(self) -> None:
        """The driver is unloaded: the files go away."""
        for file in self._classes.glob("*/*/temp*"):
            file.unlink()

    def command(self, *command: str) -> list[str]:
        """The argument list that runs `command` on this board."""
        unshare = ["unshare", "--mount", "--propagation=private"]
        if os.geteuid() != 0:
            unshare.append("--map-root-user")
        return [*unshare, "sh", "-eu", "-c", _OVER_SYS_CLASS, "fakesys", str(self._classes), *command]


def _millidegrees(temperature_c: float) -> str:
    return str(round(temperature_c * 1000))


def _put(file: Path, text: str) -> None:
    file.write_text(text + "\n", encoding="ascii")
