"""Values of a checkpoint's tensors, one at a time and by name: what the graphs are built from."""

from __future__ import annotations

import ml_dtypes  # noqa: F401 - makes numpy know bfloat16
import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from edged.engine.qwen3.checkpoint import TensorFile
from edged.errors import ConversionError

FloatArray = NDArray[np.float32]


class TensorReader:
    """Reads tensors of one safetensors file as float32. Keeps nothing, so memory is one tensor's.

    Raises ConversionError when a value read is infinite or no number: the file is damaged.

    The file is opened anew for each: what has been read of it would count as this process's memory until it
    is closed, and in the end that is all of it.
    """

    def __init__(self, file: TensorFile) -> None:
        self._path = file.path
        self.bfloat16 = file.bfloat16

    def __call__(self, name: str) -> FloatArray:
        """The whole tensor, in its published shape."""
        with safe_open(self._path, framework="np") as file:
            return self._finite(name, np.asarray(file.get_tensor(name), np.float32))

    def rows(self, name: str, start: int, stop: int) -> FloatArray:
        """Rows `start` to `stop` of a matrix."""
        with safe_open(self._path, framework="np") as file:
            return self._finite(name, np.asarray(file.get_slice(name)[start:stop], np.float32))

    def _finite(self, name: str, values: FloatArray) -> FloatArray:
        if not np.isfinite(values).all():
            raise ConversionError(
                f"{self._path}: {name} holds infinite values or NaN", "fetch the checkpoint again"
            )
        return values
