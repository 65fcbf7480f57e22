"""The chain in front of a device: exact where nothing is asked of it, never above the ceiling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from edged.audio.chain import Chain
from edged.audio.limiter import CEILING_DBFS
from edged.audio.presets import PRESETS
from edged.audio.shaping import Shaping
from edged.audio.true_peak import true_peak_dbfs

RATE_HZ = 48000
FADE = 480
LUFS = -16.0


def chain(level: float = 1.0) -> Chain:
    return Chain(RATE_HZ, level, FADE)


def speech(peak: float, frames: int = RATE_HZ) -> NDArray[np.float32]:
    """Noise that swells and fades as syllables do."""
    noise = np.random.default_rng(3).uniform(-1, 1, frames)
    swell = 0.5 - 0.5 * np.cos(2 * np.pi * 4 * np.arange(frames) / RATE_HZ)
    return (peak * noise * swell).astype(np.float32)


def through(chain: Chain, samples: NDArray[np.float32], cuts: list[int]) -> NDArray[np.float32]:
    pieces = [chain.feed(samples[a:b]) for a, b in pairwise([0, *cuts, len(samples)])]
    return np.concatenate((*pieces, chain.flush()))


def test_flat_and_quiet_is_exact() -> None:
    """Every sample comes out as it went in, however the stream is cut."""
    quiet = speech(0.5)
    assert np.array_equal(through(chain(), quiet, [1, 100, 961, 20000]), quiet)


def test_as_many_come_out_as_go_in() -> None:
    """What has not come out yet is counted as held."""
    one = chain()
    out = one.feed(speech(0.3, 5000))
    assert len(out) + one.held == 5000
    assert 0 < one.held < RATE_HZ // 100
    assert len(out) + len(one.flush()) == 5000
    assert one.held == 0


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("level", [0.1, 1.0, 4.0])
def test_nothing_is_above_the_ceiling(preset: str, level: float) -> None:
    """Neither a preset's make-up nor a gain brings a true peak above it."""
    shaped = Shaping(PRESETS[preset], RATE_HZ, LUFS).feed(speech(1.0))
    assert true_peak_dbfs(through(chain(level), shaped, [])) <= CEILING_DBFS


def test_a_change_of_level_is_spread() -> None:
    """It is reached after the fade, without a step on the way."""
    constant = np.full(RATE_HZ // 10, 0.5, dtype=np.float32)
    one = chain()
    before = one.feed(constant)
    one.change_level(0.1)
    after = through(one, constant, [])
    heard = np.concatenate((before, after))
    assert np.allclose(heard[: len(constant)], 0.5)
    assert np.allclose(heard[len(constant) + FADE :], 0.05)
    assert np.abs(np.diff(heard)).max() < 0.5 * 0.9 * np.pi / 2 / FADE * 1.01
