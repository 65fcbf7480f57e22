"""Voices brought to one loudness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from edged.audio.level import peak_dbfs
from edged.engine.base import PcmChunk, Samples, SynthJob
from edged.engine.levelled import LevelledEngine
from edged.engine.tone import ToneEngine
from edged.text.sentence import Sentence

JOB = SynthJob(
    "a", (Sentence("en", "Hello you", 0), Sentence("zh", "你好", 100)), {"zh": "quiet", "en": "loud"}
)


class Choppy(ToneEngine):
    """Speech in small pieces, from the cache."""

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        for chunk in super().synthesize(job):
            for at in range(0, len(chunk.samples), 500):
                yield replace(chunk, samples=chunk.samples[at : at + 500], cache="hit")


class Broken(ToneEngine):
    """Gives what is no sound."""

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        for chunk in super().synthesize(job):
            chunk.samples[:3] = np.nan, np.inf, -np.inf
            yield chunk


def joined(chunks: Iterator[PcmChunk]) -> Samples:
    return np.concatenate([chunk.samples for chunk in chunks])


def test_each_voice_has_its_gain() -> None:
    """In decibels, sample by sample; a voice that nothing is known of keeps its level."""
    hello, you = (chunk.samples for chunk in ToneEngine().synthesize(JOB))
    both = LevelledEngine(Choppy(), {"loud": -6.0, "quiet": 3.0})
    expected = np.concatenate([hello * 10 ** (-6 / 20), you * 10 ** (3 / 20)])
    assert np.allclose(joined(both.synthesize(JOB)), expected, atol=1e-6)
    neither = LevelledEngine(Choppy(), {"other": -6.0})
    assert np.allclose(joined(neither.synthesize(JOB)), np.concatenate([hello, you]), atol=1e-6)


def test_chunks_say_what_the_engines_said() -> None:
    """None is empty."""
    chunks = list(LevelledEngine(Choppy(), {}).synthesize(JOB))
    assert {(chunk.sentence_index, chunk.cache) for chunk in chunks} == {(0, "hit"), (1, "hit")}
    assert all(len(chunk.samples) for chunk in chunks)
    assert list(LevelledEngine(Choppy(), {}).synthesize(replace(JOB, sentences=()))) == []


def test_what_a_gain_lifts_too_high_is_limited() -> None:
    """Below full scale, whatever the gain."""
    loud = joined(LevelledEngine(Choppy(), {"loud": 20.0}).synthesize(JOB))
    assert -2 < peak_dbfs(loud) <= -1


def test_what_is_no_number_does_not_stay() -> None:
    """One bad sample is not the end of all sound."""
    hello = replace(JOB, sentences=JOB.sentences[:1])
    heard = joined(LevelledEngine(Broken(), {}).synthesize(hello))
    assert np.isfinite(heard).all()
    assert np.array_equal(heard[6000:], joined(ToneEngine().synthesize(hello))[6000:])


def test_the_engine_behind_it_is_reached() -> None:
    """What it is and can do is the engine's."""
    engine = ToneEngine()
    levelled = LevelledEngine(engine, {})
    levelled.warm_up()
    levelled.set_threads(2)
    levelled.close()
    assert levelled.info == engine.info
