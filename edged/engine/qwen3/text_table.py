"""The text embedding with its projection folded in: one row per text token, ready for the talker.

What the checkpoint keeps as a table and two layers becomes one table on disk. It is mapped into memory and
rows are gathered as a text needs them, so that it costs next to no RAM.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from edged.errors import ConversionError, ModelUnavailableError

FloatArray = NDArray[np.float32]

# rows folded at once: 16 MB of float32 in, as much between the layers
_BLOCK_ROWS = 2048
_EMBEDDING = "talker.model.text_embedding.weight"
_PROJECTION = "talker.text_projection.linear_fc"


class TableWeights(Protocol):
    """The part of a checkpoint's reader that is needed here."""

    def __call__(self, name: str) -> FloatArray: ...

    def rows(self, name: str, start: int, stop: int) -> FloatArray: ...


class TextTable:
    """The table of a model folder, [tokens, hidden], read from the disk on demand."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                version = np.lib.format.read_magic(file)
                shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                start = file.tell()
        except (OSError, ValueError) as error:
            raise _damaged(path, str(error)) from error
        if version != (1, 0) or fortran_order or len(shape) != 2 or dtype not in (np.float16, np.float32):
            raise _damaged(path, f"it is {dtype}{list(shape)}")
        if len(self._map) != start + shape[0] * shape[1] * dtype.itemsize:
            raise _damaged(path, f"{len(self._map)} bytes do not hold {dtype}{list(shape)}")
        self._rows: NDArray[Any] = np.frombuffer(self._map, dtype, offset=start).reshape(shape)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of text tokens, hidden size."""
        tokens, hidden = self._rows.shape
        return tokens, hidden

    def __getitem__(self, ids: ArrayLike) -> FloatArray:
        """The rows [n, hidden] of `n` token ids, as float32 of the caller's own."""
        rows: FloatArray = self._rows[np.asarray(ids)].astype(np.float32)
        # the kernel maps neighbours along with a row; without this the table would come in bit by bit
        self._map.madvise(mmap.MADV_DONTNEED)
        return rows


def write_text_table(
    weights: TableWeights, tokens: int, out: Path, dtype: DTypeLike, progress: Callable[[float], None]
) -> None:
    """Fold the projection into the first `tokens` rows and write them as a .npy file of `dtype`.

    Raises ConversionError when a row does not fit `dtype`.
    """
    dtype = np.dtype(dtype)
    hidden = weights(f"{_PROJECTION}2.bias").size
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (tokens, hidden)}
    with out.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        done = 0
        for block in _folded(weights, tokens):
            file.write(_narrowed(block, dtype).data)
            done += len(block)
            progress(done / tokens)


def _folded(weights: TableWeights, tokens: int) -> Iterator[FloatArray]:
    """Linear, SiLU, Linear over blocks of the embedding."""
    inner, inner_bias = weights(f"{_PROJECTION}1.weight").T, weights(f"{_PROJECTION}1.bias")
    outer, outer_bias = weights(f"{_PROJECTION}2.weight").T, weights(f"{_PROJECTION}2.bias")
    for start in range(0, tokens, _BLOCK_ROWS):
        embedding = weights.rows(_EMBEDDING, start, min(start + _BLOCK_ROWS, tokens))
        yield _silu(embedding @ inner + inner_bias) @ outer + outer_bias


def _narrowed(block: FloatArray, dtype: DTypeLike) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        rows = block.astype(dtype)
    if not np.isfinite(rows).all():
        raise ConversionError(
            f"{_EMBEDDING}: projected rows exceed the range of {rows.dtype}", "fetch the checkpoint again"
        )
    return rows


def _silu(values: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # exp of a large negative's opposite: the quotient is zero, as it should
        quotient: FloatArray = values / (1 + np.exp(-values))
    return quotient


def _damaged(path: Path, reason: str) -> ModelUnavailableError:
    return ModelUnavailableError(f"{path}: damaged: {reason}", "edged model install NAME --force")
