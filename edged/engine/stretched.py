"""`speed` for an engine that has none of its own: an Engine around an Engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edged.audio.stretch import Stretcher
from edged.engine.base import Engine, EngineInfo, PcmChunk, SynthJob


class StretchedEngine:
    """Speaks at the engine's own pace and stretches what it hears, pitch kept."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def info(self) -> EngineInfo:
        info = self._engine.info
        return replace(info, options=info.options | {"speed"})

    def warm_up(self) -> None:
        self._engine.warm_up()

    def set_threads(self, threads: int) -> None:
        self._engine.set_threads(threads)

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        stretcher = Stretcher(self.info.sample_rate_hz, job.speed)
        last: PcmChunk | None = None
        for last in self._engine.synthesize(replace(job, speed=1.0)):
            samples = stretcher.feed(last.samples)
            if len(samples):
                yield replace(last, samples=samples)
        if last is not None and len(rest := stretcher.flush()):
            yield replace(last, samples=rest)

    def close(self) -> None:
        self._engine.close()
