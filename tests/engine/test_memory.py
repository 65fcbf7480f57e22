"""What is given back to the system, and that nothing is lost by it."""

from __future__ import annotations

import mmap
from pathlib import Path

from edged.engine.memory import release

_SIZE = 1 << 20


def resident_kb(path: Path) -> int:
    """RSS of the mappings of a file."""
    total, ours = 0, False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if "-" in name.split(" ", 1)[0]:
            ours = line.endswith(str(path))
        elif ours and name == "Rss":
            total += int(value.split()[0])
    return total


def test_mapped_files_of_the_folder_leave_memory_and_read_the_same(tmp_path: Path) -> None:
    """Only those of the folder, also where its name has a space."""
    inside, outside = tmp_path / "a model" / "w.bin", tmp_path / "other.bin"
    inside.parent.mkdir()
    content = bytes(range(256)) * (_SIZE // 256)
    maps = []
    for path in (inside, outside):
        path.write_bytes(content)
        with path.open("rb") as file:
            maps.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    assert all(bytes(mapped) == content for mapped in maps)
    assert resident_kb(inside) == _SIZE // 1024
    release(inside.parent)
    assert resident_kb(inside) == 0
    assert resident_kb(outside) == _SIZE // 1024
    assert all(bytes(mapped) == content for mapped in maps)


def test_private_mappings_keep_what_was_written(tmp_path: Path) -> None:
    """Pages that hold changes of ours are not thrown away."""
    path = tmp_path / "w.bin"
    path.write_bytes(b"a" * _SIZE)
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    mapped[:1] = b"b"
    release(tmp_path)
    assert mapped[:2] == b"ba"
