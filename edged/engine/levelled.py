"""Voices of one loudness: an Engine around an Engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from edged.audio.limiter import Limiter
from edged.engine.base import Engine, EngineInfo, PcmChunk, SynthJob


class LevelledEngine:
    """Gives each voice the gain, in dB, that it has in `gains_db`; others are left as they are.

    Peaks that a gain lifts too high are limited.
    """

    def __init__(self, engine: Engine, gains_db: Mapping[str, float]) -> None:
        self._engine = engine
        self._gains_db = gains_db

    @property
    def info(self) -> EngineInfo:
        return self._engine.info

    def warm_up(self) -> None:
        self._engine.warm_up()

    def set_threads(self, threads: int) -> None:
        self._engine.set_threads(threads)

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        limiter = Limiter(self.info.sample_rate_hz)
        last: PcmChunk | None = None
        for last in self._engine.synthesize(job):
            voice = job.voices[job.sentences[last.sentence_index].lang]
            gain = np.float32(10 ** (self._gains_db.get(voice, 0.0) / 20))
            # a NaN would stay in the limiter for good
            samples = limiter.feed(np.nan_to_num(last.samples * gain, posinf=1.0, neginf=-1.0))
            if len(samples):
                yield replace(last, samples=samples)
        if last is not None and len(rest := limiter.flush()):
            yield replace(last, samples=rest)

    def close(self) -> None:
        self._engine.close()
