"""What the kernel says about the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
# instruction sets that decide how fast INT8 is, the best first
_INT8_SETS = ("avx512_vnni", "avx_vnni", "avx2", "sse4_2")


@dataclass(frozen=True, slots=True)
class Cpu:
    """The first CPU: its name and its flags as Linux spells them."""

    model: str
    flags: frozenset[str]

    @property
    def isa(self) -> str:
        """The best instruction set for INT8 it has; empty when it has none that is known."""
        return next((name for name in _INT8_SETS if name in self.flags), "")

    @property
    def keeps_int8_small(self) -> bool:
        """False where OpenVINO unpacks INT8 weights to float32, four times the memory."""
        return "avx2" in self.flags


def read_cpu(cpuinfo: Path = CPUINFO) -> Cpu:
    """The first CPU of `cpuinfo`; what it does not say is empty."""
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    fields = {
        name.strip(): value.strip()
        for name, colon, value in (line.partition(":") for line in reversed(lines))
        if colon
    }
    return Cpu(fields.get("model name", ""), frozenset(fields.get("flags", "").split()))
