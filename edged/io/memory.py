"""Whether a model fits into the memory, told before the kernel ends the process for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil

from edged.errors import ModelUnavailableError
from edged.io.cpu import Cpu
from edged.io.model_folder import ModelFolder

_WEIGHTS = ".bin"  # text tables are mapped from the disk, a few pages of them at a time
# INT8 weights as float32 take four times as much, a vocoder that is float already does not: of Qwen3-TTS's
# 0.6 and 0.45 GB that makes 2.7 times their sum, and a model that fits must not be refused
_UNPACKED = 2.5
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")


def check_fits(folder: ModelFolder, cpu: Cpu) -> None:
    """Raise ModelUnavailableError when the model's weights alone are more than the memory there is."""
    needed_bytes, left_bytes = weight_bytes(folder, cpu), memory_left_bytes()
    if needed_bytes > left_bytes:
        unpacked = ", unpacked because this CPU has no AVX2," if unpacks_int8(folder, cpu) else ""
        raise ModelUnavailableError(
            f"{folder.path}: its weights{unpacked} take {needed_bytes / 1e6:.0f} MB, "
            f"{left_bytes / 1e6:.0f} MB of memory are left",
            "a smaller model; or more for it: MemoryMax= of the service, other programs on the board",
        )


def weight_bytes(folder: ModelFolder, cpu: Cpu) -> int:
    """The least that the networks of a model take in memory once they are compiled."""
    packed = sum(e.bytes for name, e in folder.manifest.files.items() if name.endswith(_WEIGHTS))
    return round(packed * _UNPACKED) if unpacks_int8(folder, cpu) else packed


def unpacks_int8(folder: ModelFolder, cpu: Cpu) -> bool:
    """Whether this CPU makes float32 of the model's weights: 8 bits in storage, not in arithmetic."""
    precision = folder.manifest.precision
    in_arithmetic = "w8a8" in precision or "int8 arithmetic" in precision
    return not cpu.keeps_int8_small and not in_arithmetic and "int" in precision


def memory_left_bytes(cgroup: Path = _OWN_CGROUP, cgroups: Path = _CGROUPS) -> int:
    """What this process may still take: free and reclaimable memory, swap, at most its service's limit."""
    machine = psutil.virtual_memory().available + psutil.swap_memory().free
    return min([machine, *_limits(cgroup, cgroups)])


def _limits(cgroup: Path, cgroups: Path) -> Iterator[int]:
    """memory.max of the own cgroup and of those around it; none where there is no cgroup v2."""
    own = next((line[3:] for line in cgroup.read_text().splitlines() if line.startswith("0::")), None)
    if own is None:
        return
    path = cgroups / own.lstrip("/")
    for folder in [path, *path.parents]:
        limit = folder / "memory.max"
        if limit.is_file() and (text := limit.read_text().strip()) != "max":
            yield int(text)
        if folder == cgroups:
            return
