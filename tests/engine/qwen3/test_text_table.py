"""The text table: projection folded in, rows on demand."""

from __future__ import annotations

import mmap
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.engine.qwen3.text_table import TextTable, write_text_table
from edged.errors import ConversionError, ModelUnavailableError

FloatArray = NDArray[np.float32]
TOKENS, TEXT_HIDDEN, HIDDEN = 5000, 24, 16  # more tokens than one block of rows
PROJECTION = "talker.text_projection.linear_fc"


class RandomWeights:
    """The tensors behind a text table."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        shapes: dict[str, tuple[int, ...]] = {
            "talker.model.text_embedding.weight": (TOKENS, TEXT_HIDDEN),
            f"{PROJECTION}1.weight": (TEXT_HIDDEN, TEXT_HIDDEN),
            f"{PROJECTION}1.bias": (TEXT_HIDDEN,),
            f"{PROJECTION}2.weight": (HIDDEN, TEXT_HIDDEN),
            f"{PROJECTION}2.bias": (HIDDEN,),
        }
        self.tensors = {name: 0.2 * rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}

    def __call__(self, name: str) -> FloatArray:
        return self.tensors[name]

    def rows(self, name: str, start: int, stop: int) -> FloatArray:
        return self.tensors[name][start:stop]

    def expected(self) -> NDArray[np.float64]:
        """Linear, SiLU, Linear in double precision."""
        embedding, inner, inner_bias, outer, outer_bias = (t.astype(float) for t in self.tensors.values())
        x = embedding @ inner.T + inner_bias
        return np.asarray(x / (1 + np.exp(-x)) @ outer.T + outer_bias)


def write(path: Path, dtype: Any = np.float32) -> RandomWeights:
    weights = RandomWeights()
    write_text_table(weights, TOKENS, path, dtype, lambda fraction: None)
    return weights


def test_rows_are_the_projected_embeddings(tmp_path: Path) -> None:
    """A row is what the checkpoint's embedding and both layers make of the token, in float32."""
    expected = write(tmp_path / "t.npy").expected()
    table = TextTable(tmp_path / "t.npy")
    ids = [0, 4999, 2048, 2047, 0]
    assert table.shape == (TOKENS, HIDDEN)
    assert table[ids].dtype == np.float32
    np.testing.assert_allclose(table[ids], expected[ids], atol=1e-5, rtol=0)
    np.testing.assert_allclose(table[np.arange(TOKENS)], expected, atol=1e-5, rtol=0)


def test_float16_halves_the_file(tmp_path: Path) -> None:
    """Half the bytes, a relative error of at most 2^-11, and rows come out as float32 all the same."""
    expected = write(tmp_path / "t.npy", np.float16).expected()
    rows = TextTable(tmp_path / "t.npy")[range(TOKENS)]
    assert (tmp_path / "t.npy").stat().st_size < TOKENS * HIDDEN * 2 + 200
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, expected, rtol=2**-11, atol=1e-4)


def test_it_is_an_ordinary_npy_file(tmp_path: Path) -> None:
    """Other programs can read the table."""
    write(tmp_path / "t.npy", np.float16)
    loaded = np.load(tmp_path / "t.npy")
    np.testing.assert_array_equal(loaded[:9], TextTable(tmp_path / "t.npy")[range(9)])


def test_very_negative_values_are_no_warning(tmp_path: Path) -> None:
    """SiLU of a large negative number is zero."""
    weights = RandomWeights()
    weights.tensors[f"{PROJECTION}1.bias"][:] = -1000
    with np.errstate(all="raise", under="ignore"):
        write_text_table(weights, TOKENS, tmp_path / "t.npy", np.float32, lambda fraction: None)
    bias = weights.tensors[f"{PROJECTION}2.bias"]
    np.testing.assert_allclose(TextTable(tmp_path / "t.npy")[[1]][0], bias)


def test_rows_beyond_float16_are_refused(tmp_path: Path) -> None:
    """Weights may be finite and rows still too large for the file's type: no infinity gets there."""
    weights = RandomWeights()
    weights.tensors[f"{PROJECTION}2.bias"][3] = 1e6
    write_text_table(weights, TOKENS, tmp_path / "t.npy", np.float32, lambda fraction: None)
    with pytest.raises(ConversionError, match=r"text_embedding.*float16"):
        write_text_table(weights, TOKENS, tmp_path / "t.npy", np.float16, lambda fraction: None)


def test_progress_reaches_one(tmp_path: Path) -> None:
    """The part done grows up to 1."""
    heard: list[float] = []
    write_text_table(RandomWeights(), TOKENS, tmp_path / "t.npy", np.float32, heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


def test_memory_does_not_grow_to_the_table(tmp_path: Path) -> None:
    """However many rows have been read, next to nothing of the table stays resident."""
    path = tmp_path / "big.npy"
    tokens, hidden = 64_000, 512
    np.save(path, np.zeros((tokens, hidden), np.float16))
    table = TextTable(path)
    rng = np.random.default_rng(0)
    for _ in range(200):
        table[rng.integers(0, tokens, 40)]
    assert mapped_resident_bytes(path) <= 16 * mmap.PAGESIZE


def mapped_resident_bytes(path: Path) -> int:
    """How much of a mapped file is in this process's memory."""
    smaps = Path("/proc/self/smaps").read_text()
    mappings = re.findall(rf"{re.escape(str(path))}\n(?:.*\n)*?Rss:\s+(\d+) kB", smaps)
    assert mappings, "the table is not mapped"
    return sum(int(size_kb) * 1024 for size_kb in mappings)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-4]), "do not hold"),
        (lambda path: path.write_bytes(b"not an array"), "magic"),
        (lambda path: np.save(path, np.zeros((3, 4))), "float64"),
        (lambda path: np.save(path, np.zeros(4, np.float32)), r"\[4\]"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.unlink(), "No such file"),
    ],
)
def test_damaged_table_is_named(tmp_path: Path, spoil: Any, reason: str) -> None:
    """A table that is cut short, of another type or gone is refused by name."""
    path = tmp_path / "t.npy"
    write(path)
    spoil(path)
    with pytest.raises(ModelUnavailableError, match=reason) as caught:
        TextTable(path)
    assert "t.npy" in caught.value.what
