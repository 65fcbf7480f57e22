"""Ramps that start and end speech without a click."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def rise(frames: int) -> NDArray[np.float32]:
    """Gains [frames] from 0 to 1 as half a cosine: its slope is zero at both ends."""
    phase = (np.arange(frames) + 0.5) / max(frames, 1)
    return (0.5 - 0.5 * np.cos(np.pi * phase)).astype(np.float32)


def fade_out(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The samples [n], falling to silence over their whole length."""
    return samples * rise(len(samples))[::-1]
