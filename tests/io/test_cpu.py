"""What is read from /proc/cpuinfo."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.io.cpu import read_cpu


@pytest.mark.parametrize(
    ("flags", "isa", "keeps_int8_small"),
    [
        ("fpu sse4_2 avx2 avx_vnni", "avx_vnni", True),
        ("fpu sse4_2 avx2", "avx2", True),
        ("fpu sse4_2 avx2 avx_vnni avx512_vnni", "avx512_vnni", True),
        ("fpu sse4_2", "sse4_2", False),
        ("fpu", "", False),
    ],
    ids=["N100", "Haswell", "server", "Jasper Lake", "old"],
)
def test_the_best_instruction_set_is_named(
    tmp_path: Path, flags: str, isa: str, keeps_int8_small: bool
) -> None:
    """By the flags of the first CPU, as Linux spells them."""
    file = tmp_path / "cpuinfo"
    file.write_text(
        f"processor\t: 0\nmodel name\t: Chip: X\nflags\t\t: {flags}\n\nprocessor\t: 1\nflags\t\t: x\n"
    )
    cpu = read_cpu(file)
    assert (cpu.model, cpu.isa, cpu.keeps_int8_small) == ("Chip: X", isa, keeps_int8_small)


def test_another_architecture_says_less(tmp_path: Path) -> None:
    """No flags and no model name: empty, not an error."""
    (tmp_path / "cpuinfo").write_text("Features : neon\n")
    cpu = read_cpu(tmp_path / "cpuinfo")
    assert (cpu.model, cpu.isa) == ("", "")
