"""Mono float samples into the bytes a device takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from edged.audio.dither import Dither
from edged.errors import BadInputError

SampleFormat = Literal["S16_LE", "S32_LE", "S24_3LE", "FLOAT_LE"]
# in the order in which a device is asked for them
SAMPLE_FORMATS: tuple[SampleFormat, ...] = get_args(SampleFormat)

ChannelMap = Literal["all", "left", "right"] | tuple[int, ...]

_BYTES: dict[SampleFormat, int] = {"S16_LE": 2, "S32_LE": 4, "S24_3LE": 3, "FLOAT_LE": 4}


def frame_bytes(fmt: SampleFormat, channels: int) -> int:
    """Size of one frame."""
    return _BYTES[fmt] * channels


def channel_numbers(chosen: ChannelMap, channels: int) -> tuple[int, ...]:
    """The channels of a device that sound, counted from 0 as ALSA does: 0 is left, 1 is right.

    Left and right of a mono device are its only channel. Raises BadInputError for a channel it does not have.
    """
    if chosen == "all":
        return tuple(range(channels))
    if isinstance(chosen, str):
        return (0 if chosen == "left" or channels == 1 else 1,)
    missing = [number for number in chosen if not 0 <= number < channels]
    if missing or not chosen:
        which = ", ".join(map(str, missing)) or "none"
        raise BadInputError(
            f"channels to speak on: {which}; the device has {channels}", f"numbers from 0 to {channels - 1}"
        )
    return chosen


def encode_frames(
    samples: NDArray[np.float32],
    fmt: SampleFormat,
    channels: int,
    *,
    sounding: Sequence[int] | None = None,
    dither: Dither | None = None,
) -> bytes:
    """Mono samples [n] of -1..1 as n interleaved frames, the same in every `sounding` channel.

    All channels sound unless they are given; the others are silent. Louder samples are clipped; NaN becomes
    silence, because as an integer it would be a loud crack. The scale is the one of `wav.decode`, so integer
    samples survive the round trip bit for bit, where nothing dithers. Floats are never dithered.
    """
    mono = _encode(samples, fmt, dither)  # [n, bytes]
    frames = np.zeros((len(mono), channels, _BYTES[fmt]), dtype=np.uint8)
    for channel in range(channels) if sounding is None else sounding:
        frames[:, channel] = mono
    return frames.tobytes()


def _encode(samples: NDArray[np.float32], fmt: SampleFormat, dither: Dither | None) -> NDArray[np.uint8]:
    """The bytes of each sample, [n, bytes]."""
    width = _BYTES[fmt]
    # 32 bits are more than the 24 of a float's fraction
    exact: NDArray[Any] = samples.astype(np.float64 if fmt == "S32_LE" else np.float32)
    np.copyto(exact, 0.0, where=np.isnan(exact))
    if fmt == "FLOAT_LE":
        return _bytes_of(exact.clip(-1.0, 1.0).astype("<f4"))
    full_scale = exact.dtype.type(2.0 ** (8 * width - 1))
    scaled = exact * full_scale
    if dither is not None:
        scaled += dither.noise(len(samples))
    integers = np.rint(scaled).clip(-full_scale, full_scale - 1)
    if fmt == "S24_3LE":
        return _bytes_of(integers.astype("<i4"))[:, :width]
    return _bytes_of(integers.astype(f"<i{width}"))


def _bytes_of(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    return values.view(np.uint8).reshape(len(values), values.itemsize)
