"""How large samples are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_QUIETEST = 1e-6  # -120 dBFS: below any converter's noise, and silence has a figure


def rms_dbfs(samples: NDArray[np.float32]) -> float:
    """Root mean square of samples [n] in dB of full scale (a full-scale square wave is 0 dB)."""
    mean_square = float(np.mean(np.square(samples, dtype=np.float64))) if len(samples) else 0.0
    return round(dbfs(mean_square**0.5), 1)


def peak_dbfs(samples: NDArray[np.float32]) -> float:
    """The largest of samples [n] in dB of full scale."""
    return round(dbfs(float(np.max(np.abs(samples), initial=0.0))), 1)


def dbfs(amplitude: float) -> float:
    """An amplitude in dB of full scale; at least -120."""
    return 20 * float(np.log10(max(amplitude, _QUIETEST)))
