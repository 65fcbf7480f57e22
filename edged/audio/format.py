"""Mono float samples into the bytes a device takes."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

SampleFormat = Literal["S16_LE", "S32_LE"]
SAMPLE_FORMATS: tuple[SampleFormat, ...] = get_args(SampleFormat)

_BYTES: dict[SampleFormat, int] = {"S16_LE": 2, "S32_LE": 4}


def frame_bytes(fmt: SampleFormat, channels: int) -> int:
    """Size of one frame."""
    return _BYTES[fmt] * channels


def encode_frames(samples: NDArray[np.float32], fmt: SampleFormat, channels: int) -> bytes:
    """Mono samples [n] of -1..1 as n interleaved frames, the same in every channel.

    Louder samples are clipped; NaN becomes silence, because as an integer it would be a loud crack.
    The scale is the one of `wav.decode`, so integer samples survive the round trip bit for bit.
    """
    full_scale = 2.0 ** (8 * _BYTES[fmt] - 1)
    scaled = np.rint(np.nan_to_num(samples.astype(np.float64)) * full_scale)
    mono = np.clip(scaled, -full_scale, full_scale - 1).astype(f"<i{_BYTES[fmt]}")
    return np.repeat(mono, channels).tobytes()
