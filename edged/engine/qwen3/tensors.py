"""Values of a checkpoint's tensors, one at a time and by name: what the graphs are built from."""

from __future__ import annotations

import ml_dtypes  # noqa: F401 - makes numpy know bfloat16
import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from edged.engine.qwen3.checkpoint import TensorFile

FloatArray = NDArray[np.float32]


class TensorReader:
    """Reads tensors of one safetensors file as float32. Keeps nothing, so memory is one tensor's.

    The file is opened anew for each: what has been read of it would count as this process's memory until it
    is closed, and in the end that is all of it.
    """

    def __init__(self, file: TensorFile) -> None:
        self._path = file.path
        self.bfloat16 = file.bfloat16

    def __call__(self, name: str) -> FloatArray:
        """The whole tensor, in its published shape."""
        with safe_open(self._path, framework="np") as file:
            return np.asarray(file.get_tensor(name), np.float32)

    def rows(self, name: str, start: int, stop: int) -> FloatArray:
        """Rows `start` to `stop` of a matrix."""
        with safe_open(self._path, framework="np") as file:
            return np.asarray(file.get_slice(name)[start:stop], np.float32)
