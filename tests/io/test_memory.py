"""Whether a model fits into the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.errors import ModelUnavailableError
from edged.io.cpu import Cpu
from edged.io.memory import check_fits, memory_left_bytes, unpacks_int8, weight_bytes
from edged.io.model_folder import FileEntry, ModelFolder
from tests.fakes.installed_model import make_manifest

N100 = Cpu("N100", frozenset({"avx2", "avx_vnni"}))
JASPER_LAKE = Cpu("N5105", frozenset({"sse4_2"}))


def model(precision: str, **sizes: int) -> ModelFolder:
    """A model with files of these sizes, named `talker_bin` for talker.bin."""
    files = {n.replace("_", "."): FileEntry(bytes=size, sha256="0" * 64) for n, size in sizes.items()}
    return ModelFolder(Path("/models/big"), make_manifest("big", precision, files))


def test_what_is_mapped_from_the_disk_takes_no_memory() -> None:
    """The text table is the largest file and hardly read."""
    assert weight_bytes(model("talker int8", talker_bin=600, predictor_bin=80, table_npy=900), N100) == 680


@pytest.mark.parametrize(
    ("precision", "unpacked"),
    [
        ("talker int8, predictor int8, vocoder fp16", True),
        ("talker int4, predictor int8, vocoder fp16", True),
        ("talker w8a8, predictor w8a8, vocoder fp16", False),
        ("talker fp32, predictor fp32, vocoder fp32", False),
        ("int8 weights, float32 arithmetic", True),
        ("int8 weights, int8 arithmetic in the generator's residual blocks, float32 elsewhere", False),
    ],
)
def test_weights_of_8_bits_stay_small_with_avx2_only(precision: str, unpacked: bool) -> None:
    """Unless the arithmetic has 8 bits as well: then they stay small anywhere."""
    folder = model(precision, talker_bin=100)
    assert unpacks_int8(folder, JASPER_LAKE) is unpacked
    assert not unpacks_int8(folder, N100)
    assert weight_bytes(folder, JASPER_LAKE) == (250 if unpacked else 100)


def test_a_model_larger_than_the_memory_is_refused_with_both_figures() -> None:
    """Before the kernel ends the process for it."""
    check_fits(model("talker int8", talker_bin=1000), N100)
    with pytest.raises(ModelUnavailableError, match=r"take 8000000000 MB, \d+ MB of memory are left"):
        check_fits(model("talker int8", talker_bin=8 * 10**15), N100)
    with pytest.raises(ModelUnavailableError, match="unpacked because this CPU has no AVX2"):
        check_fits(model("talker int8", talker_bin=8 * 10**15), JASPER_LAKE)


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        ({"a/b": "1000", "a": "max", "": "5000"}, 1000),
        ({"a/b": "max", "a": "700"}, 700),
        ({"a/b": "max"}, None),
        ({}, None),
    ],
    ids=["own", "around", "none set", "none there"],
)
def test_a_services_limit_counts(tmp_path: Path, limits: dict[str, str], left: int | None) -> None:
    """MemoryMax= of the unit or of a slice around it, the smallest of them."""
    (tmp_path / "own").write_text("1:name=systemd:/x\n0::/a/b\n")
    for folder, limit in limits.items():
        (tmp_path / "groups" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / folder / "memory.max").write_text(f"{limit}\n")
    found = memory_left_bytes(tmp_path / "own", tmp_path / "groups")
    assert found == left if left else found > 10**6


def test_without_cgroup_v2_the_machine_counts(tmp_path: Path) -> None:
    """Old kernels and containers list no group of version 2."""
    (tmp_path / "own").write_text("4:memory:/x\n")
    assert memory_left_bytes(tmp_path / "own", tmp_path) > 10**6
