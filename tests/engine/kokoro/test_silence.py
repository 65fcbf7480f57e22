"""Finding the speech in the predicted energy, and letting what is left stand for what was left out."""

from __future__ import annotations

import numpy as np
import pytest

from edged.engine.kokoro.silence import speech_span


def energy(*runs: tuple[int, float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Energy made of runs of (frames, level)."""
    return np.concatenate([np.full(frames, level, np.float32) for frames, level in runs])


def test_silence_around_speech_is_left_out_but_a_margin() -> None:
    """100 ms stay on both sides; a pause inside stays as it is."""
    span = speech_span(energy((30, -9.4), (50, 6), (20, -9), (10, 3), (70, -9.2)))
    assert (span.speech_start, span.speech_stop) == (30, 110)
    assert (span.start, span.stop, span.frames) == (22, 118, 96)


@pytest.mark.parametrize(("before", "after"), [(30, 70), (0, 70), (30, 0), (3, 5), (8, 8)])
def test_weights_count_every_frame_once(before: int, after: int) -> None:
    """What is left out is counted by the silence next to it, so the weights sum to the whole length."""
    span = speech_span(energy((before, -9), (40, 5), (after, -9)))
    weights = span.weights()
    assert len(weights) == span.frames
    assert weights.sum() == pytest.approx(before + 40 + after)
    in_speech = weights[span.speech_start - span.start : span.speech_stop - span.start]
    assert np.all(in_speech == 1)


def test_nothing_but_silence_is_kept_whole() -> None:
    """A text of marks only gives silence, not an error."""
    span = speech_span(energy((40, -9)))
    assert (span.start, span.stop) == (0, 40)
    assert np.all(span.weights() == 1)
