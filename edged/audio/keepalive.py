"""Noise that nobody hears, for amplifiers that switch themselves off in silence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class KeepAlive:
    """White noise of `level_dbfs` (root mean square)."""

    def __init__(self, level_dbfs: float, seed: int = 0) -> None:
        self._peak = 3**0.5 * 10 ** (level_dbfs / 20)  # of evenly spread values, which have no rare peaks
        self._random = np.random.default_rng(seed)

    def noise(self, frames: int) -> NDArray[np.float32]:
        """The next samples [frames]."""
        return self._random.uniform(-self._peak, self._peak, frames).astype(np.float32)
