"""Triangular noise in the place of rounding errors."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.dither import Dither
from edged.audio.format import SampleFormat, encode_frames


def test_the_noise_is_triangular() -> None:
    """Within one step, no offset, the variance of two roundings, a quarter of it outside half a step."""
    noise = Dither().noise(200_000)
    assert np.abs(noise).max() <= 1
    assert noise.mean() == pytest.approx(0, abs=0.005)
    assert noise.var() == pytest.approx(1 / 6, rel=0.02)
    assert (np.abs(noise) > 0.5).mean() == pytest.approx(0.25, abs=0.01)


def test_the_same_seed_is_the_same_stream() -> None:
    """However it is cut; another seed is another."""
    one, other = Dither(7), Dither(7)
    pieces = np.concatenate([one.noise(5), one.noise(0), one.noise(95)])
    assert np.array_equal(pieces, other.noise(100))
    assert not np.array_equal(pieces, Dither(8).noise(100))


@pytest.mark.parametrize("offset_steps", [0.0, 0.25, 0.5, 0.8])
def test_sound_below_one_step_is_kept(offset_steps: float) -> None:
    """Rounded it would be 0 or 1; dithered it is right on the average, its noise the same for each."""
    samples = np.full(100_000, offset_steps / 2**15, np.float32)
    heard = np.frombuffer(encode_frames(samples, "S16_LE", 1, dither=Dither()), "<i2")
    assert heard.mean() == pytest.approx(offset_steps, abs=0.01)
    assert heard.var() == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(("fmt", "bits"), [("S16_LE", 16), ("S24_3LE", 24), ("S32_LE", 32)])
def test_the_noise_is_one_step_of_the_format(fmt: SampleFormat, bits: int) -> None:
    """Silence becomes -1, 0 and 1, in every channel the same."""
    frames = encode_frames(np.zeros(1000, np.float32), fmt, 2, dither=Dither())
    values = np.frombuffer(frames, np.uint8).reshape(1000, 2, bits // 8)
    assert np.array_equal(values[:, 0], values[:, 1])
    lowest = {bytes(row) for row in values[:, 0]}
    assert lowest == {(step).to_bytes(bits // 8, "little", signed=True) for step in (-1, 0, 1)}
