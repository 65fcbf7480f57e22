"""Reading tensors one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

from edged.engine.memory import release
from edged.engine.qwen3.checkpoint import Tensor, TensorFile
from edged.engine.qwen3.tensors import TensorReader
from edged.errors import ConversionError

VALUES = np.random.default_rng(0).standard_normal((7, 5)).astype(np.float32)


def reader(path: Path, dtype: str) -> TensorReader:
    tensors = {f"t{index}": Tensor(dtype, VALUES.shape) for index in range(4)}
    return TensorReader(TensorFile(path, tensors))


@pytest.mark.parametrize(
    ("dtype", "stored"), [("F32", np.float32), ("F16", np.float16), ("BF16", ml_dtypes.bfloat16)]
)
def test_values_are_widened_exactly(tmp_path: Path, dtype: str, stored: type) -> None:
    """Every published type is read as the float32 numbers it stands for, whole or by rows."""
    expected: NDArray[Any] = VALUES.astype(stored)
    save_file({"t0": expected}, tmp_path / "w")
    read = reader(tmp_path / "w", dtype)
    assert read("t0").dtype == np.float32
    np.testing.assert_array_equal(read("t0"), expected.astype(np.float32))
    np.testing.assert_array_equal(read.rows("t0", 2, 6), expected[2:6].astype(np.float32))
    assert read.bfloat16 == (dtype == "BF16")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("stored", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_values_that_are_no_weights_are_refused(tmp_path: Path, value: float, stored: type) -> None:
    """One infinite value or NaN names file and tensor, however it is read; rows without it can be read."""
    spoilt: NDArray[Any] = VALUES.astype(stored)
    spoilt[3, 4] = value
    save_file({"t0": spoilt}, tmp_path / "w")
    read = reader(tmp_path / "w", "F32")
    with pytest.raises(ConversionError, match="w: t0 holds infinite values or NaN") as caught:
        read("t0")
    assert caught.value.hint == "fetch the checkpoint again"
    with pytest.raises(ConversionError, match="w: t0 holds"):
        read.rows("t0", 3, 4)
    assert read.rows("t0", 4, 7).shape == (3, 5)


def test_nothing_read_stays_in_memory(tmp_path: Path) -> None:
    """Reading a large file tensor by tensor leaves none of it mapped or kept."""
    megabytes = 32
    big = np.zeros((megabytes << 18,), np.float32)
    save_file({f"t{index}": big for index in range(4)}, tmp_path / "w")
    release()
    read, before = reader(tmp_path / "w", "F32"), resident_bytes()
    total = sum(float(read(f"t{index}").sum()) for index in range(4))
    assert total == 0
    release()  # what is free but kept by the allocator is not ours
    assert resident_bytes() - before < megabytes << 20


def resident_bytes() -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))
