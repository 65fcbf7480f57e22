"""The vocoder beside the generation of codes: order, sizes, back-pressure, and no thread left."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Generator, Iterator
from itertools import count

import numpy as np
import pytest

from edged.engine.base import Samples
from edged.engine.qwen3.generate import Codes
from edged.engine.qwen3.overlap import decoded, decoded_in_turn
from edged.errors import EngineError
from tests.fakes.qwen3_networks import SAMPLES_PER_FRAME, FakeVocoder, coded, sample_of

Decoded = Callable[[Iterator[Codes], FakeVocoder], Generator[tuple[Samples, int]]]


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    """Whatever a test did to the iterator."""
    before = set(threading.enumerate())
    yield
    gc.collect()
    assert set(threading.enumerate()) == before


def endless() -> Iterator[Codes]:
    return (coded([index % 2048])[0] for index in count())


@pytest.mark.parametrize("how", [decoded, decoded_in_turn])
@pytest.mark.parametrize("frames", [0, 1, 2, 4, 5, 12, 13, 14, 100])
def test_every_frame_is_heard_once_and_in_order(frames: int, how: Decoded) -> None:
    """Whatever is left over after full chunks is spoken as well: the last word is not swallowed."""
    chunks = list(how(iter(coded(range(frames))), FakeVocoder()))
    samples = np.concatenate([np.zeros(0, np.float32), *(samples for samples, _ in chunks)])
    assert sum(count for _, count in chunks) == frames
    np.testing.assert_array_equal(
        samples[::SAMPLES_PER_FRAME], np.array([sample_of(code) for code in range(frames)], np.float32)
    )
    assert len(samples) == frames * SAMPLES_PER_FRAME


def test_the_first_frame_is_heard_before_the_second_is_made() -> None:
    """Nothing delays the first sample."""
    made = 0

    def counted() -> Iterator[Codes]:
        nonlocal made
        for codes in endless():
            made += 1
            yield codes

    stream = decoded(counted(), FakeVocoder())
    samples, frames = next(stream)
    assert (frames, len(samples), made) == (1, SAMPLES_PER_FRAME, 1)
    del stream


def test_chunks_grow() -> None:
    """One frame, then four, then eight at a time."""
    vocoder = FakeVocoder()
    list(decoded(iter(coded(range(30))), vocoder))
    assert vocoder.chunks == [1, 4, 8, 8, 8, 1]


def test_generation_waits_for_a_slow_vocoder_and_for_a_stalled_listener() -> None:
    """At most one chunk is at work and one more gathered; no thread runs ahead."""
    made = 0
    gate = threading.Event()
    gate.set()

    def counted() -> Iterator[Codes]:
        nonlocal made
        for codes in endless():
            made += 1
            if made == 13:
                gate.set()  # only once a whole further chunk has been gathered
            yield codes

    stream = decoded(counted(), FakeVocoder(gate=gate))
    next(stream)
    gate.clear()
    _, frames = next(stream)
    assert frames == 4
    assert made == 13  # 1 given out, 4 at work, 8 gathered
    stream.close()


def test_the_vocoder_works_in_a_thread_of_its_own() -> None:
    """Otherwise nothing overlaps."""
    vocoder = FakeVocoder()
    list(decoded(iter(coded(range(16))), vocoder))
    assert any(name.startswith("vocoder") for name in vocoder.threads)


@pytest.mark.parametrize("taken", [0, 1, 2, 5])
def test_closing_early_leaves_nothing_behind(taken: int) -> None:
    """After any number of chunks; the next utterance begins anew."""
    vocoder = FakeVocoder()
    stream = decoded(endless(), vocoder)
    for _ in range(taken):
        next(stream)
    stream.close()
    assert [frames for _, frames in decoded(iter(coded([1, 2])), vocoder)] == [1, 1]


def test_an_iterator_nobody_holds_any_more_is_closed() -> None:
    """A caller that forgets to close it costs no thread either (the fixture looks)."""
    for _ in zip(range(3), decoded(endless(), FakeVocoder()), strict=False):
        pass


@pytest.mark.parametrize("call", [0, 1, 2])
def test_a_vocoder_that_fails_is_heard_of(call: int) -> None:
    """The error arrives where the samples would have."""
    with pytest.raises(RuntimeError, match="broke"):
        list(decoded(iter(coded(range(40))), FakeVocoder(fails_at=call)))


def test_a_generation_that_fails_is_heard_of_at_once() -> None:
    """What the vocoder is still at is dropped."""

    def failing() -> Iterator[Codes]:
        yield from coded(range(7))
        raise ValueError("lost")

    heard: list[Samples] = []
    with pytest.raises(ValueError, match="lost"):
        heard.extend(samples for samples, _ in decoded(failing(), FakeVocoder()))
    assert heard


def test_in_turn_takes_no_frame_before_its_chunk() -> None:
    """Nothing is generated while nobody takes samples, and chunks grow as they do beside each other."""
    vocoder, frames = FakeVocoder(), endless()
    chunks = decoded_in_turn(frames, vocoder)
    assert [next(chunks)[1] for _ in range(4)] == [1, 4, 8, 8]
    assert int(next(frames)[0]) == 21
    assert vocoder.threads == {threading.main_thread().name}


@pytest.mark.parametrize("how", [decoded, decoded_in_turn])
def test_samples_that_are_not_numbers_are_an_error(how: Decoded) -> None:
    """A damaged weight must not reach a loudspeaker as an offset of full scale."""

    class Broken(FakeVocoder):
        def __call__(self, codes: Codes) -> Samples:
            samples = super().__call__(codes)
            if len(self.chunks) == 2:
                samples[-1] = np.nan
            return samples

    chunks = how(endless(), Broken())
    assert np.isfinite(next(chunks)[0]).all()
    with pytest.raises(EngineError, match="not numbers"):
        next(chunks)
