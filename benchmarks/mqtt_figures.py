"""Figures from what a load has measured; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

_WARM_UP = 0.2  # of all samples: caches fill, the journal reaches its size
_BLOCKS = 20
_LEAST_REQUESTS = 5000  # a page more or less is nothing then
_T_95 = 1.734  # Student's t, one-sided 95 %, for 20 points and a line: 18 degrees of freedom


def percentile(values: Iterable[float], percent: float) -> float | None:
    """None when there are no values."""
    known = list(values)
    return round(float(np.percentile(known, percent)), 2) if known else None


def growth(samples: Sequence[tuple[int, int]]) -> float | None:
    """Bytes per request that memory grows by: with 95 % certainty no more. None for too few samples.

    `samples` are (requests so far, bytes). A line through the means of blocks after the warm-up: single
    samples depend on their neighbours, which would make the bound too good.
    """
    steady = np.array(samples[round(len(samples) * _WARM_UP) :], np.float64)
    if len(steady) < 2 * _BLOCKS or steady[-1, 0] - steady[0, 0] < _LEAST_REQUESTS:
        return None
    means = np.array([block.mean(axis=0) for block in np.array_split(steady, _BLOCKS)])
    x, y = means[:, 0] - means[:, 0].mean(), means[:, 1] - means[:, 1].mean()
    slope = (x @ y) / (x @ x)
    error = np.sqrt(((y - slope * x) ** 2).sum() / (_BLOCKS - 2) / (x @ x))
    return round(float(slope + _T_95 * error), 1)
