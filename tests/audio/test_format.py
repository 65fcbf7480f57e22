"""Float samples into device bytes."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from edged.audio.format import (
    SAMPLE_FORMATS,
    ChannelMap,
    SampleFormat,
    channel_numbers,
    encode_frames,
    frame_bytes,
)
from edged.errors import BadInputError


@pytest.mark.parametrize(("fmt", "code", "bits"), [("S16_LE", "h", 16), ("S32_LE", "i", 32)])
def test_samples_become_integers(fmt: SampleFormat, code: str, bits: int) -> None:
    """Half scale, silence, and both extremes; what is louder is clipped."""
    data = encode_frames(np.array([0.5, 0.0, -1.0, 1.0, 7.0, -7.0], np.float32), fmt, 1)
    top = 2 ** (bits - 1)
    assert struct.unpack(f"<6{code}", data) == (top // 2, 0, -top, top - 1, top - 1, -top)


def test_three_bytes_are_the_lowest_of_an_integer() -> None:
    """S24_3LE: no padding byte, the sign in the third."""
    data = encode_frames(np.array([0.5, -1.0, 9.0, -(2.0**-23)], np.float32), "S24_3LE", 1)
    assert data == b"\x00\x00\x40" + b"\x00\x00\x80" + b"\xff\xff\x7f" + b"\xff\xff\xff"


def test_floats_stay_what_they_are() -> None:
    """Within full scale."""
    data = encode_frames(np.array([0.1, -0.25, 3.0, -3.0], np.float32), "FLOAT_LE", 1)
    assert struct.unpack("<4f", data) == (np.float32(0.1), -0.25, 1.0, -1.0)


@pytest.mark.parametrize("fmt", SAMPLE_FORMATS)
def test_every_channel_gets_the_sample(fmt: SampleFormat) -> None:
    """Frames are interleaved; the size of a frame says how many bytes that is."""
    samples = np.array([0.5, -0.5], np.float32)
    first, second = encode_frames(samples[:1], fmt, 1), encode_frames(samples[1:], fmt, 1)
    assert encode_frames(samples, fmt, 3) == 3 * first + 3 * second
    assert frame_bytes(fmt, 3) == 3 * len(first)


@pytest.mark.parametrize("fmt", SAMPLE_FORMATS)
def test_the_other_channels_are_silent(fmt: SampleFormat) -> None:
    """Channel 2 of three, in any order and twice as well."""
    sample = encode_frames(np.array([0.5], np.float32), fmt, 1)
    silence = bytes(len(sample))
    twice = np.array([0.5, 0.5], np.float32)
    assert encode_frames(twice, fmt, 3, sounding=(2,)) == 2 * (2 * silence + sample)
    assert encode_frames(twice[:1], fmt, 3, sounding=(2, 0, 2)) == sample + silence + sample


@pytest.mark.parametrize("fmt", SAMPLE_FORMATS)
def test_nonsense_is_silent(fmt: SampleFormat) -> None:
    """NaN would be a crack at full scale; no samples are no bytes."""
    assert encode_frames(np.array([np.nan], np.float32), fmt, 1) == bytes(frame_bytes(fmt, 1))
    assert encode_frames(np.zeros(0, np.float32), fmt, 2) == b""


@pytest.mark.parametrize(
    ("chosen", "channels", "numbers"),
    [
        ("all", 2, (0, 1)),
        ("all", 1, (0,)),
        ("left", 2, (0,)),
        ("right", 2, (1,)),
        ("right", 8, (1,)),
        ("left", 1, (0,)),
        ("right", 1, (0,)),
        ((2, 3), 4, (2, 3)),
    ],
)
def test_channels_have_names_and_numbers(chosen: ChannelMap, channels: int, numbers: tuple[int, ...]) -> None:
    """Counted from 0; a mono device speaks whatever side is asked for."""
    assert channel_numbers(chosen, channels) == numbers


@pytest.mark.parametrize(("chosen", "which"), [((2,), "2"), ((0, -1, 5), "-1, 5"), ((), "none")])
def test_channels_that_are_not_there_are_refused(chosen: ChannelMap, which: str) -> None:
    """With their numbers, and how many there are; a list that sounds nowhere as well."""
    with pytest.raises(BadInputError, match=f"channels to speak on: {which}; the device has 2"):
        channel_numbers(chosen, 2)
