"""The offset of a stream."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.biquad import Filter
from edged.audio.dc_block import dc_block


@pytest.mark.parametrize("rate_hz", [8000, 48000, 192_000])
def test_an_offset_goes_and_speech_stays(rate_hz: int) -> None:
    """At any rate: a constant is gone within a second, a tone of 200 Hz keeps its level to 0.1 dB."""
    t = np.arange(2 * rate_hz) / rate_hz
    tone = 0.5 * np.sin(2 * np.pi * 200 * t)
    heard = Filter([dc_block(rate_hz)]).feed((tone + 0.3).astype(np.float32))[rate_hz:]
    assert abs(heard.mean()) < 1e-4
    assert 20 * np.log10(heard.std() / tone.std()) == pytest.approx(0, abs=0.1)


def test_the_corner_is_at_twenty_hertz() -> None:
    """Half the power there: what is not heard does not reach the loudspeaker."""
    rate_hz = 48000
    tone = np.sin(2 * np.pi * 20 * np.arange(4 * rate_hz) / rate_hz).astype(np.float32)
    heard = Filter([dc_block(rate_hz)]).feed(tone)[rate_hz:]
    assert 20 * np.log10(heard.std() / tone.std()) == pytest.approx(-3.01, abs=0.1)
