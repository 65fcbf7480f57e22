"""A compile cache that cannot be trusted costs a second compilation, never a wrong sound."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from edged.engine.base import Samples
from edged.engine.compile_cache import note_new, prune
from edged.engine.runtime import CpuSettings, compile_model, op, ov, read_model

_SIDE = 64
Harm = Callable[[bytes], bytes]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A product with 16 KiB of weights, most of what its blob is."""
    x = op.parameter([1, _SIDE], np.float32, name="x")
    weights = op.constant(np.random.default_rng(0).standard_normal((_SIDE, _SIDE)).astype(np.float32))
    ov.save_model(ov.Model([op.matmul(x, weights, False, False)], [x]), tmp_path / "product.xml")
    return tmp_path / "product.xml"


def computed(model: Path, cache: Path) -> Samples:
    compiled = compile_model(read_model(model), CpuSettings(1, cache_dir=cache))
    return np.array(compiled(np.ones((1, _SIDE), np.float32))[0])


@pytest.fixture
def cache(model: Path, tmp_path: Path) -> Path:
    """A cache that has been used."""
    computed(model, tmp_path / "cache")
    return tmp_path / "cache"


def the_blob(cache: Path) -> Path:
    (blob,) = cache.glob("*.blob")
    return blob


def test_a_good_blob_is_used_again(model: Path, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And not written again."""
    written_ns = the_blob(cache).stat().st_mtime_ns
    computed(model, cache)
    assert the_blob(cache).stat().st_mtime_ns == written_ns
    assert "damaged" not in caplog.text


def flipped(blob: bytes) -> bytes:
    """One bit of one weight, which OpenVINO does not notice."""
    middle = len(blob) // 2
    return blob[:middle] + bytes([blob[middle] ^ 0x40]) + blob[middle + 1 :]


@pytest.mark.parametrize(
    "harm",
    [
        flipped,
        lambda blob: blob[: len(blob) // 2],
        lambda blob: b"",
        lambda blob: bytes(len(blob)),
        lambda blob: blob.replace(b"2026.", b"2025."),
    ],
    ids=["flipped bit", "cut short", "empty", "zeros", "other version"],
)
def test_a_damaged_blob_is_compiled_again(
    model: Path, cache: Path, harm: Harm, caplog: pytest.LogCaptureFixture
) -> None:
    """The result is that of the model, the file is named in the log, and the next start has a good one."""
    good, blob = computed(model, cache), the_blob(cache)
    blob.write_bytes(harm(blob.read_bytes()))
    caplog.set_level(logging.WARNING)
    assert np.array_equal(computed(model, cache), good)
    assert f"{blob} is damaged" in caplog.text
    caplog.clear()
    computed(model, cache)
    assert "damaged" not in caplog.text


def test_a_blob_of_another_version_is_compiled_again_once(
    model: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As an upgrade of OpenVINO leaves it: whole, and of no use."""
    good, blob = computed(model, cache), the_blob(cache)
    blob.write_bytes(blob.read_bytes().replace(b"2026.", b"2025."))
    blob.with_name(f"{blob.name}.sha256").unlink()
    note_new(cache)
    assert np.array_equal(computed(model, cache), good)
    caplog.set_level(logging.WARNING)
    computed(model, cache)
    assert "damaged" not in caplog.text


def test_a_blob_that_nobody_vouches_for_is_compiled_again(
    model: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The process that wrote it was killed before it had finished."""
    the_blob(cache).with_name(f"{the_blob(cache).name}.sha256").unlink()
    computed(model, cache)
    assert "damaged or was not finished" in caplog.text


def test_the_oldest_beyond_the_limit_go(tmp_path: Path) -> None:
    """What other models and versions left does not pile up; the notes go with it."""
    for age, name in enumerate(("newest", "older", "oldest")):
        blob = tmp_path / f"{name}.blob"
        blob.write_bytes(bytes(1000))
        os.utime(blob, (10_000 - age, 10_000 - age))
    note_new(tmp_path)
    prune(tmp_path, most_bytes=2500)
    assert sorted(path.name.split(".")[0] for path in tmp_path.iterdir()) == ["newest"] * 2 + ["older"] * 2
