"""Ramps."""

from __future__ import annotations

import numpy as np

from edged.audio.fade import fade_out, rise


def test_a_rise_is_smooth_and_monotonous() -> None:
    """From silence to full, steepest in the middle and flat at both ends."""
    gains = rise(480)
    steps = np.diff(gains)
    assert gains[0] < 0.001
    assert gains[-1] > 0.999
    assert (steps >= 0).all()
    assert steps.argmax() in range(230, 250)


def test_a_fade_out_ends_silent() -> None:
    """The first sample is nearly untouched, the last nearly nothing."""
    faded = fade_out(np.ones(480, np.float32))
    assert faded[0] > 0.999
    assert faded[-1] < 0.001


def test_nothing_fades_to_nothing() -> None:
    """An empty block stays empty."""
    assert len(fade_out(np.zeros(0, np.float32))) == 0
