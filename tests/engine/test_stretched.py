"""A pace for an engine that has none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from edged.audio.stretch import stretch
from edged.engine.base import EngineInfo, PcmChunk, SynthJob
from edged.engine.stretched import StretchedEngine
from edged.engine.tone import ToneEngine
from edged.text.sentence import Sentence

JOB = SynthJob("a", (Sentence("en", "Hello you", 0),), {"zh": "tone", "en": "tone"})


class Paceless(ToneEngine):
    """Has no use for a speed, and gives its speech in small pieces."""

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, options=frozenset({"seed"}))

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        assert job.speed == 1.0
        for chunk in super().synthesize(job):
            for at in range(0, len(chunk.samples), 500):
                yield replace(chunk, samples=chunk.samples[at : at + 500], cache="hit")


def test_it_has_a_use_for_a_speed() -> None:
    """Beside what the engine itself has a use for."""
    assert StretchedEngine(Paceless()).info == replace(Paceless().info, options=frozenset({"seed", "speed"}))


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.6, 2.0])
def test_speech_is_stretched(speed: float) -> None:
    """All of it, in chunks that say as much as the engine's, without empty ones."""
    (whole,) = ToneEngine().synthesize(JOB)
    chunks = list(StretchedEngine(Paceless()).synthesize(replace(JOB, speed=speed)))
    heard = np.concatenate([chunk.samples for chunk in chunks])
    assert np.array_equal(heard, stretch(whole.samples, 24000, speed))
    assert all(len(chunk.samples) for chunk in chunks)
    assert {(chunk.sample_rate_hz, chunk.sentence_index, chunk.cache) for chunk in chunks} == {
        (24000, 0, "hit")
    }


def test_nothing_said_is_nothing_heard() -> None:
    """No chunk is made up."""
    assert list(StretchedEngine(Paceless()).synthesize(replace(JOB, sentences=(), speed=2.0))) == []
