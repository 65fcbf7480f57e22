"""Float samples into device bytes."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from edged.audio.format import SampleFormat, encode_frames, frame_bytes


@pytest.mark.parametrize(("fmt", "code", "bits"), [("S16_LE", "h", 16), ("S32_LE", "i", 32)])
def test_samples_become_integers(fmt: SampleFormat, code: str, bits: int) -> None:
    """Half scale, silence, and both extremes; what is louder is clipped."""
    data = encode_frames(np.array([0.5, 0.0, -1.0, 1.0, 7.0, -7.0], np.float32), fmt, 1)
    top = 2 ** (bits - 1)
    assert struct.unpack(f"<6{code}", data) == (top // 2, 0, -top, top - 1, top - 1, -top)


def test_every_channel_gets_the_sample() -> None:
    """Frames are interleaved; the size of a frame says how many bytes that is."""
    data = encode_frames(np.array([0.5, -0.5], np.float32), "S16_LE", 3)
    assert struct.unpack("<6h", data) == (16384,) * 3 + (-16384,) * 3
    assert len(data) == 2 * frame_bytes("S16_LE", 3)


def test_nonsense_is_silent() -> None:
    """NaN would be a crack at full scale."""
    assert encode_frames(np.array([np.nan], np.float32), "S16_LE", 1) == b"\0\0"
