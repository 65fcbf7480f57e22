"""The noise for amplifiers that switch themselves off."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.format import encode_frames
from edged.audio.keepalive import KeepAlive
from edged.audio.level import rms_dbfs


@pytest.mark.parametrize("level_dbfs", [-90.0, -80.0, -40.0])
def test_it_is_as_loud_as_asked(level_dbfs: float) -> None:
    """Measured over a second; no sample is 5 dB above it."""
    noise = KeepAlive(level_dbfs).noise(48000)
    assert rms_dbfs(noise) == pytest.approx(level_dbfs, abs=0.2)
    assert np.abs(noise).max() < 10 ** ((level_dbfs + 5) / 20)


def test_the_softest_is_still_there_in_16_bits() -> None:
    """At -90 dB, the least the configuration allows, rounding does not make silence of it."""
    frames = np.frombuffer(encode_frames(KeepAlive(-90.0).noise(4800), "S16_LE", 1), "<i2")
    assert np.mean(frames != 0) > 0.4


def test_it_goes_on_and_on() -> None:
    """Each piece is other noise: a repeated one would be a tone."""
    keepalive = KeepAlive(-60.0)
    assert not np.allclose(keepalive.noise(960), keepalive.noise(960))
