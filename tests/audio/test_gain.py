"""Volume."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.gain import Gain, amplitude

RAMP = 100
ONES = np.ones(1000, np.float32)


@pytest.mark.parametrize(("percent", "gain"), [(0, 0.0), (50, 0.125), (100, 1.0)])
def test_percentages_are_perceptual(percent: int, gain: float) -> None:
    """Silence, half as loud, everything."""
    assert amplitude(percent) == gain


@pytest.mark.parametrize("percent", [-1, 101, 1000])
def test_there_is_nothing_beyond_full_scale(percent: int) -> None:
    """Louder than the recording would be distortion."""
    with pytest.raises(ValueError, match="0 to 100"):
        amplitude(percent)


def test_a_change_is_a_ramp() -> None:
    """From the old level to the new one, however the samples are cut into blocks."""
    gain = Gain(1.0, RAMP)
    gain.change(0.2)
    out = np.concatenate([gain.apply(ONES[:n]) for n in (1, 70, 0, 200)])
    assert out[0] > 0.999
    assert (np.diff(out[:RAMP]) < 0).all()
    assert np.array_equal(out[RAMP:], np.full(171, 0.2, np.float32))


def test_a_change_during_a_change_goes_on_from_there() -> None:
    """No step where the second one begins."""
    gain = Gain(0.0, RAMP)
    gain.change(1.0)
    first = gain.apply(ONES[:50])
    gain.change(0.3)
    out = np.concatenate((first, gain.apply(ONES)))
    assert np.abs(np.diff(out, prepend=0)).max() <= 0.02
    assert out[-1] == np.float32(0.3)
