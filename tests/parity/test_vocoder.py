"""From codes to samples: the reference's one-shot decode, in whatever chunks the codes come."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from edged.engine.qwen3.generate import Codes
from tests.parity.cases import SAMPLE_STRIDE, WINDOWS, codes_window
from tests.parity.golden import Floats, Golden
from tests.parity.speech import Speech

_SAMPLES_PER_FRAME = 1920


@pytest.fixture
def vocode(speech: Callable[[str], Speech]) -> Callable[..., Floats]:
    """codes [n, 16], lengths of the chunks (default: one) -> samples."""
    vocoder = speech("custom_voice").networks.vocoder

    def run(codes: Codes, chunks: Sequence[int] | None = None) -> Floats:
        vocoder.reset()
        ends = np.cumsum(chunks or [len(codes)])[:-1]
        return np.concatenate([vocoder(chunk) for chunk in np.split(codes, ends)])

    return run


@pytest.mark.parametrize("frames", WINDOWS)
def test_samples_equal_the_reference(frames: int, golden: Golden, vocode: Callable[..., Floats]) -> None:
    """To 1e-4 of the reference's decode of the whole window at once, 1920 samples a frame."""
    samples = vocode(codes_window(frames))
    assert samples.shape == (frames * _SAMPLES_PER_FRAME,)
    np.testing.assert_allclose(samples[::SAMPLE_STRIDE], golden.windows[frames], rtol=0, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("frames", WINDOWS[1:])
def test_chunks_do_not_matter(frames: int, seed: int, vocode: Callable[..., Floats]) -> None:
    """Codes in chunks of any length give the samples of one call, to 1e-5."""
    codes, rng, chunks = codes_window(frames), np.random.default_rng([frames, seed]), list[int]()
    while (left := frames - sum(chunks)) > 0:
        chunks.append(int(rng.integers(1, min(left, 11), endpoint=True)))
    np.testing.assert_allclose(vocode(codes, chunks), vocode(codes), rtol=0, atol=1e-5)


@pytest.mark.parametrize("changed", [0, 7, 23])
def test_no_frame_sounds_before_its_time(changed: int, vocode: Callable[..., Floats]) -> None:
    """Another code in frame t changes samples from t * 1920 on, and none before."""
    codes = codes_window(24)
    other = codes.copy()
    other[changed] = (other[changed] + 1) % 2048
    difference = vocode(codes) != vocode(other)
    start = changed * _SAMPLES_PER_FRAME
    assert not difference[:start].any()
    assert difference[start : start + _SAMPLES_PER_FRAME].any()
