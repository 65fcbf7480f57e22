"""Second-order sections over a stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from edged.audio.biquad import Filter, Section, high_pass, high_shelf, low_pass, low_shelf, peak

RATE_HZ = 48000
EQUALISER = (
    high_pass(80, RATE_HZ),
    peak(3000, RATE_HZ, 6, q=1),
    low_shelf(200, RATE_HZ, -4),
    high_shelf(5000, RATE_HZ, 3),
    low_pass(9000, RATE_HZ, q=8),
)


def sample_by_sample(sections: Sequence[Section], samples: NDArray[np.float32]) -> NDArray[np.float64]:
    """The difference equation as it is written."""
    x = samples.astype(np.float64)
    for s in sections:
        y = np.zeros(len(x) + 2)
        padded = np.concatenate(([0.0, 0.0], x))
        for n in range(2, len(padded)):
            y[n] = s.b0 * padded[n] + s.b1 * padded[n - 1] + s.b2 * padded[n - 2]
            y[n] -= s.a1 * y[n - 1] + s.a2 * y[n - 2]
        x = y[2:]
    return x


def noise(frames: int) -> NDArray[np.float32]:
    return np.random.default_rng(1).uniform(-1, 1, frames).astype(np.float32)


@pytest.mark.parametrize("sections", [EQUALISER, EQUALISER[:1], [low_pass(30, RATE_HZ, q=8)]])
def test_blocks_give_what_single_samples_give(sections: Sequence[Section]) -> None:
    """Also for poles close to the edge of stability, whose state is carried over hundreds of blocks."""
    samples = noise(20_000)
    expected = sample_by_sample(sections, samples)
    np.testing.assert_allclose(Filter(sections).feed(samples), expected, atol=1e-6)


@given(cuts=st.lists(st.integers(0, 700), max_size=12))
def test_chunks_make_no_difference(cuts: list[int]) -> None:
    """Whole blocks, parts of one, single samples and none at all: the stream goes on."""
    samples = noise(700)
    whole, cut = Filter(EQUALISER), Filter(EQUALISER)
    pieces = [cut.feed(piece) for piece in np.split(samples, sorted(cuts))]
    np.testing.assert_allclose(np.concatenate(pieces), whole.feed(samples), atol=1e-6)


@pytest.mark.parametrize(
    ("section", "frequency_hz", "gain_db"),
    [
        (high_pass(100, RATE_HZ), 100, -3.01),
        (high_pass(100, RATE_HZ), 25, -24.1),
        (high_pass(100, RATE_HZ), 5000, 0),
        (low_pass(4000, RATE_HZ), 4000, -3.01),
        (low_pass(4000, RATE_HZ), 100, 0),
        (peak(2000, RATE_HZ, 6, q=1), 2000, 6),
        (peak(2000, RATE_HZ, -6, q=1), 2000, -6),
        (peak(2000, RATE_HZ, 6, q=1), 20, 0),
        (low_shelf(300, RATE_HZ, 5), 10, 5),
        (low_shelf(300, RATE_HZ, 5), 300, 2.5),
        (low_shelf(300, RATE_HZ, 5), 20_000, 0),
        (high_shelf(3000, RATE_HZ, -5), 23_000, -5),
        (high_shelf(3000, RATE_HZ, -5), 3000, -2.5),
        (high_shelf(3000, RATE_HZ, -5), 20, 0),
    ],
)
def test_designs_do_what_they_are_named_after(section: Section, frequency_hz: float, gain_db: float) -> None:
    """The gain at the corner and on both sides, as computed and as a tone is heard."""
    assert section.response_db(frequency_hz, RATE_HZ) == pytest.approx(gain_db, abs=0.05)
    tone = np.sin(2 * np.pi * frequency_hz / RATE_HZ * np.arange(2 * RATE_HZ)).astype(np.float32)
    settled = Filter([section]).feed(tone)[RATE_HZ:]
    heard_db = 20 * np.log10(np.sqrt(2 * np.mean(np.square(settled, dtype=np.float64))))
    assert heard_db == pytest.approx(gain_db, abs=0.1)


def test_what_cannot_be_a_filter_is_refused() -> None:
    """A pole outside the unit circle would get louder for ever; half the rate is where sound ends."""
    with pytest.raises(ValueError, match="not stable"):
        Section(1, 0, 0, -2.1, 1.1)
    with pytest.raises(ValueError, match="24000 Hz"):
        low_pass(24_000, RATE_HZ)
